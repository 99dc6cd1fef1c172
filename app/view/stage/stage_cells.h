#pragma once

#include "view/stage/stage_frame.h"

namespace tilescope::view {

/// The elements of one array of the figure as cells: what the block has to do with it, what it has done by now, and
/// the lanes of the cursor's instruction.
void add_cells(const StageFrame& frame, const ArrayPanel& panel, Picture& picture);

}  // namespace tilescope::view
