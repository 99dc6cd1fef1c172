#pragma once

#include <vector>

#include "view/focus.h"
#include "view/warp_places.h"

namespace tilescope::view {

/// The state of the stages of a shared array filled by asynchronous copies, at one moment. A stage is an index of the
/// array's first extent; each list ascends.
struct StagesNow {
  std::vector<uint32_t> on_the_way;  ///< Copied into, and not yet waited for.
  std::vector<uint32_t> arrived;     ///< Copied into, and waited for.
  std::vector<uint32_t> read;        ///< By the last load, or product, of a computing warp.
};
/// Empty for an array that such copies do not fill.
StagesNow stages_now(const Focus& focus, const WarpPlaces& places, const run::TracedArray& array);

/// The elements of a stage in the array's rows and columns.
run::Region region_of_stage(const run::TracedArray& array, uint32_t stage);

}  // namespace tilescope::view
