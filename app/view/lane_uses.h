#pragma once

#include <vector>

#include "run/block_accesses.h"
#include "view/focus.h"
#include "view/warp_places.h"

namespace tilescope::view {

/// A lane's use of an element in the cursor's instruction.
struct LaneUse {
  const run::TracedArray* array = nullptr;
  uint64_t index = 0;  ///< Of the element, row-major in the allocated array.
  uint32_t lane = 0;
  enum class How : uint8_t {
    Reads,
    Writes,
    Uses,  ///< A multiply-add's factor, loaded into a register from there.
    Adds,  ///< A multiply-add's sum, stored there later.
  } how = How::Reads;
};

/// The elements that the instruction at `at` uses, lane by lane. Factors and sums are found by following values through
/// registers backwards and forwards.
std::vector<LaneUse> lane_uses(const run::TracedBlock& traced, const analysis::StepRef& at);

/// An element that warps of the block access at the cursor's moment.
struct WarpUse {
  const run::TracedArray* array = nullptr;
  uint64_t index = 0;    ///< As of LaneUse.
  uint32_t warp = 0;     ///< The first warp that accesses it.
  bool several = false;  ///< Other warps access it, too.
  bool now = false;      ///< By a warp's current instruction.
  bool done = false;     ///< By that or an earlier one.
};
/// The accesses of all warps at their current instruction; while the cursor's warp loads a k-tile, those of the whole
/// phase. By array and element.
std::vector<WarpUse> warp_uses(const Focus& focus, const WarpPlaces& places);

/// An element that the warp's wgmma reads of shared memory.
struct ProductUse {
  const run::TracedArray* array = nullptr;
  uint64_t index = 0;
};
/// Those of the instruction at `at`, if it is a wgmma.
std::vector<ProductUse> product_uses(const run::TracedBlock& traced, const analysis::StepRef& at);

/// Elements of the output that the lane's sums are stored to, by sum (see analysis::DataFlow::sums), in the order of
/// the stores.
struct SumElement {
  int32_t sum = -1;
  const run::TracedArray* array = nullptr;
  uint64_t index = 0;
  uint32_t step = 0;  ///< Of the store.
};
std::vector<SumElement> sum_elements(const run::TracedBlock& traced, uint32_t warp, uint32_t lane);

}  // namespace tilescope::view
