#pragma once

#include "view/plot.h"

namespace tilescope::view {

/// A bar a stage at its default parameters, the shown configuration beside its stage, cuBLAS last: speed at one size,
/// and percent of cuBLAS in the same run. What is measured here stands over what is recorded; published figures are
/// marks. A stage without either has no bar: the words "no recording", and its bound as an outline where it was
/// counted.
Plot ladder_plot(const PlotData& data, const Canvas& canvas);

}  // namespace tilescope::view
