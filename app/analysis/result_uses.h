#pragma once

#include <vector>

#include "ptx/module.h"

namespace tilescope::analysis {

/// What a kernel does with finished sums of products, by pc.
struct ResultUses {
  std::vector<bool> stores;  ///< A store whose value is made of sums.
  std::vector<bool> scales;  ///< A multiply-add that takes a sum and adds to none: alpha * sum + beta * C.
  std::vector<bool> loads;   ///< A load of other inputs of such a store, which no sum multiplies: parts of the sum, C.
  std::vector<bool> passes;  ///< A load of values stored to shared memory without being multiplied.
};

/// Sums are results of matrix products, and of multiply-adds that add to another's result; values computed from them
/// count as sums. Derived from the text: the order of instructions does not matter.
ResultUses result_uses(const ptx::Function& function);

}  // namespace tilescope::analysis
