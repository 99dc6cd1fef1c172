#pragma once

#include "view/stage/stage_frame.h"

namespace tilescope::view {

/// Beside the arrays their names, and what is to be said of them: each where it has room, and left out where nothing
/// has. Names come first, so that they stay where they are while the cursor moves.
void add_words(const StageFrame& frame, Picture& picture);

}  // namespace tilescope::view
