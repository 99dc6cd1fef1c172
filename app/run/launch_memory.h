#pragma once

#include <cstdint>
#include <vector>

#include "base/result.h"
#include "emulator/emulator.h"
#include "emulator/memory.h"
#include "run/launched_kernel.h"
#include "run/prepare.h"

namespace tilescope::run {

/// The arrays and arguments of one launch. An input holds input_value()s; an output starts as all ones, a NaN in
/// every floating-point type, so that unwritten elements show.
struct LaunchMemory {
  emulator::GlobalMemory memory;
  emulator::Launch launch;
  std::vector<int> array_index;  ///< For each array of the configuration its index in `memory`; -1 for shared ones.
};

/// The array of a description inside `whole`, a __shared__ array of the source.
Allocation part_of(const Allocation& whole, const kernel::ArrayShape& array);

/// Bytes of a run besides the program: the arrays, and as much again for the reference.
uint64_t bytes_needed(const kernel::Configuration& configuration);

/// Bytes available on this machine now: free memory, the control group's limit or the process's own, whichever is
/// least.
uint64_t bytes_available();

/// The error of a run that needs more than `available`; empty if it fits.
Message memory_problem(const kernel::Configuration& configuration, uint64_t available);

/// Without `contents` nobody reads its arrays, but for those whose bytes the description names.
Result<LaunchMemory> place_launch(const Prepared& prepared, uint64_t seed, bool contents = true);

/// The kernel in that memory, ready to run. Both must outlive it, and `memory` must stay in its place.
LaunchedKernel launched(const Prepared& prepared, LaunchMemory& memory);

}  // namespace tilescope::run
