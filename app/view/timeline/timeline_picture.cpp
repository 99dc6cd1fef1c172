#include "view/timeline/timeline_picture.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "base/words.h"
#include "view/label_placer.h"
#include "view/warp_places.h"
#include "view/words.h"

namespace tilescope::view {
namespace {
using analysis::StepKind;
using analysis::StepRef;
using session::Target;

constexpr uint32_t kFewestSlots = 16;
constexpr float kStagesPart = 0.3f;   ///< Of the height, at most, for copies that complete on mbarriers.
constexpr float kLeastBarRoom = 5;    ///< Pixels between rows needed for bars.
constexpr float kOtherWarps = 0.62f;  ///< Strength of rows without the cursor.
constexpr float kNotYet = 0.3f;       ///< If warps are not in step, strength of instructions not yet executed.

/// The input of every part of the picture.
struct TimelineInput {
  const Focus& focus;
  const Canvas& canvas;
  const TimelineContent& content;
  const TimelineMarks& marks;
  const TimelineLayout layout;
  const WarpPlaces places;

  const analysis::Timeline& timeline() const { return focus.traced->timeline; }
  bool in_step() const { return focus.order == session::WarpOrder::InStep; }
  /// The warp's current slot: the first in which it has executed nothing.
  uint32_t reached(uint32_t warp) const {
    const uint32_t executed = places.executed[warp];
    return executed == 0 ? 0 : timeline().slot({warp, executed - 1}) + 1;
  }
  Label label(Point at, std::string text, Ink ink, Align horizontal, Font font = Font::Text) const {
    return {at, std::move(text), {ink}, font, layout.text, horizontal, Align::Centre};
  }
};

// --- The ruler: k-tiles and phases of the cursor's warp. ---

/// 1, 2, 5, 10, ...: the distance in k-tiles between numbers that have room, assuming equal lengths.
uint32_t tile_step(const TimelineInput& in) {
  const size_t tiles = std::max<size_t>(in.timeline().tiles(in.focus.cursor.warp).size(), 1);
  const float shown = static_cast<float>(in.timeline().slots()) / static_cast<float>(in.layout.slots);
  const float apart = in.layout.plot.width * shown / static_cast<float>(tiles);
  const float wanted = in.canvas.measure->width("0000", Font::Mono, in.layout.text);
  for (uint32_t decade = 1;; decade *= 10)
    for (const uint32_t step : {decade, 2 * decade, 5 * decade})
      if (apart * static_cast<float>(step) >= wanted || step > tiles) return step;
}

/// A word beside the ruler, which is explained under the mouse.
void add_word(const TimelineInput& in, const char* word, float y, Picture& picture) {
  const Label label = in.label({in.layout.plot.x - 8, y}, tr(word), Ink::Faint, Align::End);
  picture.add(label);
  picture.add(box_of(label, *in.canvas.measure), Target{Target::Kind::Word, Space::None, word, 0, 0});
}

/// A tick where each k-tile begins, numbers in even steps; a tick without a number stays below the numbers. The tile
/// that began before the view has its number at the edge, if there is room.
void draw_tiles(const TimelineInput& in, Picture& picture) {
  const auto& tiles = in.timeline().tiles(in.focus.cursor.warp);
  const Box &ruler = in.layout.ruler, &plot = in.layout.plot;
  const float middle = ruler.y + in.layout.text * 0.65f, below_numbers = ruler.y + in.layout.text * 1.3f;
  LabelPlacer numbers({plot.x, ruler.y, plot.width, ruler.height}, *in.canvas.measure);
  const auto place_number = [&](uint32_t tile, float x) {
    const bool current = static_cast<int32_t>(tile) == in.timeline().tile(in.focus.cursor);
    const Ink ink = current ? Ink::Accent : Ink::Faint;
    numbers.place({{in.label({x, middle}, fmt::format("{}", tile + 1), ink, Align::Begin, Font::Mono)}}, picture);
  };
  add_word(in, tile_word(in.focus.traced->accesses), middle, picture);
  const uint32_t step = tile_step(in);
  float last_tick = -1e9f;
  uint32_t before = 0;
  for (uint32_t tile = 0; tile < tiles.size(); ++tile) {
    const uint32_t slot = in.timeline().slot({in.focus.cursor.warp, tiles[tile]});
    if (slot < in.layout.first_slot) before = tile + 1;
    if (slot < in.layout.first_slot || slot >= in.layout.end_slot()) continue;
    const bool numbered = tile % step == 0;
    const float x = in.layout.x_of(slot), top = numbered ? ruler.y : below_numbers;
    const Box tick{x, top, 1, ruler.bottom() - top};
    if (x - last_tick >= 3) picture.add(Rectangle{tick, {Ink::Line}});
    if (x - last_tick >= 3) last_tick = x;
    if (numbered) {
      numbers.take(tick);
      place_number(tile, x + 4);
    }
  }
  if (before > 0) place_number(before - 1, plot.x);
}

/// A line under each phase, with its name if there is room.
void draw_phases(const TimelineInput& in, Picture& picture) {
  const Box& ruler = in.layout.ruler;
  const StepRef cursor = in.focus.cursor;
  const float middle = ruler.bottom() - in.layout.text * 0.75f;
  add_word(in, tr_later("phase"), middle, picture);
  for (const analysis::Phase& phase : in.timeline().phases(cursor.warp)) {
    const uint32_t from = std::max(in.timeline().slot({cursor.warp, phase.begin}), in.layout.first_slot);
    const uint32_t to = std::min(in.timeline().slot({cursor.warp, phase.end - 1}) + 1, in.layout.end_slot());
    if (from >= to) continue;
    const bool current = phase.begin <= cursor.step && cursor.step < phase.end;
    const float left = in.layout.x_of(from), right = in.layout.x_of(to);
    if (right - left < (current ? 1.0f : 3.0f)) continue;
    const Ink ink = current ? Ink::Accent : Ink::Faint;
    picture.add(Rectangle{{left + 0.5f, ruler.bottom() - 2, std::max(1.0f, right - left - 1), current ? 2.0f : 1.0f},
                          {ink, current ? 1 : 0.6f}});
    LabelPlacer({left + 3, ruler.y, right - left - 6, ruler.height}, *in.canvas.measure)
        .place({{in.label({(left + right) / 2, middle}, tr(to_string(phase.kind)), ink, Align::Centre)}}, picture);
  }
}

// --- The rows of the warps. ---

/// The highlighted warp and the cursor's have their names, then as many others in even steps as fit.
void name_warps(const TimelineInput& in, Picture& picture) {
  const TimelineLayout& layout = in.layout;
  const float size = std::min(layout.text, std::max(layout.pitch, layout.text * 0.9f));
  const auto every = std::max(1u, static_cast<uint32_t>(std::ceil(size / layout.pitch)));
  LabelPlacer names({0, 0, layout.plot.x, in.canvas.height}, *in.canvas.measure);
  const auto place = [&](uint32_t warp, Ink ink) {
    const Point at{layout.plot.x - 8, layout.top_of(warp) + layout.bar / 2};
    Label name = in.label(at, tr_format("warp {}", warp), ink, Align::End, Font::Mono);
    name.size = size;
    names.place({{std::move(name)}}, picture);
  };
  const Target& lit = in.focus.lit();
  const uint32_t here = in.focus.cursor.warp;
  const uint32_t lit_warp = lit.kind == Target::Kind::Warp ? lit.warp : layout.end_warp();
  const auto is_shown = [&](uint32_t warp) { return warp >= layout.first_warp && warp < layout.end_warp(); };
  if (is_shown(lit_warp)) place(lit_warp, Ink::Hover);
  if (is_shown(here) && here != lit_warp) place(here, Ink::Accent);
  for (uint32_t warp = layout.first_warp; warp < layout.end_warp(); ++warp) {
    Target target;
    target.kind = Target::Kind::Warp;
    target.warp = warp;
    picture.add(Box{0, layout.top_of(warp), layout.plot.x, layout.pitch}, target);
    if (warp != here && warp != lit_warp && (warp - layout.first_warp) % every == 0) place(warp, Ink::Text);
  }
}

/// The kind shown by a cell of the drawing for its slots.
struct CellKind {
  StepKind kind = StepKind::Other;
  bool waits = true;
};

/// Counts how many slots of each kind fall in a cell.
class KindCount {
 public:
  void add(const TimelineRuns::Run& run, uint32_t slots) {
    if (!run.waits) counts_[static_cast<size_t>(run.kind)] += slots;
  }
  CellKind take() {
    const auto most = std::max_element(counts_.begin() + 1, counts_.end());
    const CellKind kind{*most ? static_cast<StepKind>(most - counts_.begin()) : StepKind::Other,
                        *most == 0 && counts_[0] == 0};
    counts_.fill(0);
    return kind;
  }

 private:
  std::array<uint32_t, analysis::kStepKinds> counts_{};
};

uint32_t first_of_cell(const TimelineLayout& layout, uint32_t cell, uint32_t cells) {
  return layout.first_slot + static_cast<uint32_t>(uint64_t{cell} * layout.slots / cells);
}

std::vector<CellKind> cells_of(const std::vector<TimelineRuns::Run>& row, const TimelineLayout& layout,
                               uint32_t cells) {
  const auto after = std::upper_bound(row.begin(), row.end(), layout.first_slot,
                                      [](uint32_t slot, const auto& run) { return slot < run.slot; });
  auto run = after - row.begin() - 1;
  std::vector<CellKind> kinds(cells);
  KindCount count;
  for (uint32_t cell = 0; cell < cells; ++cell) {
    uint32_t from = first_of_cell(layout, cell, cells);
    const uint32_t to = first_of_cell(layout, cell + 1, cells);
    while (from < to && static_cast<size_t>(run) + 1 < row.size()) {
      const uint32_t end = std::min(to, row[static_cast<size_t>(run) + 1].slot);
      count.add(row[static_cast<size_t>(run)], end - from);
      from = end;
      run += end == row[static_cast<size_t>(run) + 1].slot;
    }
    kinds[cell] = count.take();
  }
  return kinds;
}

// Equal rows are counted once. Arithmetic has the lower half of a row alone: memory differs from it in height, not only
// in colour.
void draw_rows(const TimelineInput& in, Picture& picture) {
  const TimelineLayout& layout = in.layout;
  const uint32_t count = std::min(layout.slots, static_cast<uint32_t>(layout.plot.width));
  if (count == 0) return;
  const TimelineRuns& runs = in.content.runs;
  std::vector<std::vector<CellKind>> rows(runs.rows.size());
  for (uint32_t warp = layout.first_warp; warp < layout.end_warp(); ++warp) {
    std::vector<CellKind>& row = rows[runs.row_of_warp[warp]];
    if (row.empty()) row = cells_of(runs.rows[runs.row_of_warp[warp]], layout, count);
    const float strength = warp == in.focus.cursor.warp ? 1 : kOtherWarps;
    Cells cells;
    cells.box = {layout.plot.x, layout.top_of(warp), layout.plot.width, layout.bar};
    cells.rows = 1;
    cells.columns = count;
    cells.gap = layout.plot.width / static_cast<float>(count) >= 4 ? 1.0f : 0.0f;
    cells.colours.reserve(count);
    const uint32_t reached = in.in_step() ? layout.end_slot() : in.reached(warp);
    for (uint32_t cell = 0; cell < count; ++cell) {
      const float part = first_of_cell(layout, cell, count) < reached ? 1 : kNotYet;
      cells.colours.push_back({ink_of(row[cell].kind), row[cell].waits ? 0 : strength * part, 0});
    }
    Cells arithmetic = cells;
    arithmetic.box.height = std::max(1.0f, std::floor(layout.bar / 2));
    arithmetic.box.y += layout.bar - arithmetic.box.height;
    bool any = false;
    for (uint32_t cell = 0; cell < count; ++cell) {
      const bool multiplies = row[cell].kind == StepKind::Multiply;
      (multiplies ? cells : arithmetic).colours[cell].strength = 0;
      any |= multiplies;
    }
    picture.add(std::move(cells));
    if (any) picture.add(std::move(arithmetic));
  }
}

// --- Marks over the rows. ---

/// Fainter the closer they are, none if they would hide the rows.
void draw_barrier_lines(const TimelineInput& in, Picture& picture) {
  const TimelineLayout& layout = in.layout;
  const auto& lines = in.timeline().barrier_lines();
  const auto from = std::lower_bound(lines.begin(), lines.end(), layout.first_slot);
  const auto to = std::upper_bound(from, lines.end(), layout.end_slot());
  if (from == to) return;
  const float apart = layout.plot.width / static_cast<float>(to - from);
  if (apart < 3) return;
  const Colour colour{Ink::Barrier, std::clamp((apart - 2) / 12, 0.2f, 0.85f)};
  for (auto line = from; line != to; ++line)
    picture.add(Rectangle{{layout.x_of(*line) - 0.75f, layout.plot.y - 2, 1.5f, layout.plot.height + 4}, colour});
}

bool in_group(const analysis::CopiesInFlight& copies) { return copies.barrier == trace::BulkCopy::kNoBarrier; }

/// Groups in flight until a wait of their own warp.
struct Group {
  uint32_t warp = 0, first_slot = 0, end_slot = 0;
  Ink ink{};
};

/// Copies and products, by warp and by their ends.
std::vector<Group> groups_of(const TimelineContent& content) {
  std::vector<Group> groups;
  for (const analysis::CopiesInFlight& each : content.copies)
    if (in_group(each)) groups.push_back({each.warp, each.first_slot, each.end_slot, Ink::AsyncCopy});
  for (const analysis::ProductsInFlight& each : content.products)
    groups.push_back({each.warp, each.first_slot, each.end_slot, Ink::Multiply});
  std::stable_sort(groups.begin(), groups.end(), [](const Group& a, const Group& b) {
    return std::pair(a.warp, a.end_slot) < std::pair(b.warp, b.end_slot);
  });
  return groups;
}

/// The most groups of one warp that are in flight at a time. `groups` are by warp and by their ends.
size_t most_in_flight(const std::vector<Group>& groups) {
  size_t most = 1;
  for (size_t i = 0, first = 0; i < groups.size(); ++i) {
    if (groups[first].warp != groups[i].warp) first = i;
    while (groups[first].end_slot <= groups[i].first_slot) ++first;
    most = std::max(most, i - first + 1);
  }
  return most;
}

/// Over the warp's row: if rows are too low for bars below them, the row itself shows products in flight.
void draw_products_over_rows(const TimelineInput& in, Picture& picture) {
  constexpr float kOver = 0.8f;
  const TimelineLayout& layout = in.layout;
  for (const analysis::ProductsInFlight& each : in.content.products) {
    const uint32_t from = std::max(each.first_slot, layout.first_slot), to = std::min(each.end_slot, layout.end_slot());
    if (from >= to || each.warp < layout.first_warp || each.warp >= layout.end_warp()) continue;
    const float strength = each.warp == in.focus.cursor.warp ? 1 : kOtherWarps;
    picture.add(
        Rectangle{{layout.x_of(from), layout.top_of(each.warp), layout.x_of(to) - layout.x_of(from), layout.bar},
                  {Ink::Multiply, kOver * strength}});
  }
}

/// Under the warp's row, groups that are in flight at the same time one below the other.
void draw_groups(const TimelineInput& in, Picture& picture) {
  const TimelineLayout& layout = in.layout;
  const float gap = layout.pitch - layout.bar - 2;
  const std::vector<Group> groups = groups_of(in.content);
  const size_t rows = std::min(most_in_flight(groups), static_cast<size_t>(std::max(1.0f, gap / 2)));
  const float height = std::max(1.0f, gap / static_cast<float>(rows) - 1);
  size_t number = 0;
  for (size_t i = 0; i < groups.size(); ++i) {
    const Group& group = groups[i];
    number = i > 0 && groups[i - 1].warp == group.warp ? number + 1 : 0;
    const uint32_t from = std::max(group.first_slot, layout.first_slot),
                   to = std::min(group.end_slot, layout.end_slot());
    if (from >= to || group.warp < layout.first_warp || group.warp >= layout.end_warp()) continue;
    const float x = layout.x_of(from), row = static_cast<float>(number % rows);
    const float strength = group.warp == in.focus.cursor.warp ? 1 : kOtherWarps;
    picture.add(Rectangle{{x, layout.top_of(group.warp) + layout.bar + 1 + row * (height + 1),
                           std::max(1.0f, layout.x_of(to) - x - 2), height},
                          {group.ink, strength}});
  }
}

/// The copies for each mbarrier, by their first slot.
std::map<uint32_t, std::vector<analysis::CopiesInFlight>> stages_of(const TimelineContent& content) {
  std::map<uint32_t, std::vector<analysis::CopiesInFlight>> stages;
  for (const analysis::CopiesInFlight& copies : content.copies)
    if (!in_group(copies)) stages[copies.barrier].push_back(copies);
  for (auto& [barrier, all] : stages)
    std::sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.first_slot < b.first_slot; });
  return stages;
}

/// A row for each mbarrier: copies in flight, then arrived until the next ones.
void draw_stages(const TimelineInput& in, Picture& picture) {
  constexpr float kArrived = 0.35f;
  const TimelineLayout& layout = in.layout;
  const auto stages = stages_of(in.content);
  if (layout.stages.height <= 0 || stages.empty()) return;
  const float pitch = std::min(layout.stages.height / static_cast<float>(stages.size()), layout.text * 1.3f);
  const float bar = std::max(1.0f, pitch - 1.5f);
  const auto add = [&](uint32_t first, uint32_t end, float y, float strength) {
    const uint32_t from = std::max(first, layout.first_slot), to = std::min(end, layout.end_slot());
    if (from >= to) return;
    const float x = layout.x_of(from);
    picture.add(Rectangle{{x, y, std::max(1.0f, layout.x_of(to) - x - 0.5f), bar}, {Ink::AsyncCopy, strength}});
  };
  const auto name = [&](const std::string& words, float y, float room) {
    const Label label{{layout.plot.x - 8, y},      words,      {Ink::Faint}, Font::Mono,
                      std::min(layout.text, room), Align::End, Align::Centre};
    picture.add(label);
    picture.add(box_of(label, *in.canvas.measure), Target{Target::Kind::Word, Space::None, "stage", 0, 0});
  };
  // In low rows the names would overlap.
  const bool named = stages.size() == 1 || pitch >= kLeastWords;
  uint32_t number = 0;
  for (const auto& [barrier, all] : stages) {
    const float y = layout.stages.y + static_cast<float>(number) * pitch;
    for (size_t i = 0; i < all.size(); ++i) {
      add(all[i].first_slot, all[i].end_slot, y, 1);
      if (i + 1 < all.size()) add(all[i].end_slot, all[i + 1].first_slot, y, kArrived);
    }
    if (named) name(tr_format("stage {}", number), y + bar / 2, pitch);
    ++number;
  }
  if (!named) name(tr("stages"), layout.stages.y + static_cast<float>(number) * pitch / 2, layout.text);
}

Box mark_box(const TimelineLayout& layout, const TimelineMarks::Mark& mark) {
  const float height = std::clamp((layout.pitch - layout.bar) * 0.6f, 1.5f, 3.0f);
  Box box = layout.cell(mark.warp, mark.slot);
  box.y = mark.writes ? box.y - height : box.bottom();
  box.width = std::max(2.5f, box.width);
  box.x = std::min(box.x, layout.plot.right() - box.width);
  box.height = height;
  return box;
}

/// Reads are marked under the row, writes above it; adjacent marks become one.
void draw_marks(const TimelineInput& in, Picture& picture) {
  const auto add = [&](const Box& box) {
    if (box.width > 0) picture.add(Rectangle{box, {Ink::Hover}});
  };
  std::array<Box, 2> last{};
  for (const auto& mark : in.marks.marks) {
    if (!in.layout.shows(mark.warp, mark.slot)) continue;
    const Box box = mark_box(in.layout, mark);
    Box& open = last[mark.writes];
    if (open.y == box.y && box.x <= open.right() + 0.5f) {
      open.width = std::max(open.width, box.right() - open.x);
    } else {
      add(open);
      open = box;
    }
  }
  for (const Box& box : last) add(box);
}

void draw_flags(const TimelineInput& in, Picture& picture) {
  const TimelineLayout& layout = in.layout;
  for (const TimelineFlag& flag : in.content.flags) {
    if (!layout.shows(flag.warp, flag.slot)) continue;
    const Box cell = layout.cell(flag.warp, flag.slot);
    const float height = std::max(layout.bar, layout.text * 0.8f);
    const float x = std::min(cell.x, layout.plot.right() - height * 0.8f);
    const float top = std::max(layout.plot.y, cell.bottom() - height);
    picture.add(Rectangle{{x, top, 1.5f, height}, {Ink::Bad}});
    picture.add(Rectangle{{x, top, height * 0.7f, height * 0.5f}, {Ink::Bad}, {Ink::Window}, 1});
    Target target;
    target.kind = Target::Kind::Step;
    target.warp = flag.warp;
    target.index = flag.step;
    picture.add(Box{x, top, height * 0.8f, height}, target);
  }
}

void outline_step(const TimelineInput& in, const StepRef& at, Ink ink, Picture& picture) {
  const uint32_t slot = in.timeline().slot(at);
  if (!in.layout.shows(at.warp, slot)) return;
  Box box = in.layout.cell(at.warp, slot);
  const float grow = std::max(0.0f, 5 - box.width) / 2;
  box = {std::max(0.0f, box.x - grow), box.y - 1, box.width + 2 * grow, box.height + 2};
  picture.add(Rectangle{box, {Ink::Panel, 0}, {ink}, 2, 1});
}

void draw_lit_step(const TimelineInput& in, Picture& picture) {
  const Target& lit = in.focus.lit();
  if (lit.kind != Target::Kind::Step || lit.warp >= in.timeline().warps()) return;
  if (lit.index >= in.timeline().steps(lit.warp)) return;
  outline_step(in, {lit.warp, static_cast<uint32_t>(lit.index)}, Ink::Hover, picture);
}

/// Where the other warps are.
void draw_places(const TimelineInput& in, Picture& picture) {
  const TimelineLayout& layout = in.layout;
  for (uint32_t warp = layout.first_warp; warp < layout.end_warp(); ++warp) {
    const uint32_t reached = in.reached(warp);
    if (warp == in.focus.cursor.warp || reached < layout.first_slot || reached > layout.end_slot()) continue;
    const Box mark{layout.x_of(reached) - 1, layout.top_of(warp) - 1, 2, layout.bar + 2};
    picture.add(Rectangle{mark, {Ink::Accent}});
  }
}

/// A line down all rows, in step, with its head in the ruler, and the cursor's instruction in its row.
void draw_cursor(const TimelineInput& in, Picture& picture) {
  const TimelineLayout& layout = in.layout;
  const uint32_t slot = in.timeline().slot(in.focus.cursor);
  if (slot < layout.first_slot || slot >= layout.end_slot()) return;
  const float x = (layout.x_of(slot) + layout.x_of(slot + 1.0)) / 2;
  const float size = std::round(layout.text * 0.75f), top = layout.plot.y - size - 1;
  const float end = in.in_step() ? layout.plot.bottom() + 3 : layout.top_of(in.focus.cursor.warp) + layout.bar;
  picture.add(Rectangle{{x - 1, top, 2, end - top}, {Ink::Accent, in.in_step() ? 1 : 0.4f}});
  for (int i = 0; i < static_cast<int>(size); ++i) {
    const float half = (size - static_cast<float>(i)) * 0.6f;
    picture.add(Rectangle{{x - half, top + static_cast<float>(i), 2 * half, 1.6f}, {Ink::Accent}});
  }
  outline_step(in, in.focus.cursor, Ink::Accent, picture);
}

/// If only a part is shown: which one, as a bar at the bottom.
void draw_extent(const TimelineInput& in, Picture& picture) {
  const TimelineLayout& layout = in.layout;
  if (layout.slots >= in.timeline().slots()) return;
  const auto all = static_cast<float>(in.timeline().slots());
  const float y = in.canvas.height - 3, wide = layout.plot.width;
  picture.add(Rectangle{{layout.plot.x, y, wide, 3}, {Ink::Raised}, {Ink::Line, 0}, 1, 1.5f});
  const float width = std::max(8.0f, wide * static_cast<float>(layout.slots) / all);
  const float x = std::min(wide * static_cast<float>(layout.first_slot) / all, wide - width);
  picture.add(Rectangle{{layout.plot.x + x, y, width, 3}, {Ink::Faint}, {Ink::Line, 0}, 1, 1.5f});
}

}  // namespace

Ink ink_of(StepKind kind) {
  switch (kind) {
    case StepKind::Other: return Ink::OtherStep;
    case StepKind::LoadGlobal: return Ink::LoadGlobal;
    case StepKind::AsyncCopy: return Ink::AsyncCopy;
    case StepKind::StoreShared: return Ink::StoreShared;
    case StepKind::LoadShared: return Ink::LoadShared;
    case StepKind::Multiply: return Ink::Multiply;
    case StepKind::Barrier: return Ink::Barrier;
    case StepKind::StoreGlobal: return Ink::StoreGlobal;
  }
  return Ink::OtherStep;
}

TimelineView fitted(TimelineView view, uint32_t slots) {
  if (view.slots_shown == 0 || view.slots_shown >= slots) return {0, 0, view.first_warp};
  view.slots_shown = std::max(view.slots_shown, std::min(slots, kFewestSlots));
  view.first_slot = std::min(view.first_slot, slots - view.slots_shown);
  return view;
}

TimelineView zoomed(TimelineView view, uint32_t slots, float factor, float place) {
  const double shown = view.slots_shown == 0 ? slots : view.slots_shown;
  const double wanted = std::clamp(std::round(shown * static_cast<double>(factor)),
                                   std::min<double>(kFewestSlots, slots), static_cast<double>(slots));
  const double first = view.first_slot + (shown - wanted) * static_cast<double>(place);
  view.slots_shown = static_cast<uint32_t>(wanted);
  view.first_slot = static_cast<uint32_t>(std::max(0.0, std::round(first)));
  return fitted(view, slots);
}

TimelineView panned(TimelineView view, uint32_t slots, int64_t by) {
  view.first_slot = static_cast<uint32_t>(std::clamp<int64_t>(view.first_slot + by, 0, slots));
  return fitted(view, slots);
}

TimelineView following(TimelineView view, uint32_t slots, uint32_t slot) {
  view = fitted(view, slots);
  if (view.slots_shown == 0) return view;
  const uint32_t margin = view.slots_shown / 8;
  if (slot < view.first_slot + margin) view.first_slot = slot - std::min(slot, margin);
  if (slot + margin >= view.first_slot + view.slots_shown) view.first_slot = slot + margin + 1 - view.slots_shown;
  return fitted(view, slots);
}

float TimelineLayout::x_of(double slot) const {
  const double part = (slot - first_slot) / std::max(slots, 1u);
  return plot.x + static_cast<float>(part * static_cast<double>(plot.width));
}

uint32_t TimelineLayout::slot_at(float x) const {
  const double part = std::clamp(static_cast<double>((x - plot.x) / plot.width), 0.0, 1.0);
  const auto slot = static_cast<uint32_t>(part * slots);
  return first_slot + std::min(slot, slots == 0 ? 0 : slots - 1);
}

bool TimelineLayout::shows(uint32_t warp, uint32_t slot) const {
  return warp >= first_warp && warp < first_warp + warps && slot >= first_slot && slot < first_slot + slots;
}

Box TimelineLayout::cell(uint32_t warp, uint32_t slot) const {
  const float left = x_of(slot);
  return {left, top_of(warp), x_of(slot + 1.0) - left, bar};
}

namespace {

bool has_class(const ptx::Function& function, ptx::OpClass wanted) {
  return std::any_of(function.instructions.begin(), function.instructions.end(),
                     [&](const ptx::Instruction& instruction) { return ptx::class_of(instruction.op) == wanted; });
}

/// Leaves room below all rows for copies that complete on mbarriers.
bool copies_to_mbarriers(const ptx::Function& function) {
  return has_class(function, ptx::OpClass::MbarrierWait) &&
         (has_class(function, ptx::OpClass::BulkCopy) || has_class(function, ptx::OpClass::AsyncCopy));
}

/// Leaves room below each row for groups in flight: copies or wgmma.
bool works_in_groups(const ptx::Function& function) {
  const bool has_wgmma =
      std::any_of(function.instructions.begin(), function.instructions.end(),
                  [](const ptx::Instruction& instruction) { return instruction.op == ptx::Op::WgmmaMma; });
  return has_wgmma || (has_class(function, ptx::OpClass::AsyncCopy) && !copies_to_mbarriers(function));
}

}  // namespace

TimelineLayout timeline_layout(const Focus& focus, const Canvas& canvas, const TimelineView& wanted) {
  const analysis::Timeline& timeline = focus.traced->timeline;
  const TimelineView view = fitted(wanted, timeline.slots());
  TimelineLayout layout;
  layout.text = std::max(kLeastWords, std::min(canvas.text * 0.82f, canvas.height / 8));
  layout.first_slot = view.first_slot;
  layout.slots = view.slots_shown == 0 ? timeline.slots() : view.slots_shown;
  layout.warps = std::min(timeline.warps(), kWarpsShown);
  layout.first_warp = std::min(view.first_warp, timeline.warps() - layout.warps);
  const float left = std::round(canvas.measure->width(tr_format("warp {}", 31), Font::Mono, layout.text) + 14);
  layout.phases = canvas.height >= layout.text * static_cast<float>(6 + std::min(layout.warps, 4U));  // Beside rows.
  const float ruler = layout.text * (layout.phases ? 2.9f : 1.5f) + layout.text * 0.75f;
  layout.ruler = {left, 0, std::max(1.0f, canvas.width - left - 8), ruler - layout.text * 0.75f};
  const bool stages = copies_to_mbarriers(focus.traced->function());
  const float below = stages ? std::min(canvas.height * kStagesPart, layout.text * 5.2f) : 0;
  layout.plot = {left, ruler, layout.ruler.width, std::max(1.0f, canvas.height - ruler - 8 - below)};
  const bool groups = works_in_groups(focus.traced->function());
  layout.pitch = std::min(layout.plot.height / static_cast<float>(std::max(layout.warps, 1u)),
                          layout.text * (groups ? 3.4f : 2.2f));
  layout.bar = layout.pitch * (layout.pitch < 5 ? 0.85f : groups ? 0.5f : 0.72f);
  layout.plot.height = layout.pitch * static_cast<float>(layout.warps) - (layout.pitch - layout.bar);
  layout.stages = {left, layout.plot.bottom() + layout.text * 0.5f, layout.plot.width,
                   std::max(0.0f, below - layout.text * 0.5f)};
  return layout;
}

std::optional<StepRef> moment_at(const Focus& focus, const TimelineLayout& layout, Point point) {
  if (!layout.plot.contains(point) || layout.warps == 0) return std::nullopt;
  const auto row = static_cast<uint32_t>((point.y - layout.plot.y) / layout.pitch);
  const uint32_t warp = layout.first_warp + std::min(row, layout.warps - 1);
  if (focus.traced->timeline.steps(warp) == 0) return std::nullopt;
  return StepRef{warp, focus.traced->timeline.step_at_or_before(warp, layout.slot_at(point.x))};
}

Picture timeline_picture(const Focus& focus, const Canvas& canvas, const TimelineView& view,
                         const TimelineContent& content, const TimelineMarks& marks) {
  const TimelineInput in{focus, canvas, content, marks, timeline_layout(focus, canvas, view), warp_places(focus)};
  Picture picture;
  picture.width = canvas.width;
  picture.height = canvas.height;
  draw_tiles(in, picture);
  if (in.layout.phases) draw_phases(in, picture);
  name_warps(in, picture);
  draw_rows(in, picture);
  draw_barrier_lines(in, picture);
  if (in.layout.pitch - in.layout.bar < kLeastBarRoom) draw_products_over_rows(in, picture);
  draw_groups(in, picture);
  draw_stages(in, picture);
  draw_marks(in, picture);
  if (!focus.hidden.has(session::Fact::Findings)) draw_flags(in, picture);
  draw_lit_step(in, picture);
  if (!in.in_step()) draw_places(in, picture);
  draw_cursor(in, picture);
  draw_extent(in, picture);
  return picture;
}

}  // namespace tilescope::view
