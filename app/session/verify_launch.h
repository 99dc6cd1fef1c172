#pragma once

#include <string>

#include "session/grid_run.h"
#include "session/launch_memory.h"
#include "session/verify.h"

namespace tilescope::session {

/// Why the result of such a launch cannot be compared with a matrix product; empty when it can.
std::string why_not_verified(const kernel::Configuration& configuration);

/// Compares the C of a launch that ran with the product of its inputs. `whole`: every block ran, so every element must
/// be right; else only the elements that changed are compared. Only when why_not_verified() is empty.
Verification verify_launch(const Prepared& prepared, const LaunchMemory& launch, uint64_t seed, bool whole,
                           const Control& control);

}  // namespace tilescope::session
