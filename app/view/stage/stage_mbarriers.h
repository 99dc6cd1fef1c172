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

/// Whether elements of the array are mbarriers.
bool holds_mbarriers(const run::TracedBlock& traced, const run::TracedArray& array);

}  // namespace tilescope::view
