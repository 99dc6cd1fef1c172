#include "view/timeline/clock_picture.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numeric>
#include <utility>

#include <fmt/format.h>

#include "arch/arch.h"
#include "base/text.h"
#include "base/words.h"
#include "clock/warp_slots.h"
#include "view/label_placer.h"
#include "view/timeline/clock_words.h"
#include "view/timeline/timeline_picture.h"

namespace tilescope::view {
namespace {
using analysis::StepKind;
using clock::Recording;
using clock::Stall;
using session::ClockPlace;
using session::ClockRun;

constexpr int32_t kFewestClocks = 24, kOpening = 1200;
constexpr float kToWord = 5, kToNextEntry = 14;  ///< In the legend.

float line_of(float text) { return text * 1.35f; }
float swatch_of(float text) { return text * 0.75f; }

/// Issues are bright, waits dim: the other kinds are a light grey beside the waits' dark ones.
Colour colour_of_kind(StepKind kind) { return {kind == StepKind::Other ? Ink::Faint : ink_of(kind)}; }

/// What the clocks of a column of one row are.
struct ClockColumn {
  std::array<uint32_t, clock::kStalls> states{};
  std::array<uint32_t, analysis::kStepKinds> kinds{};
};

/// The input of every part of the picture.
struct ClockInput {
  const ClockRun& run;
  const Canvas& canvas;
  const uint32_t slot;  ///< The cursor's.
  const ClockLayout layout;
  const uint32_t columns;

  const Recording& recording() const { return run.recording; }
  int32_t first_of(uint32_t column) const {
    return layout.first + static_cast<int32_t>(int64_t{column} * layout.shown / columns);
  }
  Label label(Point at, std::string text, Ink ink, Align horizontal, Font font = Font::Text) const {
    return {at, std::move(text), {ink}, font, layout.text, horizontal, Align::Centre};
  }
};

/// What the schedulers do, gathered while the rows are drawn.
struct Seen {
  std::vector<float> issues, fmas;  ///< By column, of the clocks of all schedulers.
};

std::vector<ClockColumn> columns_of(const ClockInput& in, uint32_t slot, Seen& seen) {
  std::vector<ClockColumn> columns(in.columns);
  const std::vector<Recording::Stretch>& row = in.recording().slots[slot];
  size_t stretch = in.recording().stretch_at(slot, in.layout.first);
  for (uint32_t c = 0; c < in.columns; ++c) {
    int32_t from = in.first_of(c);
    const int32_t to = in.first_of(c + 1);
    while (from < to && stretch < row.size()) {
      const int32_t next = stretch + 1 < row.size() ? row[stretch + 1].begin : to, end = std::min(to, next);
      const Recording::Stretch& now = row[stretch];
      if (now.state != Recording::kAbsent && end > from) {
        const auto clocks = static_cast<uint32_t>(end - from);
        columns[c].states[now.state] += clocks;
        if (now.state == Recording::kIssues) {
          const session::ClockInstruction& instruction = in.run.code[now.pc];
          columns[c].kinds[static_cast<size_t>(instruction.kind)] += clocks;
          seen.issues[c] += static_cast<float>(clocks);
          if (instruction.is_fma) seen.fmas[c] += static_cast<float>(clocks);
        }
      }
      from = end;
      if (end == next) ++stretch;
    }
  }
  return columns;
}

/// The kind of most of the instructions, Other aside.
StepKind kind_of_most(const ClockColumn& column) {
  const auto most = std::max_element(column.kinds.begin() + 1, column.kinds.end());
  return *most ? static_cast<StepKind>(most - column.kinds.begin()) : StepKind::Other;
}

Colour reason_colour(const ClockColumn& column) {
  const auto most = std::max_element(column.states.begin() + 1, column.states.end());
  if (*most == 0) return kNoColour;
  const auto state = static_cast<Stall>(most - column.states.begin());
  return colour_of(state);
}

/// Stronger the more of the column's clocks the warp issues in: of four warps of a scheduler each can in one of four.
Colour issue_colour(const ClockColumn& column, int32_t clocks) {
  const uint32_t issues = column.states[Recording::kIssues];
  if (issues == 0) return kNoColour;
  const float share = static_cast<float>(issues) / static_cast<float>(std::max(1, clocks));
  Colour colour = colour_of_kind(kind_of_most(column));
  colour.strength = std::min(1.0f, 0.3f + 2.8f * share);
  return colour;
}

void draw_row(const ClockInput& in, uint32_t slot, Seen& seen, Picture& picture) {
  const ClockLayout& layout = in.layout;
  const std::vector<ClockColumn> columns = columns_of(in, slot, seen);
  Cells reasons, issues;
  reasons.box = {layout.plot.x, layout.top_of(slot), layout.plot.width, layout.row};
  reasons.rows = 1;
  reasons.columns = in.columns;
  reasons.gap = layout.plot.width / static_cast<float>(in.columns) >= 5 ? 1.0f : 0.0f;
  issues = reasons;
  for (uint32_t c = 0; c < in.columns; ++c) {
    reasons.colours.push_back(reason_colour(columns[c]));
    issues.colours.push_back(issue_colour(columns[c], in.first_of(c + 1) - in.first_of(c)));
  }
  picture.add(std::move(reasons));
  picture.add(std::move(issues));
}

// --- Around the rows. ---

/// 1, 2, 5, 10, ...: the distance between numbers that have room.
int32_t tick_step(const ClockInput& in) {
  const float wanted = in.canvas.measure->width("0,000,000", Font::Mono, in.layout.text) * 1.4f;
  const double clocks = static_cast<double>(wanted) * in.layout.shown / std::max(1.0, double{in.layout.plot.width});
  for (int64_t decade = 1; decade < 1'000'000'000; decade *= 10)
    for (const int64_t step : {decade, 2 * decade, 5 * decade})
      if (static_cast<double>(step) >= clocks) return static_cast<int32_t>(step);
  return 1'000'000'000;
}

void draw_ruler(const ClockInput& in, Picture& picture) {
  const ClockLayout& layout = in.layout;
  const Box& ruler = layout.ruler;
  const float middle = ruler.y + layout.text * 0.6f;
  picture.add(in.label({layout.plot.x - 8, middle}, tr("clocks"), Ink::Faint, Align::End));
  const int32_t step = tick_step(in);
  for (int64_t clock = (layout.first + step - 1) / step * step; clock < int64_t{layout.first} + layout.shown;
       clock += step) {
    const float x = layout.x_of(static_cast<double>(clock));
    picture.add(Rectangle{{x, ruler.y, 1, ruler.height}, {Ink::Line}});
    const std::string number = grouped(static_cast<uint64_t>(clock));
    if (x + 4 + in.canvas.measure->width(number, Font::Mono, layout.text) > layout.plot.right()) continue;
    picture.add(in.label({x + 4, middle}, number, Ink::Faint, Align::Begin, Font::Mono));
  }
}

constexpr float kToPlot = 8, kBetweenNames = 12;

/// Blocks share the SM, and rows need their numbers.
bool has_blocks(const Recording& recording) { return recording.slots.size() > recording.warps_per_block; }

/// They need a line below the ruler's numbers.
bool names_blocks(const Recording& recording) { return recording.residents.size() > 1; }

/// The schedulers that have warps.
uint32_t schedulers_of(uint32_t slots) { return std::clamp(slots, 1u, arch::kSchedulers); }

/// Of the block that the slot holds first of those on show; empty if none.
std::string block_number(const ClockInput& in, uint32_t slot) {
  const Recording& recording = in.recording();
  for (const Recording::Resident& block : recording.residents)
    if (slot - block.first_slot < recording.warps_per_block && block.end > in.layout.first)
      return block.begin < in.layout.first + in.layout.shown ? fmt::format("{}", block.block) : "";
  return {};
}

/// Blocks and warps are numbers below their names, a block's at its first row of each scheduler; of a single block
/// warps alone have names.
void name_rows(const ClockInput& in, Picture& picture) {
  const ClockLayout& layout = in.layout;
  const float size = std::max(kLeastWords, std::min(layout.text, layout.pitch * 1.1f));
  LabelPlacer names({0, 0, layout.plot.x, in.canvas.height}, *in.canvas.measure);
  const uint32_t warps = in.recording().warps_per_block;
  const bool blocks = has_blocks(in.recording());
  const float warp_end = layout.plot.x - kToPlot, block_end = layout.warp_names - kBetweenNames;
  if (blocks) {
    const float middle = layout.ruler.bottom() - layout.text * 0.6f;
    picture.add(in.label({block_end, middle}, tr("block"), Ink::Faint, Align::End));
    picture.add(in.label({warp_end, middle}, tr("warp"), Ink::Faint, Align::End));
  }
  const auto place = [&](uint32_t slot, Ink ink) {
    const float middle = layout.top_of(slot) + layout.row / 2;
    const uint32_t number = clock::warp_in_slot(slot, warps);
    const std::string warp = blocks ? fmt::format("{}", number) : tr_format("warp {}", number);
    LabelPlacer::Group group{in.label({warp_end, middle}, warp, ink, Align::End, Font::Mono)};
    if (blocks && (slot == in.slot || slot % warps < arch::kSchedulers))
      group.push_back(in.label({block_end, middle}, block_number(in, slot), ink, Align::End, Font::Mono));
    for (Label& label : group) label.size = size;
    names.place({std::move(group)}, picture);
  };
  if (in.slot < layout.slots) place(in.slot, Ink::Accent);
  for (uint32_t s = 0; s < schedulers_of(layout.slots); ++s) {
    const float middle =
        layout.plot.y + layout.group * static_cast<float>(s) +
        layout.pitch * static_cast<float>((layout.slots - s + arch::kSchedulers - 1) / arch::kSchedulers) / 2;
    names.place({{in.label({0, middle}, tr_format("scheduler {}", s), Ink::Text, Align::Begin)}}, picture);
  }
  for (uint32_t slot = 0; slot < layout.slots; ++slot)
    if (slot != in.slot && layout.pitch >= kLeastWords) place(slot, Ink::Faint);
}

/// A line before the first clock of each warp of a block, and the block's number above the first if there is room.
void draw_blocks(const ClockInput& in, Picture& picture) {
  const ClockLayout& layout = in.layout;
  LabelPlacer numbers({layout.plot.x, layout.ruler.y, layout.plot.width, layout.ruler.height}, *in.canvas.measure);
  for (const Recording::Resident& block : in.recording().residents) {
    const uint32_t end = std::min(block.first_slot + in.recording().warps_per_block, layout.slots);
    for (uint32_t slot = block.first_slot; slot < end; ++slot) {
      const int32_t start = start_of(in.recording(), block, slot);
      if (start < layout.first || start >= std::min(block.end, layout.first + layout.shown)) continue;
      const float x = layout.x_of(start);
      picture.add(Rectangle{{x - 1, layout.top_of(slot), 2, layout.row}, {Ink::Strong, 0.8f}});
      if (slot > block.first_slot || !names_blocks(in.recording())) continue;
      const Point at{x + 3, layout.ruler.bottom() - layout.text * 0.6f};
      numbers.place({{in.label(at, tr_format("block {}", block.block), Ink::Text, Align::Begin, Font::Mono)}}, picture);
    }
  }
}

/// Lines under the rows for loads and copies on their way, of the cursor's warp alone if there are too many.
void draw_arrivals(const ClockInput& in, Picture& picture) {
  constexpr size_t kMostLines = 4000;
  constexpr int32_t kSharedShown = 600;
  const ClockLayout& layout = in.layout;
  const int32_t end = layout.first + layout.shown;
  const auto& all = in.recording().arrivals;
  const auto from =
      std::lower_bound(all.begin(), all.end(), layout.first,
                       [](const Recording::Arrival& each, int32_t clock) { return each.arrived < clock; });
  std::vector<const Recording::Arrival*> shown;
  for (auto each = from; each != all.end(); ++each) {
    if (each->issued >= end) continue;
    const StepKind kind = in.run.code[each->pc].kind;
    if (kind == StepKind::LoadGlobal || kind == StepKind::AsyncCopy ||
        (kind == StepKind::LoadShared && layout.shown <= kSharedShown))
      shown.push_back(&*each);
  }
  const bool all_rows = shown.size() <= kMostLines && layout.pitch >= 5;
  for (const Recording::Arrival* each : shown) {
    if (!all_rows && each->slot != in.slot) continue;
    const float left = layout.x_of(std::max(each->issued, layout.first)),
                right = layout.x_of(std::min(each->arrived, end));
    const float y = layout.top_of(each->slot) + layout.row - 0.5f;
    const Ink ink = ink_of(in.run.code[each->pc].kind);
    picture.add(Rectangle{{left, y, std::max(1.0f, right - left), 1.5f}, {ink, 0.9f}});
    if (each->arrived < end) picture.add(Rectangle{{right - 1, y - 2, 2, 4}, {ink}});
  }
}

/// The load that the warp in that place waits for, or issues: an arc from its issue to its arrival.
void draw_arc(const ClockInput& in, const ClockPlace& place, Ink ink, Picture& picture) {
  constexpr int kPoints = 24;
  const ClockLayout& layout = in.layout;
  const Recording::Arrival* load = load_at(in.recording(), place);
  if (!load || load->arrived < layout.first || load->issued >= layout.first + layout.shown) return;
  const float left = layout.x_of(load->issued), right = layout.x_of(load->arrived);
  const float y = layout.top_of(place.slot);
  const float high = std::min({y - layout.plot.y + 6, 6 + (right - left) * 0.12f, 2 * layout.text});
  const float from = std::max(left, layout.plot.x), to = std::min(right, layout.plot.right());
  Polyline arc{{}, {ink}, 1.5f};
  for (int i = 0; i <= kPoints; ++i) {
    const float x = from + (to - from) * static_cast<float>(i) / kPoints, part = (x - left) / (right - left);
    arc.points.push_back({x, y - high * 4 * part * (1 - part)});
  }
  picture.add(std::move(arc));
}

void outline_place(const ClockInput& in, const ClockPlace& place, Ink ink, Picture& picture) {
  const ClockLayout& layout = in.layout;
  if (place.slot >= layout.slots || place.clock < layout.first || place.clock >= layout.first + layout.shown) return;
  const float left = layout.x_of(place.clock), wide = layout.x_of(place.clock + 1.0) - left;
  const float grow = std::max(0.0f, 5 - wide) / 2;
  picture.add(
      Rectangle{{left - grow, layout.top_of(place.slot) - 1, wide + 2 * grow, layout.row + 2}, kNoColour, {ink}, 2, 1});
}

void draw_cursor(const ClockInput& in, const ClockPlace& cursor, Picture& picture) {
  const ClockLayout& layout = in.layout;
  if (cursor.clock < layout.first || cursor.clock >= layout.first + layout.shown) return;
  const bool has_place = cursor.slot < layout.slots;
  const float x = (layout.x_of(cursor.clock) + layout.x_of(cursor.clock + 1.0)) / 2;
  // Not over the ruler's numbers.
  const float top = layout.ruler.bottom();
  picture.add(Rectangle{{x - 1, top, 2, layout.strips.bottom() - top}, {Ink::Accent, 0.75f}});
  if (!has_place) return;
  outline_place(in, cursor, Ink::Accent, picture);
  draw_arc(in, cursor, Ink::Accent, picture);
}

/// The mean of the buckets that the clocks from `from` to `to` lie in.
float mean_of(const std::vector<float>& buckets, int32_t from, int32_t to) {
  constexpr int32_t kWide = Recording::kBucket;
  float sum = 0;
  int32_t count = 0;
  for (int32_t bucket = from / kWide; bucket <= (std::max(from, to - 1)) / kWide; ++bucket, ++count)
    if (static_cast<size_t>(bucket) < buckets.size()) sum += buckets[static_cast<size_t>(bucket)];
  return std::min(1.0f, sum / static_cast<float>(std::max(1, count)));
}

/// How busy each unit is, by column.
std::array<std::vector<float>, kClockUnits> units_of(const ClockInput& in, const Seen& seen) {
  std::array<std::vector<float>, kClockUnits> units;
  for (uint32_t c = 0; c < in.columns; ++c) {
    const int32_t from = in.first_of(c), to = in.first_of(c + 1);
    const auto slots = static_cast<float>(std::max(1, to - from)) * arch::kSchedulers;
    units[0].push_back(seen.issues[c] / slots);
    units[kMathUnit].push_back(in.recording().tensor_cores.empty() ? seen.fmas[c] / slots
                                                                   : mean_of(in.recording().tensor_cores, from, to));
    units[2].push_back(mean_of(in.recording().path, from, to));
    units[3].push_back(mean_of(in.recording().l2, from, to));
  }
  return units;
}

void draw_strips(const ClockInput& in, const Seen& seen, Picture& picture) {
  const ClockLayout& layout = in.layout;
  if (layout.strips.height <= 0) return;
  const Ink inks[kClockUnits] = {Ink::Faint, Ink::Multiply, Ink::LoadShared, Ink::LoadGlobal};
  const auto units = units_of(in, seen);
  const float pitch = layout.strips.height / kClockUnits, high = pitch - 3;
  const auto wide =
      static_cast<uint32_t>(std::max(1.0f, std::ceil(2 * static_cast<float>(in.columns) / layout.plot.width)));
  for (size_t unit = 0; unit < kClockUnits; ++unit) {
    const float top = layout.strips.y + pitch * static_cast<float>(unit);
    picture.add(Rectangle{{layout.plot.x, top, layout.plot.width, high}, {Ink::Raised, 0.5f}});
    double sum = 0;
    for (uint32_t c = 0; c < in.columns; c += wide) {
      const uint32_t end = std::min(in.columns, c + wide);
      float part = 0;
      for (uint32_t i = c; i < end; ++i) part += units[unit][i];
      sum += static_cast<double>(part);
      part = std::min(1.0f, part / static_cast<float>(end - c));
      if (part <= 0.01f) continue;
      const float left = layout.plot.x + layout.plot.width * static_cast<float>(c) / static_cast<float>(in.columns),
                  right = layout.plot.x + layout.plot.width * static_cast<float>(end) / static_cast<float>(in.columns);
      picture.add(Rectangle{{left, top + high * (1 - part), right - left, high * part}, {inks[unit], 0.9f}});
    }
    picture.add(
        in.label({layout.plot.x - 8, top + high / 2},
                 fmt::format("{} {:.0f} %", tr(unit_word(in.recording(), unit)), 100 * sum / std::max(1u, in.columns)),
                 Ink::Text, Align::End));
  }
}

void draw_legend(const ClockInput& in, Picture& picture) {
  const float swatch = swatch_of(in.layout.text);
  for (const ClockLegendEntry& entry : in.layout.legend) {
    const bool title = entry.colour == kNoColour;
    const float high = entry.is_line ? 1.5f : swatch;
    if (!title)
      picture.add(Rectangle{
          {entry.at.x - kToWord - swatch, entry.at.y - high / 2, swatch, high}, entry.colour, kNoColour, 1, 2});
    picture.add(in.label(entry.at, entry.word, title ? Ink::Faint : Ink::Text, Align::Begin));
  }
}

std::string total_of(double clocks) { return tr_format("{:.1f} clocks per instruction", clocks); }

double all_clocks(const ClockRun& run) { return std::accumulate(run.stalls.begin(), run.stalls.end(), 0.0); }

/// The clocks of a warp for each instruction that it issues: by reason in the order of the legend those in which it
/// waits, and behind them those in which it issues. Two that are compared have one scale.
std::vector<ClockReason> reasons_of(const ClockRun& run, const ClockView& view, const Canvas& canvas, float text,
                                    const Box& bar) {
  const double all = std::max(all_clocks(run), view.other ? all_clocks(*view.other) : 0);
  const float room = bar.width - canvas.measure->width(total_of(all), Font::Text, text) - 12;
  std::vector<ClockReason> reasons;
  float x = bar.x;
  for (size_t i = 1; i <= clock::kStalls; ++i) {
    const size_t number = i % clock::kStalls;
    const float wide = all > 0 ? room * static_cast<float>(run.stalls[number] / all) : 0;
    if (wide < 1) continue;
    reasons.push_back({{x, bar.y, wide, bar.height}, static_cast<Stall>(number)});
    x += wide;
  }
  return reasons;
}

void draw_reasons(const ClockInput& in, Picture& picture) {
  const Box& bar = in.layout.bar;
  const float middle = bar.y + bar.height / 2;
  if (in.layout.reasons.empty() || bar.height <= 0) return;
  picture.add(in.label({in.layout.plot.x - 8, middle}, tr("where warps wait"), Ink::Text, Align::End));
  for (const auto& [box, reason] : in.layout.reasons) {
    picture.add(Rectangle{{box.x, box.y, box.width - 1, box.height}, colour_of(reason)});
    // Without room for its name, which the legend has, the number alone.
    const std::string number = fmt::format("{:.1f}", in.run.stalls[static_cast<size_t>(reason)]);
    for (const std::string& words : {fmt::format("{} {}", tr(clock::words_of(reason)), number), number}) {
      if (in.canvas.measure->width(words, Font::Text, in.layout.text) + 8 >= box.width) continue;
      picture.add(
          in.label({box.x + 4, middle}, words, reason == Stall::Selected ? Ink::Panel : Ink::Strong, Align::Begin));
      break;
    }
  }
  picture.add(in.label({bar.right(), middle}, total_of(all_clocks(in.run)), Ink::Text, Align::End));
}

/// If only a part is shown: which one, as a bar at the bottom.
void draw_extent(const ClockInput& in, Picture& picture) {
  const ClockLayout& layout = in.layout;
  if (layout.shown >= layout.clocks) return;
  const float y = in.canvas.height - 4, wide = layout.plot.width;
  picture.add(Rectangle{{layout.plot.x, y, wide, 3}, {Ink::Raised}, kNoColour, 1, 1.5f});
  const float width = std::max(8.0f, wide * static_cast<float>(layout.shown) / static_cast<float>(layout.clocks));
  const float x = std::min(wide * static_cast<float>(layout.first) / static_cast<float>(layout.clocks), wide - width);
  picture.add(Rectangle{{layout.plot.x + x, y, width, 3}, {Ink::Faint}, kNoColour, 1, 1.5f});
}

/// The kinds of its instructions, the reasons for which its warps wait, in an order that no what-if changes, and what
/// the lines are.
std::vector<ClockLegendEntry> legend_of(const ClockRun& run, const ClockView& view, const Canvas& canvas, float text) {
  if (view.lower) return {};
  std::array<bool, analysis::kStepKinds> kinds{};
  std::array<bool, clock::kStalls> reasons{};
  bool loads = false;
  for (const ClockRun* each : {&run, view.other}) {
    if (!each) continue;
    for (const session::ClockInstruction& instruction : each->code) kinds[static_cast<size_t>(instruction.kind)] = true;
    for (size_t i = 0; i < reasons.size(); ++i) reasons[i] |= each->stalls[i] > 0;
    loads |= !each->recording.arrivals.empty();
  }
  std::vector<ClockLegendEntry> legend;
  Point at{0, line_of(text) / 2};
  const auto add = [&](const std::string& word, Colour colour, std::optional<Stall> reason = {}, bool is_line = false) {
    const float mark = colour == kNoColour ? 0 : swatch_of(text) + kToWord;
    const float wide = mark + canvas.measure->width(word, Font::Text, text);
    if (at.x > 0 && at.x + wide > canvas.width) at = {0, at.y + line_of(text)};
    legend.push_back(
        {{at.x + mark, at.y}, word, colour, {at.x, at.y - line_of(text) / 2, wide, line_of(text)}, reason, is_line});
    at.x += wide + kToNextEntry;
  };
  add(tr("issues:"), kNoColour);
  for (size_t i = 0; i < kinds.size(); ++i)
    if (kinds[i]) add(tr(to_string(static_cast<StepKind>(i))), colour_of_kind(static_cast<StepKind>(i)));
  if (loads) add(tr("load on its way"), {Ink::LoadGlobal, 0.9f}, {}, true);
  at = {0, at.y + line_of(text)};
  add(tr("waits:"), kNoColour);
  for (size_t i = 1; i < reasons.size(); ++i)
    if (const auto state = static_cast<Stall>(i); reasons[i]) add(tr(clock::words_of(state)), colour_of(state), state);
  if (loads) add(tr("the cursor's load"), {Ink::Accent}, {}, true);
  return legend;
}

int32_t axis_of(const ClockView& view, const Recording& recording) { return std::max(view.axis, recording.clocks); }

}  // namespace

Colour colour_of(Stall state) {
  switch (state) {
    case Stall::Selected: return {Ink::Faint};
    case Stall::LongScoreboard: return {Ink::LoadGlobal, 0.42f};
    case Stall::LgThrottle: return {Ink::Bad, 0.42f};
    case Stall::ShortScoreboard: return {Ink::LoadShared, 0.4f};
    case Stall::MioThrottle: return {Ink::StoreShared, 0.6f};
    case Stall::Barrier: return {Ink::Barrier, 0.45f};
    case Stall::MathPipeThrottle: return {Ink::Multiply, 0.5f};
    case Stall::DispatchStall: return {Ink::Keyword, 0.6f};
    case Stall::BranchResolving: return {Ink::Bank, 0.7f, 0.31f};
    case Stall::NoInstruction: return {Ink::Accent, 0.6f};
    case Stall::ImcMiss: return {Ink::Bank, 0.8f, 0.52f};
    case Stall::Membar:
    case Stall::Drain: return {Ink::StoreGlobal, 0.3f};
    case Stall::Wait: return {Ink::Literal, 0.35f};
    case Stall::NotSelected: return {Ink::Faint, 0.15f};
    default: return {Ink::OtherStep, 0.4f};
  }
}

ClockView fitted(ClockView view, const Recording& recording) {
  const int32_t clocks = axis_of(view, recording);
  if (view.shown <= 0 || view.shown >= clocks) {
    view.first = view.shown = 0;
    return view;
  }
  view.shown = std::max(view.shown, std::min(clocks, kFewestClocks));
  view.first = std::clamp(view.first, 0, clocks - view.shown);
  return view;
}

ClockView opening_view(const Recording& recording, const ClockPlace& place) {
  return fitted({place.clock - kOpening / 4, kOpening}, recording);
}

ClockView zoomed(ClockView view, const Recording& recording, float factor, float part) {
  const int32_t clocks = axis_of(view, recording);
  const double shown = view.shown == 0 ? clocks : view.shown;
  const double wanted = std::clamp(std::round(shown * static_cast<double>(factor)),
                                   std::min<double>(kFewestClocks, clocks), double{1} * clocks);
  view.first =
      static_cast<int32_t>(std::max(0.0, std::round(view.first + (shown - wanted) * static_cast<double>(part))));
  view.shown = static_cast<int32_t>(wanted);
  return fitted(view, recording);
}

ClockView panned(ClockView view, const Recording& recording, int64_t by) {
  view.first = static_cast<int32_t>(std::clamp<int64_t>(view.first + by, 0, axis_of(view, recording)));
  return fitted(view, recording);
}

ClockView following(ClockView view, const Recording& recording, int32_t clock) {
  view = fitted(view, recording);
  if (view.shown == 0) return view;
  if (clock < view.first || clock >= view.first + view.shown) view.first = clock - view.shown / 4;
  const int32_t margin = view.shown / 8;
  if (clock < view.first + margin) view.first = clock - margin;
  if (clock + margin >= view.first + view.shown) view.first = clock + margin + 1 - view.shown;
  return fitted(view, recording);
}

float ClockLayout::x_of(double clock) const {
  return plot.x + static_cast<float>((clock - first) / shown * static_cast<double>(plot.width));
}

int32_t ClockLayout::clock_at(float x) const {
  const double part = std::clamp(static_cast<double>((x - plot.x) / plot.width), 0.0, 1.0);
  return first + std::min(static_cast<int32_t>(part * shown), shown - 1);
}

float ClockLayout::top_of(uint32_t slot) const {
  return plot.y + group * static_cast<float>(slot % arch::kSchedulers) +
         pitch * static_cast<float>(slot / arch::kSchedulers);
}

std::optional<ClockPlace> ClockLayout::place_at(Point point) const {
  if (!plot.contains(point) || group <= 0) return std::nullopt;
  const auto scheduler = std::min(schedulers_of(slots) - 1, static_cast<uint32_t>((point.y - plot.y) / group));
  const auto number = static_cast<uint32_t>((point.y - plot.y - group * static_cast<float>(scheduler)) / pitch);
  const uint32_t slot = number * arch::kSchedulers + scheduler;
  if (slot >= slots) return std::nullopt;
  return ClockPlace{slot, clock_at(point.x)};
}

std::optional<size_t> ClockLayout::unit_at(Point point) const {
  if (point.y < strips.y || point.y >= strips.bottom() || point.x >= strips.right()) return std::nullopt;
  return std::min(kClockUnits - 1, static_cast<size_t>((point.y - strips.y) / strips.height * kClockUnits));
}

std::optional<Stall> ClockLayout::reason_at(Point point) const {
  for (const ClockReason& part : reasons)
    if (part.box.contains(point)) return part.reason;
  for (const ClockLegendEntry& entry : legend)
    if (entry.box.contains(point)) return entry.reason;
  return std::nullopt;
}

ClockLayout clock_layout(const ClockRun& run, const Canvas& canvas, const ClockView& wanted) {
  const Recording& recording = run.recording;
  const ClockView view = fitted(wanted, recording);
  ClockLayout layout;
  layout.text = view.text > 0 ? view.text : std::max(kLeastWords, std::min(canvas.text * 0.86f, canvas.height / 14));
  layout.first = view.first;
  layout.clocks = std::max(1, axis_of(view, recording));
  layout.shown = view.shown == 0 ? layout.clocks : view.shown;
  layout.slots = static_cast<uint32_t>(recording.slots.size());
  const auto width = [&](const std::string& words, Font font = Font::Text) {
    return canvas.measure->width(words, font, layout.text);
  };
  const float warp_numbers = std::max(width("31", Font::Mono), width(tr("warp")));
  float names = 0, units = 0;
  for (const ClockRun* each : {&run, view.other}) {
    if (!each) continue;
    units = std::max(units, width(tr(unit_word(each->recording, kMathUnit)) + " 100 %"));
    float blocks = width(tr("block"));
    for (const Recording::Resident& block : each->recording.residents)
      blocks = std::max(blocks, width(fmt::format("{}", block.block), Font::Mono));
    names = std::max(names, has_blocks(each->recording) ? blocks + kBetweenNames + warp_numbers
                                                        : width(tr_format("warp {}", 31), Font::Mono));
  }
  const float left = std::round(
      std::max({width(tr("where warps wait")), units, width(tr_format("scheduler {}", 3)) + names}) + 2 * kToPlot);
  layout.warp_names = left - kToPlot - warp_numbers;
  const float wide = std::max(1.0f, canvas.width - left - 8);
  layout.legend = legend_of(run, view, canvas, layout.text);
  const bool blocks = names_blocks(recording) || (view.other && names_blocks(view.other->recording));
  layout.ruler = {left, 0, wide, layout.text * (blocks ? 2.4f : 1.4f)};
  float legend = layout.legend.empty() ? 0 : layout.legend.back().box.bottom() + 4, strips = layout.text * 4.6f;
  // What the rows have beside the bar of the reasons, and apart from it that of the extent.
  const auto room_of_rows = [&] {
    return canvas.height - legend - layout.ruler.height - strips - layout.text * 1.3f - 20;
  };
  const float least = layout.text * 1.5f;
  if (room_of_rows() < least) strips = 0;
  if (room_of_rows() < least) {
    layout.legend.clear();
    legend = 0;
  }
  layout.ruler.y = legend;
  const float top = layout.ruler.bottom() + 2, room = std::max(8.0f, room_of_rows());
  const uint32_t schedulers = schedulers_of(layout.slots);
  const auto groups = static_cast<float>(schedulers),
             rows = static_cast<float>(std::max(1u, (layout.slots + schedulers - 1) / schedulers));
  const float gap = std::min(layout.text * 0.6f, room * 0.02f);
  layout.pitch = std::min((room - (groups - 1) * gap) / (groups * rows), layout.text * 6);
  layout.row = layout.pitch < 4 ? layout.pitch : layout.pitch * 0.82f;
  layout.group = layout.pitch * rows + gap;
  layout.plot = {left, top, wide, layout.group * groups - gap};
  if (strips > 0) strips += room - layout.plot.height;  // What a few rows leave.
  layout.strips = {left, layout.plot.bottom() + 6, wide, strips};
  layout.bar = {left, layout.strips.bottom() + 4, wide, layout.text * 1.3f};
  layout.reasons = reasons_of(run, view, canvas, layout.text, layout.bar);
  return layout;
}

namespace {

ClockInput input_of(const ClockRun& run, const Canvas& canvas, const ClockView& view, uint32_t slot) {
  const ClockLayout layout = clock_layout(run, canvas, view);
  const auto pixels = static_cast<uint32_t>(std::max(1.0f, layout.plot.width));
  return {run, canvas, slot, layout, std::min(static_cast<uint32_t>(layout.shown), pixels)};
}

}  // namespace

Picture clock_picture(const ClockRun& run, const Canvas& canvas, const ClockView& view, uint32_t slot) {
  const ClockInput in = input_of(run, canvas, view, slot);
  Picture picture;
  picture.width = canvas.width;
  picture.height = canvas.height;
  Seen seen;
  seen.issues.assign(in.columns, 0);
  seen.fmas.assign(in.columns, 0);
  draw_ruler(in, picture);
  name_rows(in, picture);
  for (uint32_t row = 0; row < in.layout.slots; ++row) draw_row(in, row, seen, picture);
  draw_arrivals(in, picture);
  draw_blocks(in, picture);
  draw_strips(in, seen, picture);
  draw_legend(in, picture);
  draw_reasons(in, picture);
  draw_extent(in, picture);
  return picture;
}

Picture with_places(Picture picture, const ClockRun& run, const Canvas& canvas, const ClockView& view,
                    const ClockPlace& cursor, const std::optional<ClockPlace>& lit) {
  const ClockInput in = input_of(run, canvas, view, cursor.slot);
  draw_cursor(in, cursor, picture);
  if (lit) outline_place(in, *lit, Ink::Hover, picture);
  if (lit) draw_arc(in, *lit, Ink::Hover, picture);
  return picture;
}

}  // namespace tilescope::view
