#pragma once

#include "view/stage/stage_frame.h"

namespace tilescope::view {

/// The elements of one array of the figure as cells: the block's use of it, what it has done so far, and the lanes of
/// the cursor's instruction.
void add_cells(const StageFrame& frame, const ArrayPanel& panel, Picture& picture);

}  // namespace tilescope::view
