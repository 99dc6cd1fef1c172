#include "view/plots/plot_predicted.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/words.h"

namespace tilescope::view {
namespace {

constexpr float kJoinStrength = 0.75f;

}  // namespace

ChartPoint predicted_point(const PlotData& data, const PlotPoint& point, const predict::Predicted& predicted,
                           Quantity quantity, double x) {
  ChartPoint result{x, predicted.low, predicted.seconds, predicted.high, {}};
  const double amount = amount_of(data, point.params, point.size);
  if (quantity == Quantity::Speed)
    result = {x, amount / predicted.high, amount / predicted.seconds, amount / predicted.low, {}};
  const bool at_other_size = point.size != data.size;
  result.spot.title = at_other_size ? size_text(data, point.size) : params_text(point.params);
  result.spot.lines = predicted_lines(data, predicted, point.params, point.size);
  if (at_other_size)
    result.spot.size = point.size;
  else
    result.spot.go = go_to(data, point.stage->kernel->name, point.params);
  return result;
}

std::optional<predict::Predicted> predicted_of(const PlotData& data, const PlotPoint& point) {
  if (!data.shown_is_right && point.stage->hash == data.shown.hash && point.params == data.params) return std::nullopt;
  const arch::Device* device = bound_device(data);
  const run::CountedWork* counted = find_counted(data, *point.stage, point.params, point.size);
  if (!data.model || !device || !counted) return std::nullopt;
  return run::predict_time(*counted, *data.model, *device);
}

predict::Gap gap_of(const PlotData& data, const PlotPoint& point) {
  const arch::Device* device = bound_device(data);
  const run::CountedWork* counted = find_counted(data, *point.stage, point.params, point.size);
  return data.model && device && counted ? run::gap_of(*counted, *device) : predict::Gap::None;
}

std::optional<std::string> gap_line(const PlotData& data, const PlotPoint& point) {
  const predict::Gap gap = gap_of(data, point);
  if (gap == predict::Gap::None) return std::nullopt;
  return tr_format("No prediction: {}", tr(to_string(gap)));
}

void add_gap(const PlotData& data, Chart& chart) {
  const predict::Gap gap = gap_of(data, {&data.shown, data.params, data.size});
  if (gap == predict::Gap::None) return;
  chart.legend.push_back({predicted_look(), tr("predicted"), tr_format("none: {}", tr(to_string(gap))), tr("none")});
  chart.nothing += " " + tr_format("No prediction: {}", tr(to_string(gap)));
}

SeriesLook predicted_look() { return {Ink::ArrayC, Marker::Triangle}; }

LegendEntry predicted_legend(const PlotData& data) {
  const arch::Device* device = bound_device(data);
  LegendEntry entry{predicted_look(), tr("predicted"), device ? device->name : ""};
  if (data.model && device != find_device(data, data.model->device))
    entry.text = tr_format("{}, fitted on {}", entry.text, data.model->device);
  return entry;
}

std::vector<std::string> predicted_lines(const PlotData& data, const predict::Predicted& predicted,
                                         const Params& params, int64_t size) {
  const std::string& device = bound_device(data)->name;
  std::vector<std::string> lines{
      tr_format("predicted {}; eight of ten launches are between {} and {}", with_unit(predicted.seconds, "s"),
                with_unit(predicted.low, "s"), with_unit(predicted.high, "s")),
      tr_format("longest: {}", tr(to_string(predicted.limiting))),
      predicted.simulated()
          ? tr_format("for {}, by executing the machine code on a simulated SM; not measured", device)
          : tr_format("for {}, by a model fitted on recordings of {}; not measured", device, predicted.fitted_on)};
  if (predicted.doubt != predict::Doubt::None)
    lines.push_back(tr_format("doubtful: {}", tr(to_string(predicted.doubt))));
  lines.insert(lines.begin(), with_unit(amount_of(data, params, size) / predicted.seconds, speed_unit(data)));
  return lines;
}

void add_predictions(const PlotData& data, const std::vector<PlotPoint>& points, Quantity quantity, Chart& chart,
                     const std::function<double(const PlotPoint&)>& x,
                     const std::function<bool(const PlotPoint&)>& known) {
  Series series{predicted_look(), {}, true, kJoinStrength, true};
  for (const PlotPoint& point : points) {
    const std::optional<predict::Predicted> predicted = predicted_of(data, point);
    if (!predicted) continue;
    series.points.push_back(predicted_point(data, point, *predicted, quantity, x(point)));
    series.points.back().current = point.params == data.params && point.size == data.size && !known(point);
  }
  if (series.points.empty()) return;
  std::sort(series.points.begin(), series.points.end(), [](const auto& a, const auto& b) { return a.x < b.x; });
  chart.legend.push_back(predicted_legend(data));
  auto& all = std::get<ChartLines>(chart.content).series;
  all.insert(all.begin(), std::move(series));  // Under the figures.
}

}  // namespace tilescope::view
