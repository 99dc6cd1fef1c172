#pragma once

#include <algorithm>
#include <vector>

#include "run/block_accesses.h"
#include "view/array_ink.h"
#include "view/focus.h"
#include "view/picture.h"

namespace tilescope::view {

/// The view of the stage.
struct StageView {
  float level = 1;  ///< 0 grid, 1 block, 2 warp; in between during an animation. 3, the thread, is a separate picture.
  float zoom = 1;   ///< On top of that.
  float pan_x = 0, pan_y = 0;     ///< In fractions of the canvas.
  bool banks = true;              ///< Colour the shared array accessed by the cursor's instruction by bank.
  float moved = 1;                ///< The panels' animation from their place at `before`, 0 to 1.
  analysis::StepRef before = {};  ///< The previous cursor; used while `moved` is less than 1.
  int slice = -1;                 ///< The shown slice of arrays with slices; -1: that of the cursor's warp and block.
};

/// An array of three extents or more is shown slice by slice: a matrix of its last two extents. How many it has; 1 of
/// fewer extents.
uint64_t slices_of(const run::TracedArray& array);
/// The number of the shown slice, of all leading extents as one. `slice` as in StageView; if none is chosen, that of
/// the cursor's access, else of the block's writes, else of its first access.
uint64_t slice_shown(const Focus& focus, const run::TracedArray& array, int slice);

/// A part of an array on the stage: A at the lower left, B at the upper right, C where they meet, and the shared arrays
/// that are filled from A and B between those and C.
struct ArrayPanel {
  const run::TracedArray* array = nullptr;
  Box box;
  run::Region window;  ///< Elements shown, in the array's own rows and columns.
  float strength = 1;  ///< 0: absent at this level.
  Ink ink = Ink::ArrayOther;
  /// Of C: how many rows and columns past the window's end have threads but no elements. There is room for them.
  uint64_t rows_beyond = 0, columns_beyond = 0;
  bool named_above = false;  ///< Its name has room above it, whatever its place.
  /// From afar: its elements are wider or narrower, higher or lower, than those of the picture's scale.
  bool broken_across = false, broken_down = false;

  bool transposed() const { return array->transposed; }
  /// As drawn: those of the window, swapped if the array is drawn transposed.
  uint64_t rows_shown() const { return transposed() ? window.columns() : window.rows(); }
  uint64_t columns_shown() const { return transposed() ? window.rows() : window.columns(); }
  float cell_width() const { return box.width / static_cast<float>(std::max<uint64_t>(1, columns_shown())); }
  float cell_height() const { return box.height / static_cast<float>(std::max<uint64_t>(1, rows_shown())); }
  /// Including the part beyond the window.
  Box whole_box() const {
    return {box.x, box.y, box.width + static_cast<float>(columns_beyond) * cell_width(),
            box.height + static_cast<float>(rows_beyond) * cell_height()};
  }
  /// The box of a region's elements, which must be in the window.
  Box place(const run::Region& region) const;
};

/// Of the elements that a block touches of an array with slices, those in the panel's slice: a box of several slices
/// has the same rows in each of them. For other arrays all.
run::Region part_on_show(const ArrayPanel& panel, const run::Region& region);

/// The level of a scale at the cursor. Not closer than the block if a question is about accesses: the shown parts of
/// the arrays would reveal them.
float level_of(session::Scale scale, const Focus& focus);

/// Calls visit(moment, record, addresses) for each access of the block in the cursor's k-tile, warp by warp, before
/// `column`.
template <class Visit>
void for_each_access_in_tile(const run::TracedBlock& traced, const analysis::StepRef& cursor, uint32_t column,
                             Visit visit);

/// Calls visit(moment, bulk copy) for those that the block starts in the cursor's k-tile, warp by warp.
template <class Visit>
void for_each_bulk_copy_in_tile(const run::TracedBlock& traced, const analysis::StepRef& cursor, Visit visit);

/// The elements of each array that the traced block touches in the k-tile of the cursor; as BlockAccesses::arrays().
std::vector<run::Region> tile_regions(const run::TracedBlock& traced, const analysis::StepRef& cursor);

/// The panels of the arrays in an area of the canvas, before zoom and pan. In between two levels, panels in between.
/// `tiles` as tile_regions() has them.
std::vector<ArrayPanel> stage_panels(const Focus& focus, const Box& area, float level,
                                     const std::vector<run::Region>& tiles, int slice = -1);

/// Panels between `from` and `to`, the same arrays in the same order.
std::vector<ArrayPanel> panels_between(const std::vector<ArrayPanel>& from, const std::vector<ArrayPanel>& to,
                                       float part);

/// The panel after zoom and pan, cut to `area`; rows() is 0 if nothing is inside.
ArrayPanel visible_part(ArrayPanel panel, const Box& area, const StageView& view);

template <class Visit>
void for_each_bulk_copy_in_tile(const run::TracedBlock& traced, const analysis::StepRef& cursor, Visit visit) {
  const analysis::Timeline& timeline = traced.timeline;
  const auto tile = static_cast<size_t>(std::max(0, timeline.tile(cursor)));
  for (const trace::BulkRecord& copy : traced.trace.bulk_copies()) {
    const std::vector<uint32_t>& tiles = timeline.tiles(copy.at.warp);
    if (tile >= tiles.size()) continue;
    const uint32_t end = tile + 1 < tiles.size() ? tiles[tile + 1] : timeline.steps(copy.at.warp);
    if (copy.at.warp_step >= tiles[tile] && copy.at.warp_step < end)
      visit(analysis::StepRef{copy.at.warp, copy.at.warp_step}, copy);
  }
}

template <class Visit>
void for_each_access_in_tile(const run::TracedBlock& traced, const analysis::StepRef& cursor, uint32_t column,
                             Visit visit) {
  const analysis::Timeline& timeline = traced.timeline;
  const auto tile = static_cast<size_t>(std::max(0, timeline.tile(cursor)));
  uint64_t addresses[trace::kLanes];
  for (uint32_t warp = 0; warp < timeline.warps(); ++warp) {
    const std::vector<uint32_t>& tiles = timeline.tiles(warp);
    if (tile >= tiles.size()) continue;
    const uint32_t end = tile + 1 < tiles.size() ? tiles[tile + 1] : timeline.steps(warp);
    const uint32_t* last = timeline.records({warp, end}).first;
    for (const uint32_t* record = timeline.records({warp, tiles[tile]}).first; record != last; ++record) {
      if (traced.trace.kind(*record) != trace::RecordKind::Access || traced.trace.active(*record) == 0) continue;
      const analysis::StepRef at{warp, traced.trace.step(*record).warp_step};
      if (timeline.slot(at) >= column) break;
      traced.trace.addresses(*record, addresses);
      visit(at, *record, addresses);
    }
  }
}

}  // namespace tilescope::view
