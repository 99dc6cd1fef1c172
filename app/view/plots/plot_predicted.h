#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "predict/predict.h"
#include "view/plots/chart.h"
#include "view/plots/plot_points.h"
#include "view/plots/plots.h"

/// Predicted times in plots: always hollow, with the range of eight of ten recordings.
namespace tilescope::view {

/// For the device of the bounds. Nullopt while the configuration is not counted at that size, or if ptxas's registers
/// are unknown.
std::optional<predict::Predicted> predicted_of(const PlotData& data, const PlotPoint& point);

/// Why the shown kernel has no prediction; None if it has one, or was not counted.
predict::Gap gap_of(const PlotData& data, const PlotPoint& point);
/// "No prediction: the model does not cover tensor cores"; empty without a gap.
std::optional<std::string> gap_line(const PlotData& data, const PlotPoint& point);

SeriesLook predicted_look();
/// "predicted", and for which device; and the device of the fit if it is another one.
LegendEntry predicted_legend(const PlotData& data);

/// Speed, time with its range, what limits, and that nothing was measured.
std::vector<std::string> predicted_lines(const PlotData& data, const predict::Predicted& predicted,
                                         const Params& params, int64_t size);

/// With its range; a click shows the configuration.
ChartPoint predicted_point(const PlotData& data, const PlotPoint& point, const predict::Predicted& predicted,
                           Quantity quantity, double x);

/// Says in the chart of the shown configuration why nothing is predicted, if so.
void add_gap(const PlotData& data, Chart& chart);

/// A hollow point for each prediction, joined, with its range as a band. `x`: of a point. `known`: whether a point has
/// a figure, which then carries the mark of the shown configuration.
void add_predictions(const PlotData& data, const std::vector<PlotPoint>& points, Quantity quantity, Chart& chart,
                     const std::function<double(const PlotPoint&)>& x,
                     const std::function<bool(const PlotPoint&)>& known);

}  // namespace tilescope::view
