#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "view/plots/chart_painters.h"

namespace tilescope::view {
namespace {

constexpr double kAboveRoofs = 2, kAboveRoofsLinear = 1.15;  ///< Room for a roof's name, as a factor of the y axis.
constexpr float kBesideLines = 36;                           ///< At the right of lines: half a tick's label.
constexpr float kMostBeside = 50;         ///< And of the x axis's title, so that points' names have room there.
constexpr float kPoint = 7, kReach = 11;  ///< Size of a point; how far from it the mouse finds it.
constexpr float kLeastNamed = 7;          ///< Lines of text; in lower charts only the current point has its name.
constexpr float kBand = 13, kBandStrength = 0.3f;

Axis limited(Axis axis, const std::optional<std::pair<double, double>>& range) {
  if (range && range->first < range->second) {
    axis.low = range->first;
    axis.high = range->second;
  }
  return axis;
}

class LinesPainter {
 public:
  LinesPainter(Brush& brush, const Chart& chart, const ChartLines& content, const PlotRange& zoom)
      : brush_(brush),
        chart_(chart),
        content_(content),
        zoom_(zoom),
        placer_({0, 0, brush.width, brush.height}, brush.measure()) {}

  void draw() {
    lay_out();
    if (content_.current && x_.shows(*content_.current)) {
      const float x = x_.at(*content_.current);
      brush_.line_through({x, area_.y}, {x, area_.bottom()}, {Ink::Accent, 0.7f}, 1.5f);
    }
    for (const Column& column : content_.columns) draw_column(column);
    for (const Roof& roof : content_.roofs) draw_roof(roof);
    for (const Series& series : content_.series) join(series);
    for (const Series& series : content_.series) draw_points(series);
    // Text stays in the area or at its right.
    placer_.take({0, 0, area_.x, brush_.height});
    placer_.take({0, 0, brush_.width, area_.y});
    for (const Roof& roof : content_.roofs) name_roof(roof);
    for (const Roof& roof : content_.roofs) take_slope(roof);
    for (const Series& series : content_.series)
      for (const ChartPoint& point : series.points) name_point(point);
    brush_.plot.x = x_;
    brush_.plot.y = y_;
  }

 private:
  /// In a low chart a line of it, in few words.
  float show_legend(float title) {
    std::vector<LegendEntry> legend = chart_.legend;
    const bool brief = brush_.height < kLowChart * brush_.line();
    const auto height = [&] { return brush_.legend(legend, {title, 0}, brush_.width - title, true, true); };
    while (brief && legend.size() > 1 && height() > brush_.line() * 1.5f) legend.pop_back();
    return brush_.legend(legend, {title, 0}, brush_.width - title, brief);
  }

  Axis axis_around(const ChartAxis& axis, bool of_x) const {
    std::vector<double> values;
    for (const Series& series : content_.series)
      for (const ChartPoint& point : series.points)
        of_x ? values.push_back(point.x) : (void)values.insert(values.end(), {point.low, point.y, point.high});
    const double above = axis.scale == AxisScale::Linear ? kAboveRoofsLinear : kAboveRoofs;
    for (const Roof& roof : content_.roofs)
      for (const auto& [x, y] : roof.ends) values.push_back(of_x ? x : y * above);
    return limited(limited(around(axis.scale, values), axis.range), of_x ? zoom_.x : zoom_.y);
  }

  void lay_out() {
    y_ = axis_around(chart_.y, false);
    x_ = axis_around(chart_.x, true);
    const Unit unit = unit_for(y_.high, chart_.y.unit);
    // The legend begins at the right of the y axis's title.
    brush_.label({0, brush_.line() / 2}, unit.name, {Ink::Faint});
    const float title = brush_.width_of(unit.name) + 16;
    const float legend = show_legend(title);
    // The x axis's title has a line of its own where it would take the place of numbers.
    const bool apart =
        brush_.width_of(chart_.x.title) > kMostBeside + kBesideLines && brush_.height >= kLowChart * brush_.line();
    y_.begin = brush_.height - (apart ? 2 : 1) * brush_.line() - 2;
    y_.end = std::max(brush_.line(), legend) + 6;
    const auto all = ticks(y_, unit.factor, [&](const std::string&) { return brush_.line() * 1.2f; });
    float widest = 0;
    for (const Tick& tick : all) widest = std::max(widest, brush_.width_of(tick.text));
    area_ = box_between(widest + kNameGap, y_.end,
                        brush_.width - std::min(brush_.width_of(chart_.x.title), kMostBeside) - kBesideLines, y_.begin);
    x_.begin = area_.x;
    x_.end = area_.right();
    for (const Tick& tick : all) {
      const float y = y_.at(tick.value);
      brush_.line_through({area_.x, y}, {area_.right(), y}, {Ink::Line});
      brush_.label({area_.x - kNameGap, y}, tick.text, {Ink::Faint}, Align::End);
    }
    const float below = area_.bottom() + brush_.text * 0.8f + (apart ? brush_.line() : 0);
    brush_.label({brush_.width, below}, chart_.x.title, {Ink::Text}, Align::End);
    const float left = brush_.width - brush_.width_of(chart_.x.title) - kTickGap / 2;
    placer_.take({left, apart ? below - brush_.text / 2 : area_.bottom(), brush_.width - left, brush_.height});
    brush_.x_ticks(x_, area_, 1, chart_.x.ticks, placer_);
  }

  Point place(double x, double y) const { return {x_.at(x), y_.at(y)}; }
  bool shows(const ChartPoint& point) const { return x_.shows(point.x) && y_.shows(point.y); }

  void draw_column(const Column& column) {
    if (!x_.shows(column.value)) return;
    const float x = x_.at(column.value), y = area_.bottom();
    brush_.spot(column.spot, {x - 12, area_.y, 24, brush_.height - area_.y});
    for (const float down : {-4.0f, 4.0f})
      if (column.crossed) brush_.line_through({x - 4, y + down}, {x + 4, y - down}, {Ink::Warning}, 1.5f);
  }

  /// The part of the straight line (on the axes' scales) inside the area.
  void draw_roof(const Roof& roof) {
    Point from = place(roof.ends[0].first, roof.ends[0].second), to = place(roof.ends[1].first, roof.ends[1].second);
    if (!clip(from, to)) return;
    brush_.line_through(from, to, {Ink::Text, 0.8f}, 1.5f);
    if (is_level(from, to)) placer_.take({from.x, from.y - 1, to.x - from.x, 2});
  }

  /// No point's name on a roof that is not level.
  void take_slope(const Roof& roof) {
    constexpr float kStep = 3;
    Point from = place(roof.ends[0].first, roof.ends[0].second), to = place(roof.ends[1].first, roof.ends[1].second);
    if (!clip(from, to) || is_level(from, to)) return;
    const float slope = (to.y - from.y) / std::max(1.0f, to.x - from.x), tall = std::abs(slope) * kStep + 2;
    for (float x = from.x; x < to.x; x += kStep)
      placer_.take({x, from.y + (x + kStep / 2 - from.x) * slope - tall / 2, kStep, tall});
  }

  /// The name of a level roof is at its end, above or below; of another along it, above its left end if there is room.
  void name_roof(const Roof& roof) {
    Point from = place(roof.ends[0].first, roof.ends[0].second), to = place(roof.ends[1].first, roof.ends[1].second);
    if (!clip(from, to)) return;
    const float wide = brush_.width_of(roof.name);
    const auto named = [&](float x, float top) {
      return LabelPlacer::Group{brush_.label_at({x, top + brush_.text / 2}, roof.name, {Ink::Faint})};
    };
    if (is_level(from, to)) {
      const float left = from.x + 6, right = to.x - 6 - wide, below = from.y + 3, above = from.y - brush_.text - 3;
      return place_on_plate({named(left, below), named(left, above), named(right, below), named(right, above)});
    }
    const float slope = (to.y - from.y) / std::max(1.0f, to.x - from.x);
    std::vector<LabelPlacer::Group> candidates;
    for (const float part : {0.0f, 0.15f, 0.3f, 0.45f, 0.6f, 0.75f}) {
      const float left = from.x + 6 + part * (to.x - from.x), y = from.y + (left - from.x) * slope;
      if (left + wide > area_.right()) break;
      candidates.push_back(named(left, y + std::min(wide, to.x - left) * slope - brush_.text - 3));
      if (y + 3 + brush_.text < area_.bottom()) candidates.push_back(named(left, y + 3));
    }
    place_on_plate(candidates);
  }

  /// The grid's lines would strike the words through.
  void place_on_plate(const std::vector<LabelPlacer::Group>& candidates) {
    constexpr float kMargin = 3;
    Picture& picture = brush_.plot.picture;
    const auto before = static_cast<std::ptrdiff_t>(picture.shapes.size());
    const auto placed = placer_.place(candidates, picture);
    if (!placed) return;
    const Box box = box_of(candidates[*placed].front(), brush_.measure());
    picture.shapes.insert(picture.shapes.begin() + before,
                          Rectangle{{box.x - kMargin, box.y, box.width + 2 * kMargin, box.height}, {Ink::Panel}});
  }

  static bool is_level(const Point& from, const Point& to) { return std::abs(from.y - to.y) < 1; }

  bool clip(Point& from, Point& to) const {
    const auto cut = [&](Point& end, const Point& other) {
      const auto move = [&](float part) { end = {end.x + (other.x - end.x) * part, end.y + (other.y - end.y) * part}; };
      if (end.x < area_.x && other.x > area_.x) move((area_.x - end.x) / (other.x - end.x));
      if (end.x > area_.right() && other.x < area_.right()) move((area_.right() - end.x) / (other.x - end.x));
      if (end.y < area_.y && other.y > area_.y) move((area_.y - end.y) / (other.y - end.y));
      if (end.y > area_.bottom() && other.y < area_.bottom()) move((area_.bottom() - end.y) / (other.y - end.y));
    };
    cut(from, to);
    cut(to, from);
    const Box with_slack{area_.x - 1, area_.y - 1, area_.width + 2.01f, area_.height + 2.01f};
    return with_slack.contains(from) && with_slack.contains(to);
  }

  void join(const Series& series) {
    for (size_t i = 1; series.joined && i < series.points.size(); ++i) {
      Point from = place(series.points[i - 1].x, series.points[i - 1].y);
      Point to = place(series.points[i].x, series.points[i].y);
      if (clip(from, to)) brush_.line_through(from, to, {series.look.ink, 0.6f * series.strength}, 1.5f);
    }
  }

  void draw_points(const Series& series) {
    const Colour colour{series.look.ink, series.strength};
    for (const ChartPoint& point : series.points) {
      if (!shows(point)) continue;
      const Point at = place(point.x, point.y);
      const float low = y_.at(std::max(point.low, y_.low)), high = y_.at(std::min(point.high, y_.high));
      if (series.banded)
        brush_.add(
            Rectangle{box_between(at.x - kBand / 2, high, at.x + kBand / 2, low), {series.look.ink, kBandStrength}});
      else
        brush_.whisker({at.x, low}, {at.x, high}, colour);
      brush_.marker(at, series.look.marker, colour, point.current ? kPoint + 3 : kPoint);
      if (point.current) brush_.marker(at, Marker::Ring, {Ink::Accent}, kPoint + 8);
      placer_.take({at.x - kPoint / 2, at.y - kPoint / 2, kPoint, kPoint});
      brush_.spot(point.spot, {at.x - kReach, at.y - kReach, 2 * kReach, 2 * kReach});
    }
  }

  /// Beside the point, on the side where there is room; where none is, further away at the end of a line.
  void name_point(const ChartPoint& point) {
    const bool crowded = area_.height < kLeastNamed * brush_.line();
    if (point.label.empty() || !shows(point) || (crowded && !point.current)) return;
    const Point at = place(point.x, point.y);
    const float tall = brush_.text / 2, off = point.current ? 11 : 7;
    std::vector<LabelPlacer::Group> candidates;
    const auto propose = [&](float x, float y, Align align) {
      candidates.push_back(
          {brush_.label_at({at.x + x, at.y + y}, point.label, {point.current ? Ink::Accent : Ink::Text}, align,
                           point.current ? Font::Bold : Font::Text)});
    };
    propose(off, 0, Align::Begin), propose(-off, 0, Align::End);
    propose(0, -tall - off, Align::Centre), propose(0, tall + off, Align::Centre);
    propose(off, -tall - 3, Align::Begin), propose(off, tall + 3, Align::Begin);
    propose(-off, -tall - 3, Align::End), propose(-off, tall + 3, Align::End);
    const size_t beside = candidates.size();
    for (const float away : {1.0f, 2.0f})
      for (const float x : {0.0f, -1.0f, 1.0f})
        for (const float y : {1.0f, -1.0f})
          propose(x * away * brush_.line(), y * (off + tall + away * brush_.line()), Align::Centre);
    const auto placed = placer_.place(candidates, brush_.plot.picture);
    if (!placed || *placed < beside) return;
    const Label& name = candidates[*placed].front();
    const float end = name.at.y + (name.at.y > at.y ? -tall : tall);
    brush_.line_through(at, {name.at.x, end}, {Ink::Faint, 0.6f});
  }

  Brush& brush_;
  const Chart& chart_;
  const ChartLines& content_;
  const PlotRange& zoom_;
  LabelPlacer placer_;
  Axis x_, y_;
  Box area_;
};

}  // namespace

void draw_lines(Brush& brush, const Chart& chart, const ChartLines& content, const PlotRange& zoom) {
  LinesPainter(brush, chart, content, zoom).draw();
}

}  // namespace tilescope::view
