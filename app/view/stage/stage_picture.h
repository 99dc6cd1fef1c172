#pragma once

#include "view/stage/stage_layout.h"

namespace tilescope::view {

/// The stage at the scales of grid, block and warp: which elements of A, B, C and the shared arrays the cursor's
/// instruction touches, lane by lane, and what the block has done with them so far.
Picture stage_picture(const Focus& focus, const Canvas& canvas, const StageView& view);

/// "block (1, 0) › warp 2 › instruction 214 of 1340"
std::string breadcrumb(const Focus& focus);

}  // namespace tilescope::view
