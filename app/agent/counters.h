#pragma once

#include <cuda.h>

#include <functional>
#include <string>
#include <vector>

#include "base/result.h"
#include "protocol/messages.h"

namespace tilescope::agent {

/// The launch to count, repeated for each pass that the counters need.
struct CountedLaunch {
  std::function<void()> prepare;  ///< Restores the state before the launch; not counted.
  std::function<void()> launch;   ///< Launches and waits. May throw.
};

/// Reads these hardware counters of a launch on the context's GPU, whose number is `device`, through CUPTI's range
/// profiler, or says in a sentence why it cannot. Counters that the chip does not have are left out. Names are those of
/// Nsight Compute: "smsp__inst_executed.sum".
Result<std::vector<protocol::CounterValue>> read_counters(CUcontext context, int device,
                                                          const std::vector<std::string>& names,
                                                          const CountedLaunch& counted);

}  // namespace tilescope::agent
