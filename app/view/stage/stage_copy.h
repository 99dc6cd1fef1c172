#pragma once

#include "view/stage/stage_layout.h"

namespace tilescope::view {

/// While the cursor's warp fills shared memory: the elements of the arrays that its load of global memory nearest to
/// the cursor reads and that its store of the same values writes, for A and for B, or at a bulk copy its box; as
/// BlockAccesses::arrays(). All are empty at other moments.
std::vector<run::Region> copy_regions(const run::TracedBlock& traced, const analysis::StepRef& cursor);

/// The panels of what copy_regions() found: B's copy above, A's below it, each with cells as large as there is room
/// for. C has no part in it.
std::vector<ArrayPanel> copy_panels(const Focus& focus, const Box& area, const std::vector<run::Region>& copies);

}  // namespace tilescope::view
