#pragma once

#include "view/picture.h"

namespace tilescope::view {

/// Fills a box with diagonal lines: something absent, or not yet there.
void add_hatch(const Box& box, Colour colour, Picture& picture);

}  // namespace tilescope::view
