#pragma once

#include <cstdint>
#include <vector>

#include "view/focus.h"
#include "view/warp_places.h"

namespace tilescope::view {

/// A warp that is at an mbarrier: it arrives there, waits for it, or starts a bulk copy whose bytes that counts.
struct MbarrierUse {
  const run::TracedArray* array = nullptr;
  uint64_t index = 0;  ///< Of the element, row-major in the array.
  uint32_t warp = 0;
};
/// Of all warps where they are; of one that has asked in vain and is about to ask again, too.
std::vector<MbarrierUse> mbarrier_uses(const Focus& focus, const WarpPlaces& places);

/// Whether elements of the array are mbarriers.
bool holds_mbarriers(const run::TracedBlock& scene, const run::TracedArray& array);

}  // namespace tilescope::view
