#include "view/plot_heat.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "base/words.h"
#include "kernel/model.h"

namespace tilescope::view {
namespace {
using store::Measurement;
using store::Provenance;

constexpr int kScaleSteps = 48;

struct Cell {
  Params params;
  bool legal = false, current = false;
  std::string why;  ///< Of an illegal one.
  const Measurement* figure = nullptr;
};

class HeatPainter {
 public:
  HeatPainter(const PlotData& data, const Canvas& canvas, const kernel::Parameter& across, const kernel::Parameter& up)
      : data_(data), painter_(canvas), across_(across), up_(up) {}

  Plot make() {
    make_cells();
    if (!pick_figures()) {
      painter_.sentence(
          tr_format("Nothing was measured or recorded over {} and {} at {}³ with the other values as they are.",
                    across_.name, up_.name, data_.size));
      return std::move(painter_.plot);
    }
    lay_out();
    draw_names();
    for (size_t row = 0; row < up_.values.size(); ++row)
      for (size_t column = 0; column < across_.values.size(); ++column)
        draw_cell(cell(row, column), box_of(row, column));
    draw_current();
    draw_scale();
    painter_.plot.csv = store::to_csv(shown_);
    return std::move(painter_.plot);
  }

 private:
  Cell& cell(size_t row, size_t column) { return cells_[row * across_.values.size() + column]; }

  void make_cells() {
    kernel::Model model(data_.shown.kernel->description, {});
    for (const char* extent : {"M", "N", "K"}) model.set(extent, data_.size);
    for (const int64_t up : up_.values)
      for (const int64_t across : across_.values) cells_.push_back(make_cell(model, across, up));
  }

  Cell make_cell(kernel::Model& model, int64_t across, int64_t up) const {
    Cell cell;
    cell.params = data_.params;
    for (auto& [name, value] : cell.params) {
      if (name == across_.name) value = across;
      if (name == up_.name) value = up;
      model.set(name, value);
    }
    std::vector<std::string> why;
    cell.legal = model.broken(&why) == 0;
    if (!why.empty()) cell.why = why.front();
    cell.current = cell.params == data_.params;
    return cell;
  }

  size_t find_figures(Provenance provenance) {
    size_t found = 0;
    for (Cell& each : cells_) {
      each.figure = find_figure(data_, provenance, data_.shown, each.params, data_.size);
      found += each.figure != nullptr;
    }
    return found;
  }

  bool pick_figures() {
    provenance_ = Provenance::Measured;
    if (const size_t measured = find_figures(provenance_); measured > 1) return true;
    provenance_ = Provenance::Recorded;
    if (find_figures(provenance_) > 0) return true;
    provenance_ = Provenance::Measured;
    return find_figures(provenance_) > 0;
  }

  void lay_out() {
    low_ = HUGE_VAL, high_ = 0;
    for (const Cell& each : cells_)
      if (each.figure) {
        low_ = std::min(low_, 1e9 * each.figure->gflops);
        high_ = std::max(high_, 1e9 * each.figure->gflops);
        shown_.push_back(*each.figure);
      }
    unit_ = unit_for(high_, "FLOP/s");
    float names = painter_.width(up_.name);
    for (const int64_t value : up_.values) names = std::max(names, painter_.width(std::to_string(value)));
    const float scale = std::max(painter_.width(scale_text()), painter_.width(tr("no recording"))) + 28;
    area_ = plot_area(names + 10, painter_.line() + 2, painter_.canvas().width - scale,
                      painter_.canvas().height - painter_.line());
  }

  Box box_of(size_t row, size_t column) const {
    const float width = area_.width / static_cast<float>(across_.values.size());
    const float height = area_.height / static_cast<float>(up_.values.size());
    // The first value is at the bottom, as on an axis.
    return {area_.x + width * static_cast<float>(column), area_.bottom() - height * static_cast<float>(row + 1), width,
            height};
  }

  void draw_names() {
    std::vector<const Measurement*> figures;
    for (const Cell& each : cells_)
      if (each.figure) figures.push_back(each.figure);
    painter_.label({area_.x - 8, painter_.line() / 2}, up_.name, {Ink::Text}, Align::End, Align::Centre, Font::Bold);
    painter_.legend({{look_of(provenance_), provenance_text(provenance_), source_text(figures)}}, {area_.x, 0},
                    painter_.canvas().width - area_.x);
    for (size_t row = 0; row < up_.values.size(); ++row)
      painter_.label({area_.x - 8, box_of(row, 0).centre().y}, std::to_string(up_.values[row]), {Ink::Text},
                     Align::End);
    const float y = area_.bottom() + painter_.text_size() * 0.75f;
    for (size_t column = 0; column < across_.values.size(); ++column)
      painter_.label({box_of(0, column).centre().x, y}, std::to_string(across_.values[column]), {Ink::Text},
                     Align::Centre);
    painter_.label({area_.right() + 10, y}, across_.name, {Ink::Text}, Align::Begin, Align::Centre, Font::Bold);
  }

  float part_of(double value) const {
    return high_ > low_ ? static_cast<float>((value - low_) / (high_ - low_)) : 1.0f;
  }

  void draw_cell(const Cell& each, const Box& whole) {
    const Box box{whole.x + 1, whole.y + 1, whole.width - 2, whole.height - 2};
    if (each.figure)
      draw_figure(*each.figure, box);
    else if (!each.legal)
      hatch(box);
    else
      painter_.plot.picture.add(Rectangle{box, kNoColour, {Ink::Line}});
    spot(each, whole);
  }

  void draw_figure(const Measurement& figure, const Box& box) {
    const double value = 1e9 * figure.gflops;
    const float part = part_of(value);
    painter_.plot.picture.add(Rectangle{box, {Ink::Magnitude, 1, part}});
    const std::string text = significant(value / unit_.factor);
    if (painter_.width(text) + 6 <= box.width && painter_.text_size() <= box.height)
      painter_.label(box.centre(), text, {on_magnitude(part)}, Align::Centre);
  }

  /// Lines from the lower left to the upper right, cut at the box.
  void hatch(const Box& box) {
    constexpr float kApart = 7;
    for (float at = kApart; at < box.width + box.height; at += kApart) {
      const float down = std::min(at, box.height), along = std::min(at, box.width);
      painter_.plot.picture.add(
          Polyline{{{box.x + at - down, box.y + down}, {box.x + along, box.y + at - along}}, {Ink::Line}});
    }
  }

  void spot(const Cell& each, const Box& box) {
    PlotSpot spot{
        box,
        fmt::format("{} = {}, {} = {}", across_.name, value_in(each, across_.name), up_.name, value_in(each, up_.name)),
        {},
        {}};
    if (each.figure)
      spot.lines = figure_lines(*each.figure);
    else
      spot.lines.push_back(each.legal ? tr_format("No recording at {}³.", data_.size)
                                      : tr_format("Not legal: {}", each.why));
    if (each.legal) spot.go = go_to(data_, data_.shown.kernel->name, each.params);
    painter_.spot(std::move(spot));
  }

  static int64_t value_in(const Cell& each, const std::string& wanted) {
    for (const auto& [name, value] : each.params)
      if (name == wanted) return value;
    return 0;
  }

  void draw_current() {
    for (size_t row = 0; row < up_.values.size(); ++row)
      for (size_t column = 0; column < across_.values.size(); ++column)
        if (cell(row, column).current) outline(box_of(row, column));
  }

  /// Light on dark: one of the two stands out from any colour.
  void outline(const Box& box) {
    painter_.plot.picture.add(Rectangle{box, kNoColour, {Ink::OnLight}, 5});
    painter_.plot.picture.add(Rectangle{box, kNoColour, {Ink::OnDark}, 2});
  }

  std::string scale_text() const { return fmt::format("{} {}", significant(high_ / unit_.factor), unit_.name); }

  /// The colours with their figures, and what the other cells mean.
  void draw_scale() {
    const float left = area_.right() + 10, line = painter_.line();
    const float room = area_.height - 3.4f * line, bar = std::max(20.0f, room);
    for (int i = 0; i < kScaleSteps; ++i) {
      const float part = (static_cast<float>(i) + 0.5f) / kScaleSteps, height = bar / kScaleSteps;
      painter_.plot.picture.add(Rectangle{{left, area_.y + bar - height * static_cast<float>(i + 1), 10, height + 0.5f},
                                          {Ink::Magnitude, 1, part}});
    }
    painter_.label({left + 16, area_.y + line * 0.4f}, scale_text(), {Ink::Text});
    painter_.label({left + 16, area_.y + bar - line * 0.4f}, significant(low_ / unit_.factor), {Ink::Text});
    const float first = area_.y + bar + line * 0.9f;
    draw_key({left, first - 5, 10, 10}, true, tr("not legal"));
    draw_key({left, first + line - 5, 10, 10}, false, tr("no recording"));
  }

  void draw_key(const Box& box, bool hatched, const char* words) {
    painter_.plot.picture.add(Rectangle{box, kNoColour, {Ink::Line}});
    if (hatched) hatch(box);
    painter_.label({box.right() + 6, box.centre().y}, words, {Ink::Faint});
  }

  const PlotData& data_;
  PlotPainter painter_;
  const kernel::Parameter &across_, &up_;
  std::vector<Cell> cells_;
  std::vector<Measurement> shown_;
  Provenance provenance_ = Provenance::Recorded;
  double low_ = 0, high_ = 0;
  Unit unit_;
  Box area_;
};

}  // namespace

Plot heat_plot(const PlotData& data, const Canvas& canvas, const std::string& across, const std::string& up) {
  const kernel::Description& description = data.shown.kernel->description;
  const kernel::Parameter *first = description.parameter(across), *second = description.parameter(up);
  if (first && second && first != second) return HeatPainter(data, canvas, *first, *second).make();
  PlotPainter painter(canvas);
  painter.sentence(tr("A heat map needs a kernel with two parameters."));
  return std::move(painter.plot);
}

}  // namespace tilescope::view
