#pragma once

#include "view/plot.h"

namespace tilescope::view {

/// Speed over two parameters, `across` and `up`, the others as the sliders have them: a cell a pair of values, in
/// viridis with the figure written in it. Illegal cells are hatched; cells without a figure are empty. Of one
/// provenance alone: measured where that has more than one cell, else recorded.
Plot heat_plot(const PlotData& data, const Canvas& canvas, const std::string& across, const std::string& up);

}  // namespace tilescope::view
