#pragma once

#include "view/focus.h"
#include "view/picture.h"
#include "view/stage/thread_work.h"

namespace tilescope::view {

/// The register tile of the focus's lane and the outer product that it accumulates.
Picture thread_picture(const Focus& focus, const Canvas& canvas);

}  // namespace tilescope::view
