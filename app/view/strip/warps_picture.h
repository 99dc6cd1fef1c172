#pragma once

#include <string>

#include "view/picture.h"
#include "view/warp_places.h"

namespace tilescope::view {

/// The warps of the block between two barriers, a row each: the instructions of this interval by kind, bright as far as
/// the warp has come; where it is, and what it does there. A row answers to the mouse as its warp.
Picture warps_picture(const Focus& focus, const Canvas& canvas);

/// What there is to say of that: who waits, and what happens in another order than in step.
struct WarpsWords {
  std::string sentence;
  bool wrong = false;  ///< It is about something that is read or written at the wrong time.
};
WarpsWords warps_words(const Focus& focus);

}  // namespace tilescope::view
