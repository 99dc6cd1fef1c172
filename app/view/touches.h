#pragma once

#include <vector>

#include "session/story.h"
#include "view/focus.h"

namespace tilescope::view {

/// A lane that has to do with an element by the cursor's instruction.
struct Touch {
  const session::ArrayStory* array = nullptr;
  uint64_t index = 0;  ///< Of the element, row-major in the allocated array.
  uint32_t lane = 0;
  enum class How : uint8_t {
    Reads,
    Writes,
    Uses,  ///< A multiply-add's factor, in a register since it was loaded from there.
    Adds,  ///< A multiply-add's sum, in a register until it is stored there.
  } how = How::Reads;
};

/// What the instruction at `at` does with which elements, lane by lane. Factors and sums are found by walking back and
/// forth along the values' ways through registers.
std::vector<Touch> touches(const session::Scene& scene, const analysis::Moment& at);

/// Elements of the output that the lane's sums are stored to, by sum (see analysis::DataFlow::sums), in the order of
/// the stores.
struct SumElement {
  int32_t sum = -1;
  const session::ArrayStory* array = nullptr;
  uint64_t index = 0;
};
std::vector<SumElement> sum_elements(const session::Scene& scene, uint32_t warp, uint32_t lane);

}  // namespace tilescope::view
