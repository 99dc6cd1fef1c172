#pragma once

#include <vector>

#include "view/focus.h"
#include "view/warp_places.h"

namespace tilescope::view {

/// What has become of a shared array in the k-tile of the cursor.
struct TileState {
  std::vector<uint64_t> written;  ///< Elements that the block has stored in this k-tile by now; ascending.
  std::vector<uint32_t> writers;  ///< Of each of those the warp that stored it last.
  std::vector<uint64_t> missing;  ///< Those that it has yet to store; ascending.
};
TileState tile_state(const Focus& focus, const WarpPlaces& places, const run::TracedArray& array);

/// Rows and columns past the end of C that threads were launched for.
struct Beyond {
  uint64_t rows = 0, columns = 0;
};
/// Of the traced block, or of the whole grid. What a full block covers is the most that one stores, or its threads
/// where each stores the element at its own position; where neither shows it, as before all blocks were counted, none.
Beyond beyond_output(const Focus& focus, bool grid);

/// The last columns and rows of an array that the block accesses, but for these: padding, as a rule.
std::vector<run::Region> never_accessed(const run::TracedArray& array);

/// The elements in the window of an array in global memory at which a sector begins, but for those of its first column.
std::vector<uint64_t> sector_starts(const run::TracedArray& array, const run::Region& window);

}  // namespace tilescope::view
