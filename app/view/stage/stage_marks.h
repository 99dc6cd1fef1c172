#pragma once

#include "view/stage/stage_frame.h"

namespace tilescope::view {

/// Of the frames around what the cursor's instruction accesses.
constexpr Ink kUsedInk = Ink::Accent;

/// The marks over the cells of one array: frames around blocks and around the elements of the cursor's instruction,
/// lanes' numbers, and the target pointed at.
void add_marks(const StageFrame& frame, const ArrayPanel& panel, Picture& picture);

/// Whether lines show where the sectors of an array begin.
bool has_sectors(const ArrayPanel& panel);

}  // namespace tilescope::view
