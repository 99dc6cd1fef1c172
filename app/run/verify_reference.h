#pragma once

#include "base/result.h"
#include "run/grid_run.h"
#include "run/launch_memory.h"
#include "run/verify.h"

namespace tilescope::run {

/// Compares a launch's result with that of the reference kernel, which is run with the same inputs. Without
/// floating-point arithmetic in the reference, and for whole numbers, they must be equal bit for bit. Else an element
/// may be off by 4 sqrt(n) u times the root mean square of the array's numbers, or times its own value where that is
/// larger: n are the floating-point operations of the reference for each element written, u is the unit roundoff of the
/// coarser of the array's type and the arithmetic of both kernels (the probabilistic bound of verify(), for two kernels
/// that add in different orders). `whole`: every block ran; else only elements that changed are compared. Errors: the
/// reference does not end, has a finding, or leaves elements unwritten.
Result<Verification> verify_against_reference(const Prepared& prepared, const LaunchMemory& launch, uint64_t seed,
                                              bool whole, const Control& control);

}  // namespace tilescope::run
