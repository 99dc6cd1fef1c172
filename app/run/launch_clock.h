#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "clock/launch_time.h"
#include "predict/predict.h"
#include "run/cache_use.h"
#include "run/demand.h"
#include "run/launched_kernel.h"
#include "run/machine_code.h"
#include "run/report.h"

namespace tilescope::run {

/// A launch whose machine code was executed on a simulated SM, clock by clock.
struct LaunchClock {
  std::string device;    ///< Whose SMs and clock rate: "H200".
  uint32_t fitting = 0;  ///< Blocks that an SM can hold at a time.
  double sms = 0;        ///< SMs with as many of the launch's blocks as the simulated one.
  double carried = 0;    ///< Instructions of an SM at its steady rate, for each one that was simulated at that rate.
  clock::LaunchTime time;
  predict::Predicted predicted;                     ///< That time, its range, and how long each unit is busy.
  CacheUse reads;                                   ///< All of them.
  std::vector<CacheUse> readers;                    ///< By array and line, those that ask for most first.
  std::shared_ptr<const machine::Program> program;  ///< A pc of `time.run` is an index into its code.

  /// `before`: the part of it from before the rate was steady. A block's first loads run ahead of its work.
  double of_launch(uint64_t simulated, uint64_t before) const {
    return sms * (static_cast<double>(before) + static_cast<double>(simulated - before) * carried);
  }
};

/// What may be chosen about a simulation.
struct ClockSetup {
  const clock::SmModel* model = nullptr;  ///< Null: the device's.
  uint32_t resident = 0;                  ///< Blocks that an SM holds at a time; 0, or too many: as many as fit.
  uint64_t instructions = 200'000;        ///< Of warps, to simulate.
  clock::SmObserver* observer = nullptr;
  const std::atomic<bool>* cancel = nullptr;
};

/// The figures of the device's SM. An error: assets/sm.toml has none for its architecture, or cannot be read.
Result<clock::SmModel> sm_model_of(const std::optional<arch::Device>& device, const arch::Limits& limits);

/// Simulates the launch on the device: some 0.1 s. Memory is afterwards as it was before. An error is a sentence that
/// says why the clocks are not known: code that stops, blocks that wait for one another without being a cluster, an
/// architecture whose SM assets/sm.toml does not describe.
Result<LaunchClock> clock_of(const LaunchedKernel& launch, const MachineCode& code,
                             const std::optional<arch::Device>& device, const ClockSetup& setup = {});
/// Errors likewise, and where there is no cubin, or an instruction in it is not known or not executed.
Result<LaunchClock> clock_of(const Prepared& prepared, uint64_t seed, const ClockSetup& setup = {});

/// Adds to the report how long its launch takes: by its clocks, or where these are not known (null) by the model of its
/// counts, `dram_bytes` of them. Nothing for a launch that did not end.
void set_time(Report& report, const LaunchClock* clock, const Code& code, const std::optional<arch::Device>& device,
              uint64_t dram_bytes = 0);
/// The same of a kernel that was run; its clocks are returned.
Result<LaunchClock> add_time(Report& report, const Prepared& prepared, const std::atomic<bool>* cancel);

}  // namespace tilescope::run
