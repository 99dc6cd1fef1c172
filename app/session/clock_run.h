#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analysis/timeline.h"
#include "clock/recording.h"
#include "run/cache_use.h"

namespace tilescope::session {

/// What is changed about the launch or the device to see what it would do. Nothing: as it is.
struct WhatIf {
  uint32_t resident = 0;               ///< Blocks that an SM holds at a time; 0: as many as fit.
  std::optional<uint32_t> dram;        ///< Clocks that DRAM takes beyond L2.
  bool no_bank_conflicts = false;      ///< Every access to shared memory takes the wavefronts of its bytes alone.
  bool free_barriers = false;          ///< A barrier's last warp lets the others go on at once.
  bool no_register_conflicts = false;  ///< Every instruction reads its registers at once.
  bool operator==(const WhatIf&) const = default;
};

/// A machine instruction of a recorded kernel.
struct ClockInstruction {
  std::string text;                      ///< "FFMA R3, R4, R5, R3"
  analysis::StepKind kind{};             ///< As of the instructions of PTX.
  bool is_fma = false;                   ///< Issues to the FMA pipe.
  uint32_t ptx_line = 0, cuda_line = 0;  ///< From 1; 0: not known.
  uint64_t executions = 0;               ///< By all warps of the traced block.
};

/// One SM of a launch, simulated and recorded.
struct ClockRun {
  WhatIf what_if;
  clock::Recording recording;
  std::vector<ClockInstruction> code;           ///< By pc.
  std::array<double, clock::kStalls> stalls{};  ///< Clocks of warps for each issued instruction.
  double seconds = 0, clocks = 0;               ///< Of the whole launch.
  double issue_active = 0;                      ///< Share of the schedulers' clocks in which they issue.
  run::CacheUse reads;                          ///< What reads of global memory ask the caches for,
  std::vector<run::CacheUse> readers;           ///< and which arrays and lines ask.
  uint32_t resident = 0, fitting = 0;           ///< Blocks at a time: simulated, and as many as fit.
  uint32_t dram = 0;                            ///< Clocks that DRAM takes beyond L2.
};

/// A place in a recording.
struct ClockPlace {
  uint32_t slot = 0;
  int32_t clock = 0;
  bool operator==(const ClockPlace&) const = default;
};

}  // namespace tilescope::session
