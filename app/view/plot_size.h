#pragma once

#include "view/plot_lines.h"

namespace tilescope::view {

/// Speed or time of the shown configuration and of cuBLAS over M = N = K from 2^8 to 2^14, powers of two on the x axis.
/// `log`: the y axis too.
Plot size_plot(const PlotData& data, const Canvas& canvas, Quantity quantity, bool log, const PlotRange& zoom);

}  // namespace tilescope::view
