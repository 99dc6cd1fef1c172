#include "view/plot_lines.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace tilescope::view {
namespace {

constexpr float kBesideArea = 36;         ///< Between the area and the x axis's title: half a tick's label.
constexpr float kPoint = 7, kReach = 11;  ///< Size of a point; how far from it the mouse finds it.

class LinesPainter {
 public:
  LinesPainter(const LinePlot& plot, const Canvas& canvas) : lines_(plot), painter_(canvas) {}

  Plot make() {
    if (std::all_of(lines_.lines.begin(), lines_.lines.end(), [](const Line& line) { return line.points.empty(); })) {
      painter_.sentence(lines_.nothing);
      return std::move(painter_.plot);
    }
    lay_out();
    if (lines_.current) draw_current();
    for (const Roof& roof : lines_.roofs) draw_roof(roof);
    for (const Line& line : lines_.lines) draw_line(line);
    for (const Line& line : lines_.lines) draw_points(line);
    for (const Line& line : lines_.lines) draw_labels(line);
    painter_.plot.x = x_;
    painter_.plot.y = y_;
    return std::move(painter_.plot);
  }

 private:
  std::vector<double> all_x() const {
    std::vector<double> values;
    for (const Line& line : lines_.lines)
      for (const LinePoint& point : line.points) values.push_back(point.x);
    for (const Roof& roof : lines_.roofs)
      for (const auto& [x, y] : roof.points) values.push_back(x);
    return values;
  }

  std::vector<double> all_y() const {
    std::vector<double> values;
    for (const Line& line : lines_.lines)
      for (const LinePoint& point : line.points) values.insert(values.end(), {point.low, point.y, point.high});
    for (const Roof& roof : lines_.roofs)
      for (const auto& [x, y] : roof.points) values.push_back(y);
    return values;
  }

  void lay_out() {
    const float legend = painter_.legend(lines_.legend, {0, 0}, painter_.canvas().width, true);
    y_ = limited(around(lines_.y_scale, all_y()), lines_.zoom.y);
    const Unit y_unit = unit_for(y_.high, lines_.y_name);
    // The legend begins at the right of the y axis's title.
    const float title = painter_.width(y_unit.name) + 16;
    const float top =
        std::max(painter_.line(), painter_.legend(lines_.legend, {title, 0}, painter_.canvas().width - title, true));
    if (legend > 0) painter_.legend(lines_.legend, {title, 0}, painter_.canvas().width - title);
    const float bottom = painter_.canvas().height - painter_.line() - 2;
    y_.begin = bottom, y_.end = top + 6;
    const float left = painter_.y_labels_width(y_, y_unit);
    area_ = plot_area(left, top + 6, painter_.canvas().width - painter_.width(lines_.x_title) - kBesideArea, bottom);
    x_ = around(lines_.x_scale, all_x());
    if (lines_.x_range) x_.low = lines_.x_range->first, x_.high = lines_.x_range->second;
    x_ = limited(x_, lines_.zoom.x);
    x_.begin = area_.x, x_.end = area_.right();
    painter_.y_axis(y_, area_, y_unit);
    painter_.label({0, painter_.line() / 2}, y_unit.name, {Ink::Faint});
    if (lines_.x_values.empty())
      painter_.x_axis(x_, area_, {1, ""}, lines_.x_title);
    else
      painter_.x_axis_at(x_, area_, lines_.x_values, lines_.x_title);
  }

  bool shows(double x, double y) const { return x_.shows(x) && y_.shows(y); }

  void draw_current() {
    if (!x_.shows(*lines_.current)) return;
    const float x = x_.at(*lines_.current);
    painter_.plot.picture.add(Polyline{{{x, area_.y}, {x, area_.bottom()}}, {Ink::Accent, 0.7f}, 1.5f});
  }

  /// The part of the straight line (on the axes' scales) that lies in the area.
  void draw_roof(const Roof& roof) {
    Point from{x_.at(roof.points[0].first), y_.at(roof.points[0].second)};
    Point to{x_.at(roof.points[1].first), y_.at(roof.points[1].second)};
    if (!clip(from, to)) return;
    painter_.plot.picture.add(Polyline{{from, to}, {Ink::Text, 0.8f}, 1.5f});
    const bool level = std::abs(from.y - to.y) < 1;
    const float wide = painter_.width(roof.name);
    const float y_at_end = from.y + (to.y - from.y) * std::min(1.0f, (wide + 6) / std::max(1.0f, to.x - from.x));
    const Box box{from.x + 6, level || roof.below ? from.y + 4 : y_at_end - painter_.text_size() - 3, wide,
                  painter_.text_size()};
    labels_.push_back(box);
    painter_.label({box.x, box.y}, roof.name, {Ink::Faint}, Align::Begin, Align::Begin);
  }

  bool clip(Point& from, Point& to) const {
    const auto cut = [&](Point& inside_out, const Point& other, float left, float right, float top, float bottom) {
      const auto move = [&](float part) {
        inside_out = {inside_out.x + (other.x - inside_out.x) * part, inside_out.y + (other.y - inside_out.y) * part};
      };
      if (inside_out.x < left && other.x > left) move((left - inside_out.x) / (other.x - inside_out.x));
      if (inside_out.x > right && other.x < right) move((right - inside_out.x) / (other.x - inside_out.x));
      if (inside_out.y < top && other.y > top) move((top - inside_out.y) / (other.y - inside_out.y));
      if (inside_out.y > bottom && other.y < bottom) move((bottom - inside_out.y) / (other.y - inside_out.y));
    };
    cut(from, to, area_.x, area_.right(), area_.y, area_.bottom());
    cut(to, from, area_.x, area_.right(), area_.y, area_.bottom());
    const auto inside = [&](Point p) {
      return p.x >= area_.x - 1 && p.x <= area_.right() + 1 && p.y >= area_.y - 1 && p.y <= area_.bottom() + 1;
    };
    return inside(from) && inside(to);
  }

  void draw_line(const Line& line) {
    if (!line.joined) return;
    for (size_t i = 1; i < line.points.size(); ++i) {
      Point from{x_.at(line.points[i - 1].x), y_.at(line.points[i - 1].y)};
      Point to{x_.at(line.points[i].x), y_.at(line.points[i].y)};
      if (clip(from, to)) painter_.plot.picture.add(Polyline{{from, to}, {line.look.ink, 0.6f * line.strength}, 1.5f});
    }
  }

  void draw_points(const Line& line) {
    for (const LinePoint& point : line.points) {
      if (!shows(point.x, point.y)) continue;
      const Point at{x_.at(point.x), y_.at(point.y)};
      painter_.whisker(y_, at.x, std::max(point.low, y_.low), std::min(point.high, y_.high),
                       {line.look.ink, line.strength});
      painter_.marker(at, line.look.marker, {line.look.ink, line.strength}, point.current ? kPoint + 3 : kPoint);
      if (point.current) painter_.marker(at, Marker::Ring, {Ink::Accent}, kPoint + 8);
      labels_.push_back({at.x - kPoint / 2, at.y - kPoint / 2, kPoint, kPoint});
      painter_.spot(
          {{at.x - kReach, at.y - kReach, 2 * kReach, 2 * kReach}, point.title, point.lines, point.go, point.size});
    }
  }

  void draw_labels(const Line& line) {
    for (const LinePoint& point : line.points)
      if (shows(point.x, point.y)) draw_label(point, {x_.at(point.x), y_.at(point.y)});
  }

  /// Beside the point, on the side where there is room and no other label.
  void draw_label(const LinePoint& point, Point at) {
    if (point.label.empty()) return;
    const float wide = painter_.width(point.label), tall = painter_.text_size();
    const float off = point.current ? 11 : 7;
    for (const auto& [dx, dy] : {std::pair{off, -tall / 2},
                                 {-off - wide, -tall / 2},
                                 {-wide / 2, -tall - off},
                                 {-wide / 2, off},
                                 {off, -tall - 3},
                                 {off, 3.0f},
                                 {-off - wide, -tall - 3},
                                 {-off - wide, 3.0f}}) {
      const Box box{at.x + dx, at.y + dy, wide, tall};
      const bool meets = std::any_of(labels_.begin(), labels_.end(), [&](const Box& other) {
        return box.x < other.right() && other.x < box.right() && box.y < other.bottom() && other.y < box.bottom();
      });
      if (meets || box.right() > painter_.canvas().width || box.x < area_.x || box.y < area_.y) continue;
      labels_.push_back(box);
      return painter_.label({box.x, box.y}, point.label, {point.current ? Ink::Accent : Ink::Text}, Align::Begin,
                            Align::Begin, point.current ? Font::Bold : Font::Text);
    }
  }

  const LinePlot& lines_;
  PlotPainter painter_;
  Axis x_, y_;
  Box area_;
  std::vector<Box> labels_;
};

LinePoint point_with(const statistics::Quartiles& seconds, double flops, Quantity quantity, double x) {
  LinePoint point;
  point.x = x;
  if (quantity == Quantity::Time)
    point.low = seconds.low, point.y = seconds.median, point.high = seconds.high;
  else
    point.low = flops / seconds.high, point.y = flops / seconds.median, point.high = flops / seconds.low;
  return point;
}

double flops_of(const store::Measurement& figure) {
  return 2.0 * static_cast<double>(figure.subject.m) * static_cast<double>(figure.subject.n) *
         static_cast<double>(figure.subject.k);
}

}  // namespace

Plot draw_lines(const LinePlot& plot, const Canvas& canvas) { return LinesPainter(plot, canvas).make(); }

LinePoint point_of(const store::Measurement& figure, Quantity quantity, double x) {
  LinePoint point = point_with(figure.seconds, flops_of(figure), quantity, x);
  point.lines = figure_lines(figure);
  return point;
}

LinePoint reference_point_of(const store::Measurement& figure, Quantity quantity, double x) {
  LinePoint point = point_with(figure.reference->seconds, flops_of(figure), quantity, x);
  point.title = fmt::format("cuBLAS, {}³", figure.subject.m);
  point.lines = reference_lines(figure);
  return point;
}

}  // namespace tilescope::view
