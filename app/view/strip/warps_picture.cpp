#include "view/strip/warps_picture.h"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "base/words.h"
#include "view/access_words.h"
#include "view/stage/stage_frame.h"
#include "view/timeline/timeline_picture.h"
#include "view/words.h"

namespace tilescope::view {
namespace {
using analysis::StepKind;
using analysis::Timeline;
using session::Target;
using session::WarpOrder;

constexpr float kToCome = 0.28f;  // Strength of instructions not yet issued by the warp.
constexpr float kWordsPart = 0.34f, kLeastBeside = 90;
constexpr float kLine = 1.15f;  // From one line of words to the next, of their height.

/// The layout.
struct Rows {
  Rows(const Focus& focus, const Canvas& canvas);

  Box plot;
  float text = 0, pitch = 0, bar = 0;
  uint32_t interval = 0, slots = 1;

  float top_of(uint32_t warp) const { return plot.y + static_cast<float>(warp) * pitch; }
  float x_of(uint32_t steps) const {
    return plot.x + plot.width * static_cast<float>(steps) / static_cast<float>(slots);
  }
};

Rows::Rows(const Focus& focus, const Canvas& canvas) {
  const Timeline& timeline = focus.traced->timeline;
  interval = timeline.interval(focus.cursor);
  const uint32_t first = timeline.first_slot(interval);
  slots = (timeline.ends_at_barrier(interval) ? timeline.first_slot(interval + 1) : timeline.slots()) - first;
  text = std::max(kLeastWords, std::min(canvas.text * 0.86f, canvas.height / 4));
  const float names = std::round(canvas.measure->width(tr_format("warp {}", 31), Font::Mono, text) + 14);
  const float words = std::max(kLeastBeside, canvas.width * kWordsPart), head = text * 1.3f;
  plot = {names, head, std::max(1.0f, canvas.width - names - words), std::max(1.0f, canvas.height - head - 2)};
  pitch = std::min(plot.height / static_cast<float>(timeline.warps()), text * 2);
  bar = pitch * (pitch < 5 ? 0.85f : 0.66f);
  plot.height = pitch * static_cast<float>(timeline.warps()) - (pitch - bar);
}

/// The most frequent kind of the instructions [from, to) of a warp, except Other.
StepKind kind_of_most(const Timeline& timeline, uint32_t warp, uint32_t from, uint32_t to) {
  std::array<uint32_t, analysis::kStepKinds> counts{};
  for (uint32_t step = from; step < to; ++step) ++counts[static_cast<size_t>(timeline.kind({warp, step}))];
  const auto most = std::max_element(counts.begin() + 1, counts.end());
  return *most ? static_cast<StepKind>(most - counts.begin()) : StepKind::Other;
}

void draw_track(const Focus& focus, const Rows& rows, const WarpPlaces& places, uint32_t warp, Picture& picture) {
  const Timeline& timeline = focus.traced->timeline;
  const auto [begin, end] = timeline.steps_in(warp, rows.interval);
  if (begin == end) return;
  const float width = rows.x_of(end - begin) - rows.plot.x;
  const uint32_t count = std::max(1u, std::min(end - begin, static_cast<uint32_t>(width)));
  Cells cells{{rows.plot.x, rows.top_of(warp), width, rows.bar}, 1, count, 0, {}};
  cells.gap = width / static_cast<float>(count) >= 4 ? 1.0f : 0.0f;
  for (uint32_t cell = 0; cell < count; ++cell) {
    const auto step_of = [&](uint64_t number) { return begin + static_cast<uint32_t>(number * (end - begin) / count); };
    const uint32_t from = step_of(cell), to = step_of(uint64_t{cell} + 1);
    const float strength = places.has_executed({warp, from}) ? 1 : kToCome;
    cells.colours.push_back({ink_of(kind_of_most(timeline, warp, from, to)), strength});
  }
  picture.add(std::move(cells));
}

/// The barriers around the interval; nullopt at the ends of the run.
void draw_barriers(const Focus& focus, const Canvas& canvas, const Rows& rows, Picture& picture) {
  const auto draw = [&](float x, Align align) {
    picture.add(Rectangle{{x - 1, rows.plot.y - 3, 3, rows.plot.height + 6}, {Ink::Barrier}});
    const float y = (rows.plot.y - 3) / 2;
    picture.add(Label{{x, y}, tr("barrier"), {Ink::Faint}, Font::Text, rows.text, align, Align::Centre});
  };
  const float name = canvas.measure->width(tr("barrier"), Font::Text, rows.text);
  if (rows.interval > 0) draw(rows.plot.x - 3, rows.plot.width > 3 * name ? Align::Begin : Align::Centre);
  if (focus.traced->timeline.ends_at_barrier(rows.interval)) draw(rows.plot.right() + 2, Align::Centre);
}

std::string words_of(const Focus& focus, const WarpPlaces& places, uint32_t warp) {
  switch (state_of(focus, places, warp)) {
    case WarpState::Waits: return tr("waits");
    case WarpState::Released: return places.executed[warp] > 0 ? tr("is past the barrier") : tr("has yet to begin");
    case WarpState::Ended: return tr("has ended");
    case WarpState::Runs: break;
  }
  const InstructionWords words = redacted(words_at(*focus.traced, {warp, places.executed[warp] - 1}), focus.hidden);
  return words.elements.empty() ? words.opcode : words.opcode + " " + words.elements;
}

/// A bead at the warp's place, in its hue.
void draw_place(const Focus& focus, const Rows& rows, const WarpPlaces& places, uint32_t warp, Picture& picture) {
  const auto [begin, end] = focus.traced->timeline.steps_in(warp, rows.interval);
  const uint32_t done = std::clamp(places.executed[warp], begin, end) - begin;
  const bool here = warp == focus.cursor.warp;
  const float radius = std::clamp(rows.pitch * 0.45f, here ? 3.0f : 1.0f, 8.0f);
  const Point at{rows.x_of(done), rows.top_of(warp) + rows.bar / 2};
  picture.add(Rectangle{{at.x - radius, at.y - radius, 2 * radius, 2 * radius},
                        warp_colour(warp),
                        here         ? Colour{Ink::Accent}
                        : radius > 3 ? Colour{Ink::Window}
                                     : kNoColour,
                        here ? std::min(2.5f, radius / 2) : 1.5f,
                        radius});
}

}  // namespace

Picture warps_picture(const Focus& focus, const Canvas& canvas) {
  Picture picture;
  picture.width = canvas.width;
  picture.height = canvas.height;
  const Timeline& timeline = focus.traced->timeline;
  const Rows rows(focus, canvas);
  const WarpPlaces places = warp_places(focus);
  const auto every = std::max(1u, static_cast<uint32_t>(std::ceil(kLine * rows.text / rows.pitch)));
  const float beside = rows.plot.right() + 14, room = canvas.width - beside;
  for (uint32_t warp = 0; warp < timeline.warps(); ++warp) {
    draw_track(focus, rows, places, warp, picture);
    Target target;
    target.kind = Target::Kind::Warp;
    target.warp = warp;
    picture.add(Box{0, rows.top_of(warp), canvas.width, rows.pitch}, target);
    const uint32_t here = focus.cursor.warp, apart = warp > here ? warp - here : here - warp;
    if (warp != here && (warp % every != 0 || apart < every)) continue;
    const float lowest = canvas.height - kLine * rows.text / 2;
    if (warp != here && rows.top_of(warp) + rows.bar / 2 > lowest) continue;
    const Ink ink = warp == here ? Ink::Accent : focus.lit() == target ? Ink::Hover : Ink::Text;
    const float middle = std::min(rows.top_of(warp) + rows.bar / 2, lowest);
    picture.add(Label{{rows.plot.x - 12, middle},
                      tr_format("warp {}", warp),
                      {ink},
                      Font::Mono,
                      rows.text,
                      Align::End,
                      Align::Centre});
    const std::string words = shortened(*canvas.measure, words_of(focus, places, warp), Font::Text, rows.text, room);
    picture.add(Label{{beside, middle}, words, {ink}, Font::Text, rows.text, Align::Begin, Align::Centre});
  }
  draw_barriers(focus, canvas, rows, picture);
  for (uint32_t warp = 0; warp < timeline.warps(); ++warp)
    if (timeline.steps(warp) > 0) draw_place(focus, rows, places, warp, picture);
  return picture;
}

namespace {

/// What is wrong, of the first array and the first kind.
std::string wrong_words(const std::vector<OutOfOrder>& wrong) {
  const OutOfOrder& first = wrong.front();
  std::vector<uint64_t> elements;
  for (const OutOfOrder& each : wrong)
    if (each.array == first.array && each.kind == first.kind) elements.push_back(each.index);
  const std::string what = first.array->allocation.name + elements_text(*first.array, elements);
  switch (first.kind) {
    case OutOfOrder::Kind::NotYetWritten: return tr_format("Reads {} before warp {} has written it.", what, first.warp);
    case OutOfOrder::Kind::Overwritten:
      return tr_format("Reads {} after warp {} has overwritten it.", what, first.warp);
    case OutOfOrder::Kind::StillNeeded: return tr_format("Overwrites {} before warp {} has read it.", what, first.warp);
    case OutOfOrder::Kind::ReadBefore: return tr_format("Writes {} after warp {} has read it.", what, first.warp);
  }
  return {};
}

}  // namespace

WarpsWords warps_words(const Focus& focus) {
  const WarpPlaces places = warp_places(focus);
  if (!focus.hidden.has(session::Fact::Findings))
    if (const auto wrong = out_of_order(focus, places); !wrong.empty()) return {wrong_words(wrong), true};
  const uint32_t warps = focus.traced->timeline.warps(), warp = focus.cursor.warp;
  uint32_t waiting = 0;
  for (uint32_t each = 0; each < warps; ++each) waiting += state_of(focus, places, each) == WarpState::Waits;
  if (waiting == warps) return {tr("All have arrived at the barrier, so all continue.")};
  if (state_of(focus, places, warp) == WarpState::Waits)
    return {tr_format("Warp {} has arrived and waits until all others have.", warp)};
  if (waiting > 0)
    return {tr_format("{} at the barrier for warp {}.", plural(waiting, "{} warp waits", "{} warps wait"), warp)};
  switch (focus.order) {
    case WarpOrder::InStep: return {tr("In step, as in the timeline. Only barriers keep warps together.")};
    case WarpOrder::Ahead:
      if (focus.traced->timeline.interval(focus.cursor) > 0)
        return {tr_format("Warp {} runs ahead: the others are just past the barrier.", warp)};
      return {tr_format("Warp {} runs ahead: the others have yet to begin.", warp)};
    case WarpOrder::Behind: return {tr_format("Warp {} is the last: the others have ended.", warp)};
  }
  return {};
}

}  // namespace tilescope::view
