#pragma once

#include <cstdint>
#include <vector>

#include "ptx/module.h"

namespace tilescope::ptx {

/// Instructions that are entered at the first and left at the last.
struct BasicBlock {
  int32_t first = 0, last = 0;  ///< Instruction indices, both inclusive.
  std::vector<int32_t> successors, predecessors;
};

/// The control-flow graph of a flat function.
struct ControlFlow {
  std::vector<BasicBlock> blocks;  ///< In instruction order; block 0 is the entry.
  std::vector<int32_t> block_of;   ///< For each instruction.
  /// For each block, the nearest block that every path from it to an exit passes, itself excluded; -1 when that is the
  /// exit.
  std::vector<int32_t> post_dominator;
  std::vector<int32_t> immediate_dominator;  ///< -1 for the entry and for unreachable blocks.

  /// The instruction at which the paths that leave the branch at `pc` meet again; -1 if only at the exit.
  int32_t reconvergence(int32_t pc) const;
};

ControlFlow control_flow(const Function& function);

}  // namespace tilescope::ptx
