#pragma once

#include <vector>

#include "view/focus.h"

namespace tilescope::view {

/// The progress of each warp of the block while one of them is at the cursor, in the order of the focus.
struct WarpPlaces {
  std::vector<uint32_t> executed;  ///< By warp, how many of its instructions. The cursor's warp is at its last one.

  bool has_executed(const analysis::StepRef& at) const { return at.step < executed[at.warp]; }
  /// The warp's current instruction; nullopt before its first one, also after a barrier.
  bool is_at(const analysis::StepRef& at) const { return at.step + 1 == executed[at.warp]; }
};
WarpPlaces warp_places(const Focus& focus);

enum class WarpState : uint8_t {
  Runs,
  Released,  ///< Has issued nothing since the last barrier.
  Waits,     ///< Has arrived at the next barrier.
  Ended,
};
WarpState state_of(const Focus& focus, const WarpPlaces& places, uint32_t warp);

/// An access of the cursor's warp and one of another warp to the same shared element in the same interval between
/// barriers, one of them a write, in a different order than in step.
struct OutOfOrder {
  enum class Kind : uint8_t {
    NotYetWritten,  ///< The cursor's instruction reads an element that the other has not written yet.
    Overwritten,    ///< It reads an element that the other has already overwritten.
    StillNeeded,    ///< It writes an element that the other still has to read.
    ReadBefore,     ///< It writes an element that the other has read before.
  } kind{};
  const run::TracedArray* array = nullptr;
  uint64_t index = 0;  ///< Of the element, row-major in the array.
  uint32_t warp = 0;   ///< The other, the first of several.
};
/// Of the cursor's instruction; none when warps run in step.
std::vector<OutOfOrder> out_of_order(const Focus& focus, const WarpPlaces& places);

/// Elements of the array that another warp has written and that the cursor's warp, in step, would have read before, and
/// has not; ascending.
std::vector<uint64_t> spoiled(const Focus& focus, const WarpPlaces& places, const run::TracedArray& array);

}  // namespace tilescope::view
