#include "view/stage/stage_copy.h"

#include <algorithm>
#include <bit>

#include "view/lane_uses.h"
#include "view/stage/array_facts.h"

namespace tilescope::view {
namespace {
using run::Region;
using run::Side;
using run::TracedArray;
using run::TracedBlock;

constexpr float kPanelsApart = 14;  // Pixels between B's panels.
// Long rows have narrow cells; if there are few of them they are at least this high, in pixels, for lanes' numbers.
constexpr float kFewRows = 8, kLeastCopiedRow = 17;

/// An access of the warp that fills shared memory.
struct CopyAccess {
  uint32_t step = 0, record = 0;
  const TracedArray* array = nullptr;
};

/// The warp's accesses of arrays from `phase.begin` to `phase.end`, in order.
std::vector<CopyAccess> accesses_in(const TracedBlock& traced, uint32_t warp, const analysis::Phase& phase) {
  std::vector<CopyAccess> accesses;
  uint64_t addresses[trace::kLanes];
  const uint32_t* last = traced.timeline.records({warp, phase.end}).first;
  for (const uint32_t* record = traced.timeline.records({warp, phase.begin}).first; record != last; ++record) {
    if (traced.trace.kind(*record) != trace::RecordKind::Access || traced.trace.active(*record) == 0) continue;
    traced.trace.addresses(*record, addresses);
    const uint64_t first = addresses[std::countr_zero(traced.trace.active(*record))];
    const TracedArray* array = traced.accesses.find(traced.trace.space(*record), first);
    if (array && array->columns > 0) accesses.push_back({traced.trace.step(*record).warp_step, *record, array});
  }
  return accesses;
}

/// The step of the global load of the access's values: its own, or that of the values it stores.
uint32_t source_step(const TracedBlock& traced, uint32_t warp, const CopyAccess& access) {
  if (access.array->allocation.space != Space::Shared) return access.step;
  uint64_t addresses[trace::kLanes];
  traced.trace.addresses(access.record, addresses);
  const auto lane = static_cast<uint32_t>(std::countr_zero(traced.trace.active(access.record)));
  const auto from = traced.accesses.data_flow().source_of_store({warp, access.step}, lane, addresses[lane]);
  return from ? from->at.step : UINT32_MAX;
}

/// The two panels of a copy, at one side of the figure.
struct Copy {
  ArrayPanel* global = nullptr;
  ArrayPanel* shared = nullptr;
};

/// The layout of a copy's panels, and the size of their cells.
struct CopyLayout {
  bool below = false;       ///< The shared array is below the global one, not beside it.
  float cell = 0, row = 0;  ///< Width and height of a cell.
  float width = 0, height = 0;
};

// Above an array at the left are its name and the touched elements.
constexpr float kNameRoom = 42, kMostCopyCell = 46;

/// `least`: height of few rows.
CopyLayout copy_layout(const Copy& copy, Side side, float most, float least, float width) {
  const ArrayPanel &global = *copy.global, &shared = copy.shared ? *copy.shared : *copy.global;
  const float columns = static_cast<float>(global.columns_shown()), rows = static_cast<float>(global.rows_shown()),
              others = copy.shared ? static_cast<float>(shared.columns_shown()) : 0,
              other_rows = copy.shared ? static_cast<float>(shared.rows_shown()) : 0;
  const float gap = side == Side::A ? kNameRoom : kPanelsApart;
  const float beside = std::min(most, (width - kNameRoom) / std::max(1.0f, columns + others));
  const float below = std::min(most, width / std::max(1.0f, std::max(columns, others)));
  const bool few_beside = std::max(rows, other_rows) <= kFewRows;
  if (side == Side::A && (beside >= below || (few_beside && below < least))) {
    const float row = std::max(beside, few_beside ? least : 0);
    return {false, beside, row, (columns + others) * beside + kNameRoom, std::max(rows, other_rows) * row};
  }
  const float row = std::max(below, rows + other_rows <= kFewRows ? least : 0);
  return {true, below, row, std::max(columns, others) * below, (rows + other_rows) * row + gap};
}

void place_copy(const Copy& copy, const CopyLayout& layout, float gap, float x, float y) {
  const auto box_at = [&](const ArrayPanel& panel, float left, float top) {
    return Box{left, top, static_cast<float>(panel.columns_shown()) * layout.cell,
               static_cast<float>(panel.rows_shown()) * layout.row};
  };
  copy.global->box = box_at(*copy.global, x, y);
  if (copy.shared)
    copy.shared->box = layout.below ? box_at(*copy.shared, x, copy.global->box.bottom() + gap)
                                    : box_at(*copy.shared, copy.global->box.right() + kNameRoom, y);
}

}  // namespace

namespace {

/// The box of a bulk copy at both sides. Shared memory that is not declared as an array has no place on the stage.
void add_box(const TracedBlock& traced, const trace::BulkRecord& copy, std::vector<Region>& regions) {
  const auto add = [&](Space space, uint64_t address, uint32_t bytes) {
    const TracedArray* array = traced.accesses.find(space, address);
    if (!array || array->columns == 0 || array->allocation.shape.size() < 2) return;
    Region& region = regions[static_cast<size_t>(array - traced.accesses.arrays().data())];
    for (const uint64_t end : {address, address + bytes - 1})
      if (array->allocation.contains(end))
        region.add(array->index_of(end) / array->columns, array->index_of(end) % array->columns);
  };
  for (const trace::BulkCopy::Piece& piece : copy.pieces) {
    add(Space::Shared, piece.shared, piece.bytes);
    if (piece.global != trace::BulkCopy::kNowhere) add(Space::Global, piece.global, piece.bytes);
  }
}

}  // namespace

std::vector<Region> copy_regions(const TracedBlock& traced, const analysis::StepRef& cursor) {
  const std::vector<TracedArray>& arrays = traced.accesses.arrays();
  std::vector<Region> regions(arrays.size());
  if (const auto boxes = traced.timeline.bulk_copies(cursor); !boxes.empty()) {
    for (const trace::BulkRecord* box : boxes) add_box(traced, *box, regions);
    return regions;
  }
  const analysis::Timeline& timeline = traced.timeline;
  const analysis::Phase& phase = timeline.phase(cursor);
  const bool stores = timeline.steps(cursor.warp) > 0 && timeline.kind(cursor) == analysis::StepKind::StoreShared;
  if ((phase.kind != analysis::PhaseKind::Load && !stores) || traced.trace.header().shared.empty()) return regions;
  const auto add = [&](const CopyAccess& access) {
    Region& region = regions[static_cast<size_t>(access.array - arrays.data())];
    run::for_each_accessed(traced.trace, *access.array, access.record, [&](uint64_t index, uint32_t) {
      region.add(index / access.array->columns, index % access.array->columns);
    });
  };
  const std::vector<CopyAccess> accesses = accesses_in(traced, cursor.warp, phase);
  for (const Side side : {Side::A, Side::B}) {
    // The last access at or before the cursor, else the first after it.
    const CopyAccess* nearest = nullptr;
    for (const CopyAccess& access : accesses)
      if (access.array->side == side && (!nearest || access.step <= cursor.step)) nearest = &access;
    if (!nearest) continue;
    const uint32_t load = source_step(traced, cursor.warp, *nearest);
    for (const CopyAccess& access : accesses)
      if (access.array->side == side && source_step(traced, cursor.warp, access) == load) add(access);
  }
  return regions;
}

namespace {

/// As far across, or down, as the array with its padding: a store also shows its purpose. Not if that many cells would
/// be too small and the copied ones a small part.
Region with_padding(const TracedArray& array, Region region) {
  constexpr uint64_t kMostCells = 64, kMostTimes = 4;
  if (region.empty()) return region;
  const auto has_room = [](uint64_t all, uint64_t copied) { return all <= kMostCells || all <= kMostTimes * copied; };
  for (const Region& unused : never_accessed(array)) {
    const uint64_t part = array.extents.empty() ? array.columns : array.allocation.shape.back();
    if (unused.column > 0 && has_room(part, region.columns())) {
      region.column = region.column / part * part;
      region.column_end = (region.column_end + part - 1) / part * part;
    }
    if (unused.row > 0 && array.stage_copies.empty() && has_room(array.rows, region.rows())) {
      region.row = 0;
      region.row_end = array.rows;
    }
  }
  return region;
}

}  // namespace

namespace {

/// What the block makes of C, small and pale below a copy that leaves room: where the copied elements will go.
bool place_output(const Box& area, float height, std::vector<ArrayPanel>& panels) {
  constexpr float kLeastHeight = 60, kMostHeight = 150, kStrength = 0.45f;
  if (height < kLeastHeight) return false;
  for (ArrayPanel& panel : panels) {
    if (!panel.array->is_output() || panel.array->touched.empty()) continue;
    panel.window = panel.array->touched;
    panel.strength = kStrength;
    const float cell = std::min(std::min(height, kMostHeight) / static_cast<float>(panel.rows_shown()),
                                area.width / 2 / static_cast<float>(panel.columns_shown()));
    panel.box = {area.x, 0, cell * static_cast<float>(panel.columns_shown()),
                 cell * static_cast<float>(panel.rows_shown())};
    panel.box.y = area.bottom() - panel.box.height;
    return true;
  }
  return false;
}

}  // namespace

std::vector<ArrayPanel> copy_panels(const Focus& focus, const Box& area, const std::vector<Region>& copies) {
  std::vector<ArrayPanel> panels;
  for (size_t i = 0; i < copies.size(); ++i) {
    const TracedArray& array = focus.traced->accesses.arrays()[i];
    const bool shared = array.allocation.space == Space::Shared;
    const Region window = shared ? with_padding(array, copies[i]) : copies[i];
    panels.push_back({&array, {}, window, window.empty() ? 0.0f : 1.0f, array_ink(array)});
  }
  const auto copy_of = [&](Side side) {
    Copy copy;
    for (ArrayPanel& panel : panels)
      if (panel.array->side == side && !panel.window.empty())
        (panel.array->allocation.space == Space::Shared ? copy.shared : copy.global) = &panel;
    if (!copy.global) std::swap(copy.global, copy.shared);
    return copy;
  };
  Copy a = copy_of(Side::A);
  const Copy b = copy_of(Side::B);
  if (!a.global) a = copy_of(Side::C);  // A store's; it has the whole stage.
  for (ArrayPanel* panel : {a.global, a.shared})
    if (panel) panel->named_above = true;
  CopyLayout of_a, of_b;
  float cell = 0;
  const auto height = [&](float least) {
    if (a.global) of_a = copy_layout(a, Side::A, cell, least, area.width);
    if (b.global) of_b = copy_layout(b, Side::B, cell, least, area.width);
    return of_a.height + of_b.height + (a.global ? kNameRoom : 0);
  };
  float used = 0;
  for (const float least : {kLeastCopiedRow, 0.0f}) {
    cell = kMostCopyCell;
    while (cell > 1 && height(least) > area.height) cell *= 0.97f;
    used = height(least);
    if (used <= area.height) break;
  }
  const float left = area.x + std::max(0.0f, (area.width - std::max(of_a.width, of_b.width)) / 2);
  const float rest = area.height - used - kNameRoom;
  const bool shows_output = a.global && a.global->array->side != Side::C &&
                            place_output({left, area.y, area.width, area.height}, rest, panels);
  const float top = area.y + (shows_output ? 0 : std::max(0.0f, (area.height - used) / 2));
  if (b.global) place_copy(b, of_b, kPanelsApart, left, top);
  if (a.global) place_copy(a, of_a, kNameRoom, left, top + of_b.height + kNameRoom);
  return panels;
}

}  // namespace tilescope::view
