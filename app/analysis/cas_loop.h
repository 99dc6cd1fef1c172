#pragma once

#include <vector>

#include "ptx/module.h"

namespace tilescope::analysis {

/// By pc: the loads whose value an atomicCAS compares with what it finds. A stale one only costs a turn of the loop
/// around it, as in atomicAdd() of doubles in the CUDA C++ Programming Guide.
std::vector<bool> loads_that_cas_compares(const ptx::Function& function);

}  // namespace tilescope::analysis
