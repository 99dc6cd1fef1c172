#include "view/plot_parameter.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "base/words.h"

namespace tilescope::view {
namespace {
using store::Measurement;
using store::Provenance;

constexpr size_t kFaded = 12;  ///< Measurements with other values of the others that are still to be seen.

bool is_power_of_two(int64_t value) { return value > 0 && (value & (value - 1)) == 0; }

class ParameterPlot {
 public:
  ParameterPlot(const PlotData& data, const kernel::Parameter& parameter, Quantity quantity)
      : data_(data), parameter_(parameter), quantity_(quantity) {}

  LinePlot make() {
    set_axes();
    add_history();
    for (const Provenance provenance : {Provenance::Recorded, Provenance::Measured}) add_series(provenance);
    plot_.nothing = tr_format("Nothing was measured or recorded over {} at {}³ with the other values as they are.",
                              parameter_.name, data_.size);
    return std::move(plot_);
  }

  std::vector<Measurement> shown;

 private:
  void set_axes() {
    const bool powers = std::all_of(parameter_.values.begin(), parameter_.values.end(), is_power_of_two);
    plot_.x_scale = powers ? AxisScale::Log2 : AxisScale::Linear;
    plot_.x_values.assign(parameter_.values.begin(), parameter_.values.end());
    const Axis all = around(plot_.x_scale, plot_.x_values);
    plot_.x_range = {all.low, all.high};
    plot_.x_title = parameter_.name;
    plot_.y_name = quantity_ == Quantity::Speed ? "FLOP/s" : "s";
    plot_.current = static_cast<double>(value_in(data_.params));
  }

  int64_t value_in(const Params& params) const {
    for (const auto& [name, value] : params)
      if (name == parameter_.name) return value;
    return 0;
  }

  Params with(int64_t value) const {
    Params params = data_.params;
    for (auto& [name, old] : params)
      if (name == parameter_.name) old = value;
    return params;
  }

  void add_series(Provenance provenance) {
    Line ours{look_of(provenance), {}, true, 1}, cublas{cublas_look_of(provenance), {}, true, 0.8f};
    std::vector<const Measurement*> figures;
    for (const int64_t value : parameter_.values) {
      const Measurement* figure = find_figure(data_, provenance, data_.shown, with(value), data_.size);
      if (!figure) continue;
      figures.push_back(figure);
      ours.points.push_back(point(*figure, value));
      if (figure->reference)
        cublas.points.push_back(reference_point_of(*figure, quantity_, static_cast<double>(value)));
      shown.push_back(*figure);
    }
    if (figures.empty()) return;
    plot_.legend.push_back({ours.look, provenance_text(provenance), source_text(figures)});
    if (!cublas.points.empty()) plot_.legend.push_back({cublas.look, "cuBLAS", ""});
    plot_.lines.push_back(std::move(cublas));
    plot_.lines.push_back(std::move(ours));
  }

  LinePoint point(const Measurement& figure, int64_t value) const {
    LinePoint point = point_of(figure, quantity_, static_cast<double>(value));
    point.title = params_text(figure.subject.params);
    point.go = go_to(data_, figure.subject.kernel, figure.subject.params);
    point.current = figure.subject.params == data_.params;
    return point;
  }

  bool differs_in_others(const Measurement& figure) const {
    return with(value_in(figure.subject.params)) != figure.subject.params;
  }

  void add_history() {
    float strength = 0.55f;
    size_t count = 0;
    for (size_t i = data_.history.size(); i-- > 0 && count < kFaded;) {
      const Measurement& figure = data_.figures[data_.history[i]];
      if (figure.subject.m != data_.size || !belongs(data_, figure, data_.shown, Provenance::Measured) ||
          !differs_in_others(figure))
        continue;
      Line line{look_of(Provenance::Measured), {point(figure, value_in(figure.subject.params))}, false, strength};
      plot_.lines.push_back(std::move(line));
      strength *= 0.85f;
      ++count;
    }
  }

  const PlotData& data_;
  const kernel::Parameter& parameter_;
  Quantity quantity_;
  LinePlot plot_;
};

/// Under the mouse everywhere: what each value of the parameter is where no point stands.
void add_columns(const PlotData& data, const kernel::Parameter& parameter, Plot& plot) {
  if (!plot.x || !plot.y) return;
  kernel::Settings settings;
  for (const auto& [name, value] : data.params) settings[name] = std::to_string(value);
  const auto legal = kernel::legal_values(data.shown.kernel->description, settings, {data.size, data.size, data.size},
                                          {}, parameter.name);
  std::vector<PlotSpot> columns;
  for (const int64_t value : parameter.values) {
    const auto at = static_cast<double>(value);
    if (!plot.x->shows(at)) continue;
    const bool is_legal = std::find(legal.begin(), legal.end(), value) != legal.end();
    const float x = plot.x->at(at);
    PlotSpot spot{{x - 12, plot.y->end, 24, plot.picture.height - plot.y->end},
                  fmt::format("{} = {}", parameter.name, value),
                  {},
                  {}};
    spot.lines.push_back(tr(is_legal ? "A click sets the slider." : "Not legal with the other values as they are."));
    if (is_legal) spot.go.push_back(session::SetParameter{parameter.name, value});
    columns.push_back(std::move(spot));
    if (is_legal) continue;
    plot.picture.add(Polyline{{{x - 4, plot.y->begin - 4}, {x + 4, plot.y->begin + 4}}, {Ink::Warning}, 1.5f});
    plot.picture.add(Polyline{{{x - 4, plot.y->begin + 4}, {x + 4, plot.y->begin - 4}}, {Ink::Warning}, 1.5f});
  }
  plot.spots.insert(plot.spots.begin(), columns.begin(), columns.end());
}

}  // namespace

Plot parameter_plot(const PlotData& data, const Canvas& canvas, const std::string& parameter, Quantity quantity,
                    const PlotRange& zoom) {
  const kernel::Parameter* known = data.shown.kernel->description.parameter(parameter);
  LinePlot lines;
  lines.nothing = tr("This kernel has no parameters.");
  if (!known) return draw_lines(lines, canvas);
  ParameterPlot maker(data, *known, quantity);
  lines = maker.make();
  lines.zoom = zoom;
  Plot plot = draw_lines(lines, canvas);
  add_columns(data, *known, plot);
  plot.csv = store::to_csv(maker.shown);
  return plot;
}

}  // namespace tilescope::view
