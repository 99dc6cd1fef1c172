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

/// A value on its way from global to shared memory.
struct Transfer {
  const run::TracedArray* from = nullptr;
  uint64_t from_index = 0;  ///< Of the element, row-major in the array.
  const run::TracedArray* to = nullptr;
  uint64_t to_index = 0;
  uint32_t lane = 0;
};

/// What is on the stage at one moment, before any of it is drawn. The functions that draw a part of the picture read
/// this and nothing of one another.
struct StageFrame {
  const Focus& focus;
  const run::TracedBlock& scene;
  const Canvas& canvas;
  const StageView& view;
  uint32_t slot = 0;  ///< Of the cursor, in the timeline.
  WarpPlaces places = {};
  std::vector<LaneUse> uses = {};              ///< Of the cursor's instruction; empty where a question asks for them.
  std::vector<ProductUse> products = {};       ///< Likewise, what a wgmma reads of shared memory.
  std::vector<MbarrierUse> mbarriers = {};     ///< Likewise, of all warps.
  std::vector<SwizzledElement> swizzled = {};  ///< Likewise, from near, of a box that TMA swizzles.
  std::vector<WarpUse> warps = {};             ///< As warp_uses() has them, where they are shown in place of lanes.
  std::vector<run::Region> tiles = {};         ///< As tile_regions() has them.
  /// The elements of C that each lane of the cursor's warp stores; empty where that is not shown.
  std::array<std::vector<uint64_t>, trace::kLanes> owned = {};
  std::vector<ArrayPanel> panels = {};        ///< What can be seen of the arrays.
  const run::TracedArray* banks = nullptr;    ///< Coloured by bank; null: none is.
  std::vector<TileState> shared = {};         ///< Of shared arrays, by the number of the array; none under a question.
  std::vector<StagesNow> stages = {};         ///< Like `shared`; of an array that has them `shared` has nothing.
  std::vector<OutOfOrder> out_of_order = {};  ///< None while a question asks for what the checkers find.
  std::vector<std::vector<uint64_t>> spoiled = {};  ///< Like `shared`; none likewise.

  bool shows_grid() const { return view.level < 0.5f; }
  /// From near the lanes of the cursor's warp are told apart, else the warps of the block.
  bool shows_lanes() const { return view.level >= 1.5f || scene.timeline.warps() == 1; }
  /// The colour of what a lane of the cursor's warp has to do with, and of a number on it.
  Colour colour_of(uint32_t lane) const { return shows_lanes() ? lane_colour(lane) : warp_colour(focus.cursor.warp); }
  Colour text_on(uint32_t lane) const { return shows_lanes() ? on_lane(lane) : Colour{Ink::OnLight}; }
  /// From near, what the cursor's instruction puts into shared memory; while the stage moves back from such an
  /// instruction, what that one did.
  std::vector<Transfer> transfers = {};
  bool returns = false;  ///< Those of an instruction that the cursor has gone back from.
  bool is_bulk = false;  ///< The cursor's instruction starts bulk copies: a lane's colour would say nothing of them.

  /// Whether the other warps are as far as the cursor's.
  bool in_step() const { return focus.order == session::WarpOrder::InStep; }
  float line() const { return canvas.text * 1.3f; }  ///< From one line of words to the next.
  /// The elements of the array that the cursor's instruction has to do with, each as often as lanes have.
  std::vector<uint64_t> used(const run::TracedArray& array) const;
  bool is_swizzled(const run::TracedArray& array) const;  ///< Whether `swizzled` has elements of it.
  size_t number_of(const run::TracedArray& array) const;  ///< In BlockAccesses::arrays().
  /// What every block that ran stored to the array.
  std::vector<analysis::StoreRegion> stores_to(const run::TracedArray& array) const;
  uint64_t blocks_run() const;                ///< How many blocks that is, of which at least something was stored.
  uint64_t blocks_of_cluster() const;         ///< 1 where the kernel has no clusters.
  uint64_t cluster_of(uint64_t block) const;  ///< The number of the cluster of a block of the grid.
  uint64_t sms() const;                       ///< Of the device; 0 where it is not known.
  uint64_t blocks_per_wave() const;           ///< That run at a time on all SMs; 0 where it is not known.
};

StageFrame stage_frame(const Focus& focus, const Canvas& canvas, const StageView& view);

/// The shared array that the cursor's instruction loads from or stores to; null when there is none.
const run::TracedArray* shared_access(const run::TracedBlock& scene, const analysis::StepRef& cursor);
/// The bank of shared memory in which an element begins.
uint32_t bank_of(const run::TracedArray& array, uint64_t index);

/// Elements as rectangles: runs along rows, those of neighbouring rows joined. No element is in two of them.
std::vector<run::Region> regions_of(const run::TracedArray& array, std::vector<uint64_t> elements);
/// The smallest region that holds them.
run::Region bounds_of(const run::TracedArray& array, const std::vector<uint64_t>& elements);
/// What of a region lies in the window; empty where nothing does.
run::Region clipped(run::Region region, const run::Region& window);

}  // namespace tilescope::view
