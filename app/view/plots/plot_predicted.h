#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "predict/predict.h"
#include "view/plots/chart.h"
#include "view/plots/plot_points.h"
#include "view/plots/plots.h"

/// Predicted times in plots: always hollow, with the range that eight of ten recordings lie in.
namespace tilescope::view {

/// By the model, for the device of the bounds. Nothing while the configuration was not counted at that size, and where
/// ptxas's registers are not known.
std::optional<predict::Predicted> predicted_of(const PlotData& data, const PlotPoint& point);

/// Why the kernel on show has no prediction; None where it has one, or was not counted.
predict::Gap gap_of(const PlotData& data, const PlotPoint& point);
/// "No prediction: the model knows nothing of tensor cores"; nothing where there is no gap.
std::optional<std::string> gap_line(const PlotData& data, const PlotPoint& point);

SeriesLook predicted_look();
/// "predicted", and for which device; on whose recordings the model was fitted where those are another's.
LegendEntry predicted_legend(const PlotData& data);

/// Speed, time with its range, what limits, and that nothing was measured.
std::vector<std::string> predicted_lines(const PlotData& data, const predict::Predicted& predicted, int64_t size);

/// FLOP/s of a square product in those seconds.
double speed_of(int64_t size, double seconds);

/// Says in the chart of the configuration on show why nothing is predicted, where that is so.
void add_gap(const PlotData& data, Chart& chart);

/// A hollow point for each that is predicted, joined, with its range as a band. `x`: of a point. `known`: whether a
/// point has a figure, which then bears the mark of what is on show.
void add_predictions(const PlotData& data, const std::vector<PlotPoint>& points, Quantity quantity, Chart& chart,
                     const std::function<double(const PlotPoint&)>& x,
                     const std::function<bool(const PlotPoint&)>& known);

}  // namespace tilescope::view
