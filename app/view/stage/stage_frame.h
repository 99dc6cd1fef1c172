#pragma once

#include <array>
#include <vector>

#include "view/lane_uses.h"
#include "view/stage/array_facts.h"
#include "view/stage/stage_layout.h"
#include "view/stage/stage_mbarriers.h"
#include "view/stage/stage_swizzle.h"
#include "view/stage/stages_now.h"
#include "view/warp_places.h"

namespace tilescope::view {

/// A value moving from global to shared memory.
struct Transfer {
  const run::TracedArray* from = nullptr;
  uint64_t from_index = 0;  ///< Of the element, row-major in the array.
  const run::TracedArray* to = nullptr;
  uint64_t to_index = 0;
  uint32_t lane = 0;
};

/// The contents of the stage at one moment, before drawing. The functions that draw parts of the picture read only
/// this.
struct StageFrame {
  const Focus& focus;
  const run::TracedBlock& traced;
  const Canvas& canvas;
  const StageView& view;
  uint32_t slot = 0;  ///< Of the cursor, in the timeline.
  WarpPlaces places = {};
  std::vector<LaneUse> uses = {};              ///< Of the cursor's instruction; empty if a question is about them.
  std::vector<ProductUse> products = {};       ///< Likewise, shared memory read by a wgmma.
  std::vector<MbarrierUse> mbarriers = {};     ///< Likewise, of all warps.
  std::vector<SwizzledElement> swizzled = {};  ///< Likewise, from near, of a box that TMA swizzles.
  std::vector<WarpUse> warps = {};             ///< From warp_uses(), if they are shown instead of lanes.
  std::vector<run::Region> tiles = {};         ///< As tile_regions() has them.
  /// The elements of C that each lane of the cursor's warp stores; empty if not shown.
  std::array<std::vector<uint64_t>, trace::kLanes> owned = {};
  std::map<uint32_t, std::set<uint32_t>> helpers = {};  ///< As helpers_of_blocks() has them; none under a question.
  std::vector<ArrayPanel> panels = {};                  ///< The visible parts of the arrays.
  const run::TracedArray* banks = nullptr;              ///< The array coloured by bank, or null.
  std::vector<TileState> shared = {};         ///< Of shared arrays, by the number of the array; none under a question.
  std::vector<StagesNow> stages = {};         ///< Like `shared`; of an array that has them `shared` has nothing.
  std::vector<OutOfOrder> out_of_order = {};  ///< Empty while a question is about the checkers' findings.
  std::vector<std::vector<uint64_t>> spoiled = {};  ///< Like `shared`; none likewise.

  bool shows_grid() const { return view.level < 0.5f; }
  /// From near the lanes of the cursor's warp are distinguished, else the warps of the block.
  bool shows_lanes() const { return view.level >= 1.5f || traced.timeline.warps() == 1; }
  /// The colour of elements used by a lane of the cursor's warp, and of a number on it.
  Colour colour_of(uint32_t lane) const { return shows_lanes() ? lane_colour(lane) : warp_colour(focus.cursor.warp); }
  Colour text_on(uint32_t lane) const { return shows_lanes() ? on_lane(lane) : Colour{Ink::OnLight}; }
  /// From near, the values that the cursor's instruction puts into shared memory; while the stage moves back from such
  /// an instruction, that one's.
  std::vector<Transfer> transfers = {};
  std::vector<Transfer> later = {};  ///< Of the lit lane, what it loads here and will store.
  bool returns = false;              ///< Those of the instruction from which the cursor moved back.
  bool is_bulk = false;  ///< The cursor's instruction starts bulk copies: a lane's colour would be meaningless.

  /// Whether the other warps are as far as the cursor's.
  bool in_step() const { return focus.order == session::WarpOrder::InStep; }
  float line() const { return canvas.text * 1.3f; }  ///< From one line of words to the next.
  /// The elements of the array used by the cursor's instruction, once for each lane.
  std::vector<uint64_t> used(const run::TracedArray& array) const;
  bool is_swizzled(const run::TracedArray& array) const;  ///< Whether `swizzled` has elements of it.
  size_t number_of(const run::TracedArray& array) const;  ///< In BlockAccesses::arrays().
  /// The elements of the array that each block stored.
  std::vector<analysis::StoreRegion> stores_to(const run::TracedArray& array) const;
  /// Where several blocks sum products of the cursor's tile of C: the part of the input that each of them loads, by
  /// block. Empty if they are unknown, or not apart.
  std::map<uint32_t, run::Region> parts_of_k(const run::TracedArray& array) const;
  /// A flag for each element of the array up to the last wrong one; null if all are right, or a question is about it.
  const std::vector<bool>* wrong_in(const run::TracedArray& array) const;
  uint64_t blocks_run() const;                                   ///< How many blocks stored anything.
  uint64_t blocks_storing(const run::TracedArray& array) const;  ///< How many of them stored to the array.
  uint64_t blocks_of_cluster() const;                            ///< 1 without clusters.
  uint64_t cluster_of(uint64_t block) const;                     ///< The number of the cluster of a block of the grid.
  uint64_t sms() const;                                          ///< Of the device; 0 if unknown.
  uint64_t blocks_per_wave() const;                              ///< Resident on all SMs at a time; 0 if unknown.
};

StageFrame stage_frame(const Focus& focus, const Canvas& canvas, const StageView& view);

/// The shared array that the cursor's instruction loads from or stores to; or null.
const run::TracedArray* shared_access(const run::TracedBlock& traced, const analysis::StepRef& cursor);
/// The bank of shared memory in which an element begins.
uint32_t bank_of(const run::TracedArray& array, uint64_t index);

/// Elements as rectangles: runs along rows, those of neighbouring rows joined. No element is in two of them.
std::vector<run::Region> regions_of(const run::TracedArray& array, std::vector<uint64_t> elements);
/// The smallest region that holds them.
run::Region bounds_of(const run::TracedArray& array, const std::vector<uint64_t>& elements);
/// The part of a region in the window; may be empty.
run::Region clipped(run::Region region, const run::Region& window);

}  // namespace tilescope::view
