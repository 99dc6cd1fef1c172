#pragma once

#include "view/focus.h"
#include "view/picture.h"

namespace tilescope::view {

/// What a thread reads and writes, access by access, those around the cursor's moment: in place of products, in a
/// kernel that is not a matrix product.
Picture thread_accesses_picture(const Focus& focus, const Canvas& canvas);

}  // namespace tilescope::view
