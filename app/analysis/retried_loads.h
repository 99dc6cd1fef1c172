#pragma once

#include <vector>

#include "ptx/module.h"

/// Loads that a loop repeats until the value is the one it waits for, so that a stale one only costs a turn. By pc.
namespace tilescope::analysis {

/// Loads whose value an atomicCAS compares with what it finds, as in atomicAdd() of doubles in the CUDA C++ Programming
/// Guide.
std::vector<bool> loads_that_cas_compares(const ptx::Function& function);

/// Volatile loads that wait for a flag, `while (!*flag) {}`: in a loop that does not change the address, and that the
/// value may end; also such a load of the same address before the loop.
std::vector<bool> loads_that_poll(const ptx::Function& function);

}  // namespace tilescope::analysis
