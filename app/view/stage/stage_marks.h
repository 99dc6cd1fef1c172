#pragma once

#include "view/stage/stage_frame.h"

namespace tilescope::view {

/// Of the frames around what the cursor's instruction accesses.
constexpr Ink kUsedInk = Ink::Accent;

/// What lies over the cells of one array: frames around blocks and around what the cursor's instruction has to do with,
/// lanes' numbers, and what is pointed at.
void add_marks(const StageFrame& frame, const ArrayPanel& panel, Picture& picture);

}  // namespace tilescope::view
