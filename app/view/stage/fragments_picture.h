#pragma once

#include "view/focus.h"
#include "view/picture.h"

namespace tilescope::view {

/// At mma.sync, wgmma, ldmatrix and stmatrix: which lane of the cursor's warp holds which element of the matrices, by
/// colour and number; for the last two also which lane gives the address of which row.
Picture fragments_picture(const Focus& focus, const Canvas& canvas);

}  // namespace tilescope::view
