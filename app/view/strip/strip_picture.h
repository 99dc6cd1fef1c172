#pragma once

#include "view/focus.h"
#include "view/picture.h"

namespace tilescope::view {

/// The warp instruction under the cursor, lane by lane: of a global access the 128-byte lines and 32-byte sectors that
/// it touches, of a shared access its 32 banks against the wavefronts, of anything else the lanes that take part.
/// For a copy from global to shared memory the side given by strip_space().
Picture strip_picture(const Focus& focus, const Canvas& canvas);
/// Shared memory if a lesson's scene is about banks, else global memory.
Space strip_space(const Focus& focus);

}  // namespace tilescope::view
