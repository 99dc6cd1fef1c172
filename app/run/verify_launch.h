#pragma once

#include <string>

#include "run/grid_run.h"
#include "run/launch_memory.h"
#include "run/verify.h"

namespace tilescope::run {

/// Whether the arrays of such a launch are those of a matrix product, so that its result can be compared with one.
bool is_matrix_product(const kernel::Configuration& configuration);

/// Compares what a launch that ran has written with what its reference writes, or a product's C with the product of its
/// inputs. `whole`: every block ran, so every element must be right; else only the elements that changed are compared.
/// Only for a launch with a reference, or where is_matrix_product(). Errors: as verify_against_reference().
Result<Verification> verify_launch(const Prepared& prepared, const LaunchMemory& launch, uint64_t seed, bool whole,
                                   const Control& control);

}  // namespace tilescope::run
