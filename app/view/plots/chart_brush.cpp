#include "view/plots/chart_brush.h"

#include <algorithm>
#include <cmath>

namespace tilescope::view {
namespace {

constexpr float kSwatch = 9, kSwatchGap = 6, kKindGap = 5, kEntryGap = 18;

std::vector<Point> circle(Point centre, float radius) {
  constexpr int kCorners = 16;
  std::vector<Point> points;
  for (int i = 0; i <= kCorners; ++i) {
    const float angle = 6.2831853f * static_cast<float>(i) / kCorners;
    points.push_back({centre.x + radius * std::cos(angle), centre.y + radius * std::sin(angle)});
  }
  return points;
}

float swatch_of(const LegendEntry& entry) { return entry.look.marker == Marker::None ? 0 : kSwatch + kSwatchGap; }

const std::string& text_of(const LegendEntry& entry, bool brief) {
  return brief && !entry.short_text.empty() ? entry.short_text : entry.text;
}

}  // namespace

Box box_between(float left, float top, float right, float bottom) {
  return {left, top, std::max(1.0f, right - left), std::max(1.0f, bottom - top)};
}

float Brush::width_of(const LegendEntry& entry, bool brief) const {
  const std::string& words = text_of(entry, brief);
  return swatch_of(entry) + width_of(entry.kind) + (words.empty() ? 0 : kKindGap + width_of(words));
}

void Brush::marker(Point at, Marker marker, Colour colour, float size) {
  const float half = size / 2, reach = half * 1.2f;
  const Box box{at.x - half, at.y - half, size, size};
  switch (marker) {
    case Marker::Disc: return add(Rectangle{box, colour, kNoColour, 1, half});
    case Marker::Square: return add(Rectangle{box, colour});
    case Marker::Frame: return add(Rectangle{box, kNoColour, colour});
    case Marker::Ring: return add(Polyline{circle(at, half), colour, 1.5f});
    case Marker::Triangle:
      return add(Polyline{
          {{at.x, at.y - reach}, {at.x + reach, at.y + half}, {at.x - reach, at.y + half}, {at.x, at.y - reach}},
          colour,
          1.5f});
    case Marker::None: return;
    case Marker::Tick: return line_through({at.x, at.y - half}, {at.x, at.y + half}, colour, 2);
    case Marker::Diamond: {
      const Point top{at.x, at.y - reach};
      return add(Polyline{{top, {at.x + reach, at.y}, {at.x, at.y + reach}, {at.x - reach, at.y}, top}, colour, 1.5f});
    }
  }
}

void Brush::whisker(Point from, Point to, Colour colour) {
  if (std::max(std::abs(to.x - from.x), std::abs(to.y - from.y)) < 2.5f) return;
  const Point cap = from.x == to.x ? Point{3, 0} : Point{0, 3};
  line_through(from, to, colour, 1.5f);
  for (const Point at : {from, to})
    line_through({at.x - cap.x, at.y - cap.y}, {at.x + cap.x, at.y + cap.y}, colour, 1.5f);
}

float Brush::legend(const std::vector<LegendEntry>& entries, Point corner, float room, bool brief, bool measure_only) {
  float x = 0, y = 0;
  for (const LegendEntry& entry : entries) {
    const float wide = width_of(entry, brief);
    if (x > 0 && x + wide > room) {
      x = 0;
      y += line();
    }
    const Point at{corner.x + x, corner.y + y + line() / 2};
    x += wide + kEntryGap;
    if (measure_only) continue;
    marker({at.x + kSwatch / 2, at.y}, entry.look.marker, {entry.look.ink}, kSwatch - 1);
    const float kind = at.x + swatch_of(entry), left = kind + width_of(entry.kind) + kKindGap;
    label({kind, at.y}, entry.kind, {entry.look.ink});
    label_in(corner.x + room - left + 1, {left, at.y}, text_of(entry, brief), {Ink::Text});
  }
  return entries.empty() ? 0 : y + line();
}

void Brush::x_ticks(const Axis& axis, const Box& area, double unit, const std::vector<double>& values,
                    LabelPlacer& placer) {
  const auto room = [&](const std::string& words) { return width_of(words) + kTickGap; };
  const float y = area.bottom() + text * 0.8f;
  for (const Tick& tick : values.empty() ? ticks(axis, unit, room) : ticks_at(axis, values, room)) {
    const float x = axis.at(tick.value), half = width_of(tick.text) / 2;
    line_through({x, area.y}, {x, area.bottom()}, {Ink::Line});
    placer.place({{label_at({std::max(x, half), y}, tick.text, {Ink::Faint}, Align::Centre)}}, plot.picture);
  }
}

}  // namespace tilescope::view
