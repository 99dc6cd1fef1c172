#pragma once

#include "view/plot_lines.h"

namespace tilescope::view {

/// Speed or time over one parameter, the others as the sliders have them, at one size, with cuBLAS in the same runs.
/// What was measured before with other values of the others fades. Values that are illegal with the others, or have
/// no figure, are said so under the mouse.
Plot parameter_plot(const PlotData& data, const Canvas& canvas, const std::string& parameter, Quantity quantity,
                    const PlotRange& zoom);

}  // namespace tilescope::view
