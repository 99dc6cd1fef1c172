#pragma once

#include "view/plots/chart.h"
#include "view/plots/plot_data.h"

namespace tilescope::view {

/// What an axis shows.
enum class Quantity : uint8_t { Speed, Time };

/// The style of a provenance's figures, and of cuBLAS's in the same runs: grey, the same shape hollow.
SeriesLook look_of(store::Provenance provenance);
SeriesLook cublas_look_of(store::Provenance provenance);

/// A bar per stage at its default parameters, the shown configuration beside its stage, cuBLAS last, once for each
/// precision: speed at one size, and percent of cuBLAS in the same run and precision. Stages of a faster precision than
/// that of the shown one are left out. Figures measured here take precedence over recorded ones; published figures
/// are marks. A stage without either has no bar: the words "no recording", and its bound as an outline where it was
/// counted.
Plot ladder_plot(const PlotData& data, const Canvas& canvas);

/// Speed or time over one parameter, the others as in the sliders, at one size, with cuBLAS in the same runs. Every
/// legal value also has its prediction, hollow. Values that are illegal with the others are said so under the mouse.
Plot parameter_plot(const PlotData& data, const Canvas& canvas, const std::string& parameter, Quantity quantity,
                    const PlotRange& zoom);

/// Speed or time of the shown configuration and of cuBLAS over M = N = K from 2^8 to 2^14, powers of two on the x axis.
/// `log`: also the y axis. Every size also has its prediction, hollow.
Plot size_plot(const PlotData& data, const Canvas& canvas, Quantity quantity, bool log, const PlotRange& zoom);

/// Speed over two parameters, `across` and `up`, the others as in the sliders: a cell per pair of values, in
/// viridis with the figure written in it. Illegal cells are hatched; cells without a figure are hollow with their
/// prediction, or empty. Figures of only one provenance: measured if that has more than one cell, else recorded.
Plot heat_plot(const PlotData& data, const Canvas& canvas, const std::string& across, const std::string& up);

/// The roofline (Williams, Waterman and Patterson, 2009, doi:10.1145/1498765.1498785) of the device with the stages on
/// it, both axes in log scale. Across: FLOP per byte that L1 and shared memory, one data path, could move in
/// the counted wavefronts. Up: measured or recorded speed. Roofs: FMA issue, the tensor cores in each precision that a
/// stage has, and what that path delivers.
Plot roofline_plot(const PlotData& data, const Canvas& canvas, const PlotRange& zoom);

/// Where the shown configuration's time goes: its least time on each resource, counted, and over that, hollow, the
/// model's terms; and how long it took. The longest limits; terms overlap.
Plot bound_plot(const PlotData& data, const Canvas& canvas);

/// The GPU's counters for the shown configuration beside the emulator's counts: their ratio, with differences marked,
/// and the share of time that warps are stalled by each cause.
Plot counters_plot(const PlotData& data, const Canvas& canvas);

}  // namespace tilescope::view
