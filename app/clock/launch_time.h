#pragma once

#include <atomic>
#include <cstdint>
#include <functional>

#include "clock/sm.h"

namespace tilescope::clock {

/// A launch on a device.
struct TimedLaunch {
  const machine::Program* program = nullptr;
  const sass::LineTable* sources = nullptr;  ///< The lines of its instructions, for errors; null: not known.
  const emulator::Launch* launch = nullptr;
  std::span<const uint32_t> parameter_offsets;  ///< See machine::PreparedLaunch.
  emulator::GlobalMemory* memory = nullptr;     ///< Is afterwards as before.
  Dim3 cluster;                                 ///< In blocks.
  uint32_t resident = 1;                        ///< Blocks that an SM holds at a time: occupancy.
  uint64_t shared_bytes_per_block = 0;          ///< As given by the hardware.
  std::span<const uint32_t> carveouts;          ///< Bytes that an SM can give shared memory, ascending.
  uint32_t sms = 1;
  double clock_hz = 1;
  uint64_t instructions = 200'000;  ///< Of warps, to simulate.
  const std::atomic<bool>* cancel = nullptr;
};

struct LaunchTime {
  double seconds = 0;
  double clocks = 0;        ///< Of the SM with most to do.
  double last_round = 0;    ///< Clocks more than if its blocks were as many as it holds to the end.
  double last_sm = 0;       ///< Clocks that the last SM ends after it, or L2 has what was stored.
  double issue_active = 0;  ///< Share of the schedulers' clocks in which they issue.
  double block_instructions = 0;
  uint64_t blocks = 0;    ///< Of one SM.
  uint32_t resident = 0;  ///< Of them at a time.
  SmRun run;              ///< Of what was simulated.
};

/// Simulates an SM, and carries its steady rate on to the end of the launch. Errors: as run_sm(); a block that is too
/// long.
Result<LaunchTime> time_of(const SmModel& model, const TimedLaunch& launch, SmObserver* observer = nullptr);

}  // namespace tilescope::clock
