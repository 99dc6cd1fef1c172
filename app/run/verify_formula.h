#pragma once

#include "base/result.h"
#include "run/grid_run.h"
#include "run/launch_memory.h"
#include "run/verify.h"

namespace tilescope::run {

/// Compares what a launch wrote with what its description says it computes, each element in double precision. An
/// element's bound is four times the rounding error that the formula itself may have in the kernel's precision, its
/// sums in any order (running error analysis: N. J. Higham, Accuracy and Stability of Numerical Algorithms, 2nd ed.,
/// section 3.3; of n terms that are added sqrt(n - 1) u times their magnitudes, as in verify(), for n - 1 in its place
/// would let a term that is left out pass; functions within 4 ulp, as the CUDA C++ Programming Guide has them, or as
/// their .approx forms are): a kernel may compute the same in another way. What needs no arithmetic must be equal to
/// the bit. Very much work is cut down to evenly spaced elements. `whole`: every block ran; else only elements that
/// changed are compared. An error says where the formula reads outside of an array or divides whole numbers by zero.
Result<Verification> verify_formulas(const Prepared& prepared, const LaunchMemory& launch, uint64_t seed, bool whole,
                                     const Control& control);

}  // namespace tilescope::run
