#pragma once

#include <memory>
#include <string>

#include "base/result.h"
#include "clock/launch_time.h"
#include "machine/machine.h"
#include "run/prepare.h"

namespace tilescope::run {

/// A launch whose machine code was executed on a simulated SM, clock by clock.
struct LaunchClock {
  std::string device;      ///< Whose SMs and clock rate: "H200".
  double bytes_scale = 0;  ///< The launch's sectors for each one that was simulated.
  clock::LaunchTime time;
  std::shared_ptr<const machine::Program> program;  ///< A pc of `time.run` is an index into its code.

  double of_launch(uint64_t simulated) const { return static_cast<double>(simulated) * bytes_scale; }
};

/// Simulates the launch on the device of its architecture: some 0.1 s. `observer` may be null. An error is a sentence
/// that says why the clocks are not known: no cubin, an instruction that is not known or not executed, blocks that wait
/// for one another, an architecture whose SM assets/sm.toml does not describe.
Result<LaunchClock> clock_of(const Prepared& prepared, uint64_t seed, clock::SmObserver* observer = nullptr);

}  // namespace tilescope::run
