#pragma once

#include "view/plot.h"

namespace tilescope::view {

/// What the shown configuration needs at least of each resource, in time on the device, counted; and how long it took.
/// The longest bar binds; what lies between it and the measurement is what neither explains.
Plot bound_plot(const PlotData& data, const Canvas& canvas);

}  // namespace tilescope::view
