#pragma once

#include "view/plots/chart.h"
#include "view/plots/plot_data.h"

namespace tilescope::view {

/// What an axis shows.
enum class Quantity : uint8_t { Speed, Time };

/// The look of a provenance's figures, and of cuBLAS's in the same runs: grey, the same shape hollow.
SeriesLook look_of(store::Provenance provenance);
SeriesLook cublas_look_of(store::Provenance provenance);

/// A bar per stage at its default parameters, the shown configuration beside its stage, cuBLAS last, once for each
/// precision: speed at one size, and percent of cuBLAS in the same run and precision. Stages of a faster precision than
/// that of the shown one are left out. What is measured here stands over what is recorded; published figures are
/// marks. A stage without either has no bar: the words "no recording", and its bound as an outline where it was
/// counted.
Plot ladder_plot(const PlotData& data, const Canvas& canvas);

/// Speed or time over one parameter, the others as the sliders have them, at one size, with cuBLAS in the same runs.
/// Every legal value has its prediction too, hollow. Values that are illegal with the others are said so under the
/// mouse.
Plot parameter_plot(const PlotData& data, const Canvas& canvas, const std::string& parameter, Quantity quantity,
                    const PlotRange& zoom);

/// Speed or time of the shown configuration and of cuBLAS over M = N = K from 2^8 to 2^14, powers of two on the x axis.
/// `log`: the y axis too. Every size has its prediction too, hollow.
Plot size_plot(const PlotData& data, const Canvas& canvas, Quantity quantity, bool log, const PlotRange& zoom);

/// Speed over two parameters, `across` and `up`, the others as the sliders have them: a cell per pair of values, in
/// viridis with the figure written in it. Illegal cells are hatched; cells without a figure are hollow with their
/// prediction, or empty. Figures of one provenance alone: measured where that has more than one cell, else recorded.
Plot heat_plot(const PlotData& data, const Canvas& canvas, const std::string& across, const std::string& up);

/// The roofline (Williams, Waterman and Patterson, 2009, doi:10.1145/1498765.1498785) of the device with the stages on
/// it, both axes in log scale. Across: FLOP per byte that L1 and shared memory, one data path, could move in
/// the counted wavefronts. Up: measured or recorded speed. Roofs: FMA issue, the tensor cores in each precision that a
/// stage has, and what that path delivers.
Plot roofline_plot(const PlotData& data, const Canvas& canvas, const PlotRange& zoom);

/// Where the shown configuration's time goes: what it needs at least of each resource, counted, and over that, hollow,
/// what the model says of each term; and how long it took. The longest limits; terms overlap.
Plot bound_plot(const PlotData& data, const Canvas& canvas);

/// What the GPU's counters read of the shown configuration, beside what is counted of the same: how many times the
/// counted figure it is, what differs marked, and which part of their time warps stood still for what.
Plot counters_plot(const PlotData& data, const Canvas& canvas);

}  // namespace tilescope::view
