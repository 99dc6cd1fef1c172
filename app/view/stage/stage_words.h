#pragma once

#include "view/stage/stage_frame.h"

namespace tilescope::view {

/// The names of arrays and words about them: each where it has room, and left out without room. Names come first, so
/// that they stay where they are while the cursor moves.
void add_words(const StageFrame& frame, Picture& picture);

}  // namespace tilescope::view
