#pragma once

#include <cstdint>

#include "analysis/address_form.h"
#include "ptx/control_flow.h"

namespace tilescope::analysis {

/// How often ptxas writes out a basic block's instructions one after another: the trip count of a loop that consists of
/// this block alone, where it is constant and the body small enough for it; else 1.
uint32_t copies_of(const ptx::Module& module, const AddressFacts& facts, const ptx::BasicBlock& block);

/// A walk that starts with what the registers that a loop of one block changes hold before its first iteration.
AddressWalk walk_into_loop(const AddressFacts& facts, const ptx::BasicBlock& block);

}  // namespace tilescope::analysis
