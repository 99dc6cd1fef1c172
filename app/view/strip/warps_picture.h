#pragma once

#include <string>

#include "view/picture.h"
#include "view/warp_places.h"

namespace tilescope::view {

/// The warps of the block between two barriers, a row each: the instructions of this interval by kind, bright up to the
/// warp's place; its place, and what it does there. A row reacts to the mouse as its warp.
Picture warps_picture(const Focus& focus, const Canvas& canvas);

/// The words for it: who waits, and what happens in a different order than in step.
struct WarpsWords {
  std::string sentence;
  bool wrong = false;  ///< It is about a read or write at the wrong time.
};
WarpsWords warps_words(const Focus& focus);

}  // namespace tilescope::view
