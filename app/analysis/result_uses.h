#pragma once

#include <vector>

#include "ptx/module.h"

namespace tilescope::analysis {

/// What a kernel does with finished sums of products, by pc.
struct ResultUses {
  std::vector<bool> stores;  ///< A store whose value is made of sums.
  std::vector<bool> scales;  ///< A multiply-add that takes a sum and adds to none: alpha * sum + beta * C.
  std::vector<bool> loads;   ///< A load of what such a store's value is made of besides: parts of the sum, C.
  std::vector<bool> passes;  ///< A load of what is stored to shared memory, not being multiplied before.
};

/// Sums are what matrix products write, and multiply-adds that add to what another has made; what is computed from them
/// counts as they do. Read off the text: the order of instructions makes no difference.
ResultUses result_uses(const ptx::Function& function);

}  // namespace tilescope::analysis
