#pragma once

#include <cstdint>
#include <vector>

#include "view/focus.h"
#include "view/warp_places.h"

namespace tilescope::view {

/// A warp at an mbarrier: it arrives, waits, or starts a bulk copy whose bytes the mbarrier counts.
struct MbarrierUse {
  const run::TracedArray* array = nullptr;
  uint64_t index = 0;  ///< Of the element, row-major in the array.
  uint32_t warp = 0;
};
/// Of all warps at their current instruction, including those that are about to retry a wait.
std::vector<MbarrierUse> mbarrier_uses(const Focus& focus, const WarpPlaces& places);

/// The lines of words in a box of that height, with some room above and below them; `text` as of a canvas.
struct MbarrierLines {
  size_t rows = 0;
  float size = 0, height = 0;  ///< Of the words, and from one line to the next.
};
MbarrierLines lines_of_mbarrier(float box_height, float text);

/// Whether elements of the array are mbarriers.
bool holds_mbarriers(const run::TracedBlock& traced, const run::TracedArray& array);

}  // namespace tilescope::view
