#pragma once

#include <cstdint>

#include "run/grid_run.h"
#include "run/machine_code.h"

namespace tilescope::run {

/// A block's machine code, executed.
struct MachineBlock {
  MachineCode code;
  machine::Counts counts;     ///< Of the block alone.
  sass::LineTable ptx_lines;  ///< By pc; empty where the cubin says nothing.
};

/// Executes the machine code of one block, with those of its cluster. Where blocks of a cooperative launch wait for
/// what others write, it is taken as written: what the block computes of it is not right. Errors: no cubin, an
/// instruction that is not known or not executed, a block that does not end.
Result<MachineBlock> run_machine_block(const Prepared& prepared, uint32_t block, uint64_t seed, const Control& control);

}  // namespace tilescope::run
