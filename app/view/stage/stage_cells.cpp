#include "view/stage/stage_cells.h"

#include <algorithm>
#include <map>

#include "run/inputs.h"
#include "view/stage/cell_painter.h"

namespace tilescope::view {
namespace {
using run::Region;
using run::Side;
using run::TracedArray;

constexpr float kGround = 0.22f;      // Strength of an element that the block does not use.
constexpr float kSource = 0.45f;      // Of one whose value the cursor's instruction puts into shared memory.
constexpr float kUnusedBank = 0.32f;  // Of one that the cursor's instruction does not access.

/// The animation from the grid to the block, 0 to 1.
float closeness(const StageFrame& frame) { return std::min(1.0f, frame.view.level); }

/// The elements of an input that the block reads in all, and in this k-tile.
void paint_input(const StageFrame& frame, CellPainter& cells) {
  const float far = 1 - closeness(frame);
  if (frame.focus.hidden.has(session::Fact::Accesses) && far > 0) return;
  const ArrayPanel& panel = cells.panel();
  const Region& tile = frame.tiles[frame.number_of(*panel.array)];
  for (const Region& rows : panel.array->touched_rows) {
    cells.fill(part_on_show(panel, rows), {panel.ink, kGround + 0.17f * far});
    cells.fill(clipped(rows, tile), {panel.ink, 0.38f + 0.16f * far});
  }
}

/// The elements of a shared array written so far in this k-tile; if warps are not in step, by whom.
void paint_written(const StageFrame& frame, CellPainter& cells) {
  if (frame.shared.empty()) return;
  const TileState& state = frame.shared[frame.number_of(*cells.panel().array)];
  for (size_t i = 0; i < state.written.size(); ++i)
    cells.set(state.written[i],
              frame.in_step() ? Colour{cells.panel().ink, 0.42f} : warp_colour(state.writers[i], 0.42f));
}

/// Stages that have been copied into; fainter if the copies are still in flight.
void paint_stages(const StageFrame& frame, CellPainter& cells) {
  if (frame.stages.empty()) return;
  const TracedArray& array = *cells.panel().array;
  const StagesNow& stages = frame.stages[frame.number_of(array)];
  for (const uint32_t stage : stages.arrived) cells.fill(region_of_stage(array, stage), {cells.panel().ink, 0.42f});
  for (const uint32_t stage : stages.on_the_way) cells.fill(region_of_stage(array, stage), {cells.panel().ink, 0.32f});
}

/// Blocks of later waves are lighter; without an occupancy all are equal.
void paint_blocks(const StageFrame& frame, CellPainter& cells, float strength) {
  const uint64_t wave = frame.blocks_per_wave(), total = frame.traced.report.grid.count();
  const auto waves = static_cast<float>(wave == 0 ? 1 : (total + wave - 1) / wave);
  for (const analysis::StoreRegion& stores : frame.stores_to(*cells.panel().array)) {
    const float number = wave == 0 ? 0 : static_cast<float>(stores.block / wave);
    const bool traced = stores.block == frame.traced.block;
    const float shade = 0.25f + 0.35f * (waves <= 1 ? 0.5f : number / (waves - 1));
    cells.fill(part_on_show(cells.panel(), stores.region), {cells.panel().ink, (traced ? 0.95f : shade) * strength});
  }
}

/// The elements that each warp stores, brighter once stored; those of several warps in the array's colour. From near
/// other warps' elements are shown only then.
void paint_stores(const StageFrame& frame, CellPainter& cells) {
  const Ink ink = cells.panel().ink;
  const std::vector<uint64_t>& of_several = frame.traced.accesses.output_of_several();
  for (uint32_t warp = 0; warp < frame.traced.timeline.warps(); ++warp)
    for (const run::OutputStore& store : frame.traced.accesses.output_stores(warp)) {
      const bool mine = warp == frame.focus.cursor.warp, stored = frame.places.has_executed({warp, store.step});
      if (store.part != 0 || (!mine && !stored && frame.shows_lanes())) continue;  // The first part represents all.
      run::for_each_accessed(
          frame.traced.trace, *cells.panel().array, store.record, [&](uint64_t index, uint32_t lane) {
            const bool several = !frame.shows_lanes() && std::ranges::binary_search(of_several, index);
            Colour colour = mine && !several                 ? frame.colour_of(lane)
                            : frame.shows_lanes() || several ? Colour{ink, 0.6f}
                                                             : warp_colour(warp, stored ? 0.5f : 0.38f);
            if (mine && !stored) colour.strength = 0.86f;
            cells.set(index, colour);
          });
    }
}

/// What bulk copies bring from the stores of each warp. Which lane made an element is not known.
void paint_copied(const StageFrame& frame, CellPainter& cells) {
  for (uint32_t warp = 0; warp < frame.traced.timeline.warps(); ++warp) {
    const bool mine = warp == frame.focus.cursor.warp;
    const Colour colour =
        frame.shows_lanes() ? Colour{cells.panel().ink, mine ? 0.7f : 0.3f} : warp_colour(warp, mine ? 0.86f : 0.38f);
    for (const uint64_t index : frame.traced.accesses.copied_output(warp)) cells.set(index, colour);
  }
}

/// From further away, the elements that are not what they should be.
void paint_wrong(const StageFrame& frame, CellPainter& cells) {
  const TracedArray& array = *cells.panel().array;
  const std::vector<bool>* wrong = frame.wrong_in(array);
  if (!wrong) return;
  for (const kernel::ArrayShape& shape : frame.traced.prepared->configuration.arrays) {
    if (shape.space != Space::Global || shape.name != array.allocation.name) continue;
    run::for_each_element(shape, [&](uint64_t number, uint64_t index) {
      if (number < wrong->size() && (*wrong)[number]) cells.set(index, {Ink::Bad, 1});
    });
  }
}

void paint_output(const StageFrame& frame, CellPainter& cells) {
  const float near = closeness(frame);
  if (!frame.focus.hidden.has(session::Fact::Accesses) && near < 1) paint_blocks(frame, cells, 1 - near);
  if (!frame.focus.hidden.has(session::Fact::Accesses) || near >= 1)
    cells.fill(part_on_show(cells.panel(), cells.panel().array->touched), {cells.panel().ink, 0.32f});
  if (!frame.focus.hidden.has(session::Fact::Accesses) && !frame.shows_grid()) {
    paint_copied(frame, cells);
    paint_stores(frame, cells);
  }
  if (!frame.shows_lanes()) paint_wrong(frame, cells);
}

/// The accesses of other warps at their current instruction.
void paint_other_warps(const StageFrame& frame, CellPainter& cells) {
  const analysis::Timeline& timeline = frame.traced.timeline;
  for (uint32_t warp = 0; warp < timeline.warps(); ++warp) {
    const uint32_t executed = frame.places.executed[warp];
    const bool other = warp != frame.focus.cursor.warp && executed > 0;
    const auto record = other ? timeline.access({warp, executed - 1}) : std::nullopt;
    if (!record) continue;
    run::for_each_accessed(frame.traced.trace, *cells.panel().array, *record, [&](uint64_t index, uint32_t) {
      cells.set(index, {cells.panel().ink, 0.7f});
    });
  }
}

/// The accesses of each warp in its hue, elements of several warps in the array's: brightest the current ones, then
/// those already loaded in this k-tile, then the rest.
void paint_warps(const StageFrame& frame, CellPainter& cells) {
  for (const WarpUse& use : frame.warps) {
    if (use.array != cells.panel().array) continue;
    const float strength = use.now ? 0.8f : use.done ? 0.55f : 0.38f;
    cells.set(use.index, use.several ? Colour{cells.panel().ink, strength} : warp_colour(use.warp, strength));
  }
}

/// Each element in its bank's hue; those accessed by the cursor's instruction are bright.
void paint_banks(const StageFrame& frame, CellPainter& cells) {
  const TracedArray& array = *cells.panel().array;
  const Region& window = cells.panel().window;
  for (uint64_t row = window.row; row < window.row_end; ++row)
    for (uint64_t column = window.column; column < window.column_end; ++column)
      cells.set(row, column, bank_colour(bank_of(array, row * array.columns + column), kUnusedBank));
  for (const uint64_t index : frame.used(array)) cells.set(index, bank_colour(bank_of(array, index)));
}

/// The elements of the cursor's instruction: one lane's in that lane's colour, those of several in the array's; from
/// further away in the warp's.
void paint_uses(const StageFrame& frame, CellPainter& cells) {
  struct Lanes {
    uint32_t first = 0;
    int count = 0;
  };
  std::map<uint64_t, Lanes> users;
  for (const LaneUse& use : frame.uses)
    if (use.array == cells.panel().array) ++users.try_emplace(use.index, Lanes{use.lane, 0}).first->second.count;
  for (const Transfer& transfer : frame.transfers)
    if (transfer.from == cells.panel().array && !frame.returns && !frame.is_bulk)
      cells.set(transfer.from_index, lane_colour(transfer.lane, kSource));
  for (const ProductUse& use : frame.products)
    if (use.array == cells.panel().array) cells.set(use.index, frame.colour_of(0));
  for (const auto& [index, lanes] : users) {
    const bool of_lane = !frame.is_bulk && (lanes.count == 1 || !frame.shows_lanes());
    cells.set(index, of_lane ? frame.colour_of(lanes.first) : Colour{cells.panel().ink, 1});
  }
}

}  // namespace

void add_cells(const StageFrame& frame, const ArrayPanel& panel, Picture& picture) {
  CellPainter cells(panel, {panel.ink, kGround});
  const bool covered = frame.focus.hidden.has(session::Fact::Accesses);
  if (panel.array == frame.banks) {
    paint_banks(frame, cells);
    cells.add_to(picture);
    return;
  }
  if (panel.array->is_output()) {
    paint_output(frame, cells);
  } else if (panel.array->allocation.space != Space::Shared) {
    paint_input(frame, cells);
  } else {
    paint_stages(frame, cells);
    paint_written(frame, cells);
  }
  if (!covered && frame.view.level > 0.5f) {
    frame.shows_lanes() ? paint_other_warps(frame, cells) : paint_warps(frame, cells);
    paint_uses(frame, cells);
    for (const SwizzledElement& element : frame.swizzled)
      if (element.array == panel.array) cells.set(element.index, chunk_colour(element.chunk));
  }
  cells.add_to(picture);
}

}  // namespace tilescope::view
