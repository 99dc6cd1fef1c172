#include "view/stage/hatch.h"

#include <algorithm>
#include <cmath>

namespace tilescope::view {

void add_hatch(const Box& box, Colour colour, Picture& picture) {
  constexpr float kPitch = 7, kWidth = 1.5f;
  // Lines x + y = sum, at the same places for all boxes, so that neighbours look like one.
  const float last = box.right() + box.bottom();
  for (float sum = std::ceil((box.x + box.y) / kPitch) * kPitch; sum < last; sum += kPitch) {
    const float left = std::max(box.x, sum - box.bottom()), right = std::min(box.right(), sum - box.y);
    if (right - left >= 1) picture.add(Polyline{{{left, sum - left}, {right, sum - right}}, colour, kWidth});
  }
}

}  // namespace tilescope::view
