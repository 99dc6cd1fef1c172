#include "view/strip/strip_parts.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include <fmt/format.h>

#include "base/words.h"
#include "view/access_words.h"

namespace tilescope::view {
namespace {
using session::Target;
using trace::kLanes;

constexpr float kApart = 3;           ///< Between two numbers side by side.
constexpr float kMostGutter = 0.26f;  ///< Of the width.

float gutter_width(const Canvas& canvas, float small) {
  const auto width = [&](const std::string& words) { return canvas.measure->width(words, Font::Text, small); };
  const float widest =
      std::max(width(tr_format("quarter warp {} of {}", 4, 4)), width(tr_format("half warp {} of {}", 2, 2)));
  return std::round(widest + 3.2f * small);
}

/// Small enough for the gutter, too.
float small_text(const Canvas& canvas) {
  const float small = std::min(canvas.text * 0.78f, canvas.height / 7), gutter = gutter_width(canvas, small);
  return std::max(kLeastWords, small * std::min(1.0f, kMostGutter * canvas.width / gutter));
}

/// Leaves and arrives upright.
std::vector<Point> curve(Point from, Point to) {
  if (std::abs(from.x - to.x) < 0.5f) return {from, to};
  constexpr int kParts = 12;
  std::vector<Point> points;
  for (int i = 0; i <= kParts; ++i) {
    const float t = static_cast<float>(i) / kParts, eased = t * t * (3 - 2 * t);
    points.push_back({from.x + (to.x - from.x) * eased, from.y + (to.y - from.y) * t});
  }
  return points;
}

}  // namespace

Strip::Strip(const Focus& of, const Canvas& on)
    : focus(of),
      canvas(on),
      lit_bytes(bytes_of_element(*of.traced, of.lit())),
      small(small_text(on)),
      gutter(gutter_width(on, small)),
      cell(std::max(2.0f, (on.width - gutter - 8) / kLanes)) {
  picture.width = canvas.width;
  picture.height = canvas.height;
}

Box Strip::lane_box(const Band& lanes, uint32_t lane) const {
  return {gutter + cell * static_cast<float>(lane) + 1, lanes.top, cell - 2, lanes.height};
}

float Strip::width(const std::string& words, Font font, float size) const {
  return canvas.measure->width(words, font, size);
}

bool Strip::lit_lane(uint32_t lane) const { return focus.lit() == lane_target(focus, lane); }

bool Strip::lit_lanes(uint32_t lanes) const {
  for (; lanes; lanes &= lanes - 1)
    if (lit_lane(lowest(lanes))) return true;
  return false;
}

uint32_t Strip::number_step(float cell_width) const {
  uint32_t step = 1;
  while (step < 16 && cell_width * static_cast<float>(step) < width("30", Font::Mono, small) + kApart) step *= 2;
  return step;
}

void Strip::text(Point at, const std::string& words, Colour colour, float size, Align horizontal, Align vertical,
                 Font font) {
  picture.add(Label{at, words, colour, font, size, horizontal, vertical});
}

void Strip::gutter_text(float y, const std::string& words, Ink ink, Font font, const char* explains) {
  text({gutter - 8, y}, words, {ink}, small, Align::End, Align::Centre, font);
  const float wide = canvas.measure->width(words, font, small);
  if (explains)
    make_hot({gutter - 8 - wide, y - small * 0.6f, wide, small * 1.2f},
             {session::Target::Kind::Word, Space::None, explains, 0, 0});
}

void Strip::outline(const Box& box, Ink ink, float stroke) {
  picture.add(Rectangle{box, {Ink::Panel, 0}, {ink}, stroke, 2});
}

void Strip::make_hot(const Box& box, Target target) {
  if (target) picture.add(box, std::move(target));
}

void Strip::draw_lanes(const Band& lanes, uint32_t full, uint32_t active) {
  const bool one = std::has_single_bit(full);  // Lane 0's colour by itself is hardly visible.
  for (uint32_t lane = 0; lane < kLanes; ++lane) {
    const Box box = lane_box(lanes, lane);
    const bool takes_part = has_lane(active, lane);
    if (has_lane(full, lane))
      picture.add(Rectangle{box, lane_colour(lane), one ? Colour{Ink::Text} : Colour{Ink::Line, 0}, 1, 2});
    else
      picture.add(
          Rectangle{box, lane_colour(lane, takes_part ? 0.22f : 0), {takes_part ? Ink::Text : Ink::Line}, 1, 2});
    if (lit_lane(lane)) outline(box);
    make_hot(box, lane_target(focus, lane));
  }
}

void Strip::number_lanes(const Band& lanes, uint32_t full, uint32_t active) {
  const float widest = width("30", Font::Mono, small);
  const float fitting = small * std::min(1.0f, (cell - kApart) / widest);
  const bool all = fitting >= kLeastWords;
  const uint32_t step = all ? 1 : number_step(cell);
  const float size = all ? fitting : std::max(small * std::min(1.0f, (cell - 1) / widest), kLeastWords);
  for (uint32_t lane = 0; lane < kLanes; lane += step) {
    const bool is_full = has_lane(full, lane);
    const Colour ink = is_full ? on_lane(lane) : Colour{has_lane(active, lane) ? Ink::Text : Ink::Faint};
    const Box box = lane_box(lanes, lane);
    // A number wider than its lane is on the lane's colour, not on its neighbours'.
    const float wide = width("30", Font::Mono, size) + 2;
    if (is_full && !all && wide > box.width)
      picture.add(Rectangle{{box.centre().x - wide / 2, box.y, wide, box.height}, lane_colour(lane), kNoColour, 0, 2});
    else if (!has_lane(active, lane) && !all && wide > box.width)  // Nor on their outlines.
      picture.add(Rectangle{{box.centre().x - wide / 2, box.y + 1, wide, box.height - 2}, {Ink::Window}});
    text(box.centre(), fmt::format("{}", lane), ink, size, Align::Centre, Align::Centre, Font::Mono);
  }
}

void Strip::link(Point from, Point to, uint32_t lane, bool lit) {
  Polyline line{curve(from, to), {Ink::Faint, 0.45f}, 2.4f};
  picture.add(line);
  line.colour = lit ? Colour{Ink::Hover} : lane_colour(lane);
  line.width = lit ? 2.4f : 1.2f;
  picture.add(std::move(line));
}

Target lane_target(const Focus& focus, uint32_t lane) {
  Target target;
  target.kind = Target::Kind::Lane;
  target.warp = focus.cursor.warp;
  target.index = lane;
  return target;
}

Target sector_target(uint64_t address) {
  Target target;
  target.kind = Target::Kind::Sector;
  target.space = Space::Global;
  target.index = address;
  return target;
}

Target element_target(const run::TracedBlock& traced, Space space, uint64_t address) {
  const run::TracedArray* array = traced.accesses.find(space, address);
  if (!array) return {};
  return {Target::Kind::Element, space, array->allocation.name, array->index_of(address), 0};
}

}  // namespace tilescope::view
