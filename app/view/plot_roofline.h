#pragma once

#include "view/plot_lines.h"

namespace tilescope::view {

/// The roofline (Williams, Waterman and Patterson, 2009, doi:10.1145/1498765.1498785) of the device with the stages on
/// it, both axes in log scale. Across: FLOP for each byte of the sectors that global loads and stores ask of L1,
/// counted. Up: measured or recorded speed. Roofs: FMA issue, and what L1, L2 and DRAM deliver; a stage above the roof
/// of a memory gets most of its bytes from a nearer one.
Plot roofline_plot(const PlotData& data, const Canvas& canvas, const PlotRange& zoom);

}  // namespace tilescope::view
