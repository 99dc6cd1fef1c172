#include "view/plot.h"

#include <algorithm>
#include <cmath>

#include "view/line_break.h"

namespace tilescope::view {
namespace {

constexpr float kSwatch = 9, kSwatchGap = 6, kKindGap = 5, kEntryGap = 18;
constexpr float kLabelGap = 14;  ///< Between labels of one axis.
constexpr int kCorners = 16;

std::vector<Point> circle(Point centre, float radius) {
  std::vector<Point> points;
  for (int i = 0; i <= kCorners; ++i) {
    const float angle = 6.2831853f * static_cast<float>(i) / kCorners;
    points.push_back({centre.x + radius * std::cos(angle), centre.y + radius * std::sin(angle)});
  }
  return points;
}

float distance(const Box& box, Point point) {
  const Point centre = box.centre();
  return std::hypot(centre.x - point.x, centre.y - point.y);
}

std::string without_end_blank(const std::string& text) {
  return text.ends_with(' ') ? text.substr(0, text.size() - 1) : text;
}

}  // namespace

const PlotSpot* spot_at(const Plot& plot, Point point) {
  const PlotSpot* nearest = nullptr;
  for (const PlotSpot& spot : plot.spots)
    if (spot.box.contains(point) && (!nearest || distance(spot.box, point) <= distance(nearest->box, point)))
      nearest = &spot;
  return nearest;
}

Axis limited(Axis axis, const std::optional<std::pair<double, double>>& range) {
  if (range && range->first < range->second) axis.low = range->first, axis.high = range->second;
  return axis;
}

SeriesLook look_of(store::Provenance provenance) {
  switch (provenance) {
    case store::Provenance::Measured: return {Ink::ArrayA, Marker::Disc};
    case store::Provenance::Recorded: return {Ink::ArrayB, Marker::Square};
    case store::Provenance::Published: return {Ink::ArrayOther, Marker::Diamond};
  }
  return {};
}

SeriesLook cublas_look_of(store::Provenance provenance) {
  return {Ink::Faint, provenance == store::Provenance::Measured ? Marker::Ring : Marker::Frame};
}

Box plot_area(float left, float top, float right, float bottom) {
  return {left, top, std::max(1.0f, right - left), std::max(1.0f, bottom - top)};
}

PlotPainter::PlotPainter(const Canvas& canvas) : canvas_(canvas), text_(std::round(canvas.text * 0.9f)) {
  plot.picture.width = canvas.width;
  plot.picture.height = canvas.height;
}

float PlotPainter::width(const std::string& text, Font font) const { return canvas_.measure->width(text, font, text_); }

void PlotPainter::label(Point at, std::string text, Colour colour, Align horizontal, Align vertical, Font font) {
  if (text.empty()) return;
  plot.picture.add(Label{at, std::move(text), colour, font, text_, horizontal, vertical});
}

std::string PlotPainter::shortened(const std::string& text, float room, Font font) const {
  return view::shortened(*canvas_.measure, text, font, text_, room);
}

void PlotPainter::marker(Point at, Marker marker, Colour colour, float size) {
  const float half = size / 2;
  const Box box{at.x - half, at.y - half, size, size};
  switch (marker) {
    case Marker::Disc: return plot.picture.add(Rectangle{box, colour, kNoColour, 1, half});
    case Marker::Square: return plot.picture.add(Rectangle{box, colour});
    case Marker::Ring: return plot.picture.add(Polyline{circle(at, half), colour, 1.5f});
    case Marker::Diamond: {
      const float reach = half * 1.2f;
      return plot.picture.add(Polyline{{{at.x, at.y - reach},
                                        {at.x + reach, at.y},
                                        {at.x, at.y + reach},
                                        {at.x - reach, at.y},
                                        {at.x, at.y - reach}},
                                       colour,
                                       1.5f});
    }
    case Marker::Frame: return plot.picture.add(Rectangle{box, kNoColour, colour});
  }
}

void PlotPainter::whisker(const Axis& y, float x, double low, double high, Colour colour) {
  const float top = y.at(high), bottom = y.at(low);
  if (bottom - top < 1.5f) return;
  plot.picture.add(Polyline{{{x, top}, {x, bottom}}, colour, 1.5f});
  for (const float at : {top, bottom}) plot.picture.add(Polyline{{{x - 3, at}, {x + 3, at}}, colour, 1.5f});
}

void PlotPainter::whisker_across(const Axis& x, double low, double high, float y, Colour colour) {
  const float left = x.at(low), right = x.at(high);
  if (right - left < 2.5f) return;
  plot.picture.add(Polyline{{{left, y}, {right, y}}, colour, 1.5f});
  for (const float at : {left, right}) plot.picture.add(Polyline{{{at, y - 2.5f}, {at, y + 2.5f}}, colour, 1.5f});
}

void PlotPainter::x_axis(const Axis& axis, const Box& area, const Unit& unit, const std::string& title) {
  const auto room = [&](const std::string& text) { return width(text) + kLabelGap; };
  draw_x_ticks(axis, area, ticks(axis, unit.factor, room), title);
}

void PlotPainter::x_axis_at(const Axis& axis, const Box& area, const std::vector<double>& values,
                            const std::string& title) {
  draw_x_ticks(axis, area, ticks_at(axis, values, [&](const std::string& text) { return width(text) + kLabelGap; }),
               title);
}

void PlotPainter::draw_x_ticks(const Axis& axis, const Box& area, const std::vector<Tick>& all,
                               const std::string& title) {
  const float y = area.bottom() + text_ * 0.8f, title_left = canvas_.width - width(title);
  for (const Tick& tick : all) {
    const float x = axis.at(tick.value), half = width(tick.text) / 2;
    plot.picture.add(Polyline{{{x, area.y}, {x, area.bottom()}}, {Ink::Line}});
    const bool meets_title = !title.empty() && x + half + kLabelGap / 2 > title_left;
    if (!meets_title && x + half <= canvas_.width)
      label({std::max(x, half), y}, tick.text, {Ink::Faint}, Align::Centre);
  }
  label({canvas_.width, y}, title, {Ink::Text}, Align::End);
}

void PlotPainter::y_axis(const Axis& axis, const Box& area, const Unit& unit) {
  for (const Tick& tick : ticks(axis, unit.factor, [&](const std::string&) { return line() * 1.2f; })) {
    const float y = axis.at(tick.value);
    plot.picture.add(Polyline{{{area.x, y}, {area.right(), y}}, {Ink::Line}});
    label({area.x - 8, y}, tick.text, {Ink::Faint}, Align::End);
  }
}

float PlotPainter::y_labels_width(const Axis& axis, const Unit& unit) const {
  float widest = 0;
  for (const Tick& tick : ticks(axis, unit.factor, [&](const std::string&) { return line() * 1.2f; }))
    widest = std::max(widest, width(tick.text));
  return widest + 8;
}

float PlotPainter::legend_width(const LegendEntry& entry) const {
  return kSwatch + kSwatchGap + width(entry.kind) + (entry.text.empty() ? 0 : kKindGap + width(entry.text));
}

float PlotPainter::legend(const std::vector<LegendEntry>& entries, Point left_top, float room, bool measure_only) {
  float x = 0, y = 0;
  for (const LegendEntry& entry : entries) {
    const float wide = legend_width(entry);
    if (x > 0 && x + wide > room) x = 0, y += line();
    const Point at{left_top.x + x, left_top.y + y + line() / 2};
    x += wide + kEntryGap;
    if (measure_only) continue;
    marker({at.x + kSwatch / 2, at.y}, entry.look.marker, {entry.look.ink}, kSwatch - 1);
    label({at.x + kSwatch + kSwatchGap, at.y}, entry.kind, {entry.look.ink});
    const float text_left = at.x + kSwatch + kSwatchGap + width(entry.kind) + kKindGap;
    label({text_left, at.y}, shortened(entry.text, left_top.x + room - text_left + 1), {Ink::Text});
  }
  return entries.empty() ? 0 : y + line();
}

void PlotPainter::sentence(const std::string& text) {
  std::vector<std::string> lines{""};
  for (const std::string& piece : pieces_of(text)) {
    const std::string longer = lines.back() + piece;
    if (!lines.back().empty() && width(without_end_blank(longer)) > canvas_.width - 16)
      lines.push_back(piece);
    else
      lines.back() = longer;
  }
  float y = (canvas_.height - line() * static_cast<float>(lines.size() - 1)) / 2;
  for (const std::string& one : lines) {
    label({canvas_.width / 2, y}, without_end_blank(one), {Ink::Faint}, Align::Centre);
    y += line();
  }
}

}  // namespace tilescope::view
