#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "view/focus.h"
#include "view/warp_places.h"

namespace tilescope::view {

/// The state of a shared array in the k-tile of the cursor.
struct TileState {
  std::vector<uint64_t> written;  ///< Elements stored by the block so far in this k-tile; ascending.
  std::vector<uint32_t> writers;  ///< Of each of those the warp that stored it last.
  std::vector<uint64_t> missing;  ///< Those still to be stored; ascending.
};
TileState tile_state(const Focus& focus, const WarpPlaces& places, const run::TracedArray& array);

/// Rows and columns past the end of C that threads were launched for.
struct Beyond {
  uint64_t rows = 0, columns = 0;
};
/// Of the traced block, or of the whole grid. What a full block covers is the most that one stores, or its threads
/// where each stores the element at its own position; if neither is known, as before all blocks are counted, none.
Beyond beyond_output(const Focus& focus, bool grid);

/// The blocks whose sums a block adds to its own, by that block: it loads what they store in an array of such elements
/// beside the output. Empty until the grid is counted.
std::map<uint32_t, std::set<uint32_t>> helpers_of_blocks(const Focus& focus);

/// "(0…3, 0)", of blocks in a row; else "(0, 0) + 3".
std::string positions_text(const Dim3& grid, const std::set<uint32_t>& blocks);

/// The last columns and rows of an accessed array that the block does not access: usually padding.
std::vector<run::Region> never_accessed(const run::TracedArray& array);

/// The elements in the window of an array in global memory at which a sector begins, except in its first column.
std::vector<uint64_t> sector_starts(const run::TracedArray& array, const run::Region& window);

}  // namespace tilescope::view
