#include <algorithm>
#include <string>
#include <vector>

#include "view/plots/chart_painters.h"

namespace tilescope::view {
namespace {

class RowsPainter {
 public:
  RowsPainter(Brush& brush, const Chart& chart, ChartRows content)
      : brush_(brush), chart_(chart), content_(std::move(content)), unit_(unit_for(largest(content_), chart.x.unit)) {}

  /// Whether the rows are as high as their text. Comes before draw().
  bool fits() {
    choose_layout();
    return pitch_ >= brush_.text;
  }

  void draw() {
    draw_axis();
    draw_heading();
    brush_.text = std::clamp(pitch_, std::min(brush_.text, kLeastWords), brush_.text);
    for (size_t i = 0; i < content_.rows.size(); ++i) {
      const float y = area_.y + static_cast<float>(i) * pitch_;
      draw_row(content_.rows[i], y);
      if (i > 0 && content_.rows[i - 1].ends_group) brush_.line_through({0, y}, {area_.right(), y}, {Ink::Line}, 1);
    }
    for (const Rule& rule : content_.rules) draw_rule(rule);
  }

 private:
  /// The legend's place: in the upper right corner, which is free if the first bars are short, or above all rows. Bare:
  /// only the first entries of heading and legend.
  struct Layout {
    bool brief = false, in_corner = false, bare = false;
  };

  std::vector<LegendEntry> legend() const {
    if (!layout_.bare || chart_.legend.empty()) return chart_.legend;
    return {chart_.legend.front()};
  }
  size_t heading_lines() const { return std::min(chart_.heading.size(), layout_.bare ? 1 : chart_.heading.size()); }

  void choose_layout() {
    for (const Layout& layout : {Layout{false, true}, {false, false}, {true, true}, {true, false}, {true, false, true}})
      if (lay_out(layout) && pitch_ >= brush_.text) return;
  }

  /// False if the layout is impossible.
  bool lay_out(const Layout& layout) {
    if (layout.in_corner && !chart_.heading.empty()) return false;
    layout_ = layout;
    float names = 0, words = 0;
    for (const ChartRow& row : content_.rows) {
      names = std::max(names, brush_.width_of(row.name, font_of(row)));
      words = std::max(words, brush_.width_of(row.words));
    }
    const float left = std::min(names, brush_.width * 0.36f) + kNameGap;
    float room = brush_.width - left - words - 2 * kValueGap;
    if (!content_.words_at_edge) room = room_for_bars(left);
    float top = brush_.line() * static_cast<float>(heading_lines()) + (content_.rules.empty() ? 0 : kNameGap);
    if (!layout.in_corner) top += brush_.legend(legend(), {}, brush_.width, layout.brief, true);
    area_ = box_between(left, top, left + room, brush_.height - brush_.line() - 2);
    pitch_ = area_.height / static_cast<float>(std::max<size_t>(content_.rows.size(), 1));
    const double most = largest(content_);
    axis_ = {AxisScale::Linear, 0, most > 0 ? most : 1, area_.x, area_.right()};
    return !layout.in_corner || is_free(legend_box());
  }

  /// The longest bar with which every row's words fit on the canvas.
  float room_for_bars(float left) const {
    const double most = largest(content_);
    float room = brush_.width - left - kValueGap;
    for (const ChartRow& row : content_.rows)
      if (const double end = end_of(row); end > 0)
        room = std::min(
            room, (brush_.width - left - kValueGap - brush_.width_of(row.words)) * static_cast<float>(most / end));
    return room;
  }

  Box legend_box() const {
    float wide = 0;
    for (const LegendEntry& entry : chart_.legend) wide = std::max(wide, brush_.width_of(entry, layout_.brief));
    return {brush_.width - wide, 1, wide, brush_.line() * static_cast<float>(chart_.legend.size())};
  }

  /// Whether no bar, nor the words after it, comes near the box.
  bool is_free(const Box& box) const {
    LabelPlacer placer({0, 0, brush_.width, brush_.height}, brush_.measure());
    for (size_t i = 0; i < content_.rows.size(); ++i) {
      const ChartRow& row = content_.rows[i];
      const float end = axis_.at(end_of(row)) + kValueGap + brush_.width_of(row.words);
      placer.take({0, area_.y + static_cast<float>(i) * pitch_, end + 2 * kValueGap, pitch_});
    }
    return placer.is_free(box);
  }

  void draw_axis() {
    LabelPlacer placer({0, 0, brush_.width, brush_.height}, brush_.measure());
    brush_.x_ticks(axis_, area_, unit_.factor, {}, placer);
    const bool both = !unit_.name.empty() && !chart_.x.title.empty();
    const std::string name = unit_.name + (both ? ", " : "") + chart_.x.title;
    const auto all =
        ticks(axis_, unit_.factor, [&](const std::string& words) { return brush_.width_of(words) + kTickGap; });
    const float first = all.empty() ? 0 : brush_.width_of(all.front().text) / 2 + kNameGap;
    const float x = area_.x - std::max(kNameGap, first);
    brush_.label({x, area_.bottom() + brush_.text * 0.8f}, name, {Ink::Faint}, Align::End);
  }

  void draw_heading() {
    float y = brush_.line() / 2;
    for (size_t i = 0; i < heading_lines(); ++i) {
      const bool first = i == 0;
      brush_.label_in(brush_.width, {0, y}, chart_.heading[i], {first ? Ink::Strong : Ink::Faint}, Align::Begin,
                      first ? Font::Bold : Font::Text);
      y += brush_.line();
    }
    Box box = legend_box();
    if (!layout_.in_corner) box = {0, y - brush_.line() / 2, brush_.width, 0};
    // On its own background, over the axis's hairlines.
    if (layout_.in_corner)
      brush_.add(Rectangle{{box.x - kValueGap, box.y, box.width + kValueGap, box.height}, {Ink::Panel}});
    brush_.legend(legend(), {box.x, box.y}, box.width, layout_.brief);
  }

  void draw_row(const ChartRow& row, float top) {
    const float middle = top + pitch_ / 2;
    brush_.label_in(area_.x - kNameGap, {area_.x - kNameGap, middle}, row.name, {row.current ? Ink::Accent : Ink::Text},
                    Align::End, font_of(row));
    brush_.spot(row.spot, {0, top, brush_.width, pitch_});
    for (const Mark& mark : row.marks)
      if (mark.marker == Marker::Tick)
        brush_.marker({axis_.at(mark.value), middle}, mark.marker, mark.colour, pitch_ - 2);
    draw_bars(row, top);
    for (const Mark& mark : row.marks) {
      if (mark.marker == Marker::Tick) continue;
      const float x = axis_.at(mark.value), size = std::min(9.0f, pitch_ * 0.6f);
      brush_.marker({x, middle}, mark.marker, mark.colour, size);
      brush_.spot(mark.spot, {x - size, top, 2 * size, pitch_});
    }
    if (content_.words_at_edge) return brush_.label({brush_.width, middle}, row.words, {row.ink}, Align::End);
    brush_.label({axis_.at(end_of(row)) + kValueGap, middle}, row.words, {row.ink});
  }

  /// One bar fills most of the row; of two the second is thinner and under the first.
  void draw_bars(const ChartRow& row, float top) {
    const bool both = std::any_of(row.bars.begin(), row.bars.end(), [](const Bar& bar) { return bar.second; });
    const float first = std::min(std::round(pitch_ * (both ? 0.5f : 0.7f)), kMostBar);
    const float second = std::clamp(std::round(pitch_ * 0.22f), 2.0f, kMostBar / 2);
    const float y = top + (pitch_ - first - (both ? second : 0)) / 2;
    for (const Bar& bar : row.bars) {
      const Box box{area_.x, bar.second ? y + first : y, std::max(1.0f, axis_.at(bar.value) - area_.x),
                    bar.second ? second : first};
      brush_.add(Rectangle{box, bar.fill, bar.stroke});
      const float middle = box.centre().y;
      if (bar.low > 0) brush_.whisker({axis_.at(bar.low), middle}, {axis_.at(bar.high), middle}, {Ink::Strong});
      brush_.spot(bar.spot, {box.x, box.y, std::max(box.width, 6.0f), box.height});
    }
  }

  void draw_rule(const Rule& rule) {
    const float x = axis_.at(rule.value), top = area_.y - kNameGap / 2;
    brush_.line_through({x, top}, {x, area_.bottom()}, {rule.look.ink}, 2);
    brush_.marker({x, top}, rule.look.marker, {rule.look.ink}, 8);
    brush_.spot(rule.spot, {x - kValueGap, top - kNameGap, 2 * kValueGap, area_.bottom() - top + kNameGap});
  }

  Brush& brush_;
  const Chart& chart_;
  ChartRows content_;
  Unit unit_;
  Layout layout_;
  Box area_;
  Axis axis_;
  float pitch_ = 0;
};

}  // namespace

Font font_of(const ChartRow& row) { return row.current ? Font::Bold : Font::Text; }

double end_of(const ChartRow& row) {
  double end = 0;
  for (const Bar& bar : row.bars) end = std::max({end, bar.value, bar.high});
  for (const Mark& mark : row.marks) end = std::max(end, mark.value);
  return end;
}

double largest(const ChartRows& content) {
  double most = 0;
  for (const ChartRow& row : content.rows) most = std::max(most, end_of(row));
  for (const Rule& rule : content.rules) most = std::max(most, rule.value);
  return most;
}

void draw_rows(Brush& brush, const Chart& chart, const ChartRows& content) {
  RowsPainter rows(brush, chart, content);
  if (rows.fits() || content.rows.front().short_name.empty())
    rows.draw();
  else
    draw_columns(brush, chart, content);
}

}  // namespace tilescope::view
