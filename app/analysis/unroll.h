#pragma once

#include <cstdint>
#include <vector>

#include "analysis/address_form.h"
#include "ptx/control_flow.h"

namespace tilescope::analysis {

/// How often ptxas writes out a basic block's instructions one after another. 1 but for a loop that consists of this
/// block alone and whose trip count is constant: that trip count where the body is small enough for it, else 4 where
/// the body is small enough for that and 4 divides the count, else 1. Before sm_90 a loop within a loop may be far
/// larger.
struct Copies {
  uint32_t count = 1;
  bool is_whole_loop = false;  ///< The copies are all iterations: nothing goes round any more.
  bool is_small = false;       ///< Small enough to be written out before ptxas folds constants into addresses.
};
Copies copies_of(const ptx::Module& module, const AddressFacts& facts, const ptx::ControlFlow& graph, int32_t block);

/// What ptxas may have done to the block instead: powers of two that divide the trip count, and that itself. Empty
/// where there is no choice.
std::vector<Copies> other_copies_of(const ptx::Module& module, const AddressFacts& facts, const ptx::ControlFlow& graph,
                                    int32_t block);

/// A walk that starts with what is known of the registers that a loop of one block changes when its copies begin.
AddressWalk walk_into_loop(const AddressFacts& facts, const ptx::BasicBlock& block, Copies copies);

}  // namespace tilescope::analysis
