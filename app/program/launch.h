#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "analysis/accessed_bytes.h"
#include "arch/arch.h"
#include "program/device_memory.h"
#include "program/modules.h"
#include "run/grid_run.h"
#include "run/launch_clock.h"
#include "run/report.h"

namespace tilescope::program {

/// How much racecheck and initcheck watch; memcheck and synccheck always watch every block.
enum class Checking : uint8_t {
  None,
  Sample,  ///< All blocks of a small launch, some of a large one; no launch more than twice.
  All,
};

/// By what a launch's time is worked out.
enum class Timing : uint8_t {
  None,    ///< Not at all.
  Counts,  ///< The model of counts.
  Clocks,  ///< Its machine code on a simulated SM; where that is not known, its counts.
};

/// The device that a program believes it runs on.
struct Machine {
  arch::Limits limits;
  std::optional<arch::Device> device;  ///< The first known of that architecture.
  Checking checking = Checking::Sample;
  bool wants_accesses = false;  ///< LaunchRecord::accessed.
  Timing timing = Timing::Clocks;
};

/// How a kernel is launched.
struct LaunchShape {
  Dim3 grid, block;
  uint64_t dynamic_shared_bytes = 0;
  bool cooperative = false;
  std::span<const uint8_t> parameters;  ///< At their PTX offsets.
};

/// An array of the device that a launch read or wrote.
struct TouchedArray {
  uint64_t base = 0;
  uint64_t contents_before = 0;                            ///< As DeviceMemory numbers them.
  bool written = false;                                    ///< It may have been.
  bool is_shared() const { return contents_before == 0; }  ///< The host may use it, too; also a variable.
};

/// The result of one launch. Every block ran.
struct LaunchRecord {
  run::Report report;           ///< Without what only a described kernel has: parameters, size, verification, bound.
  uint64_t checked_blocks = 0;  ///< Watched by racecheck and initcheck.
  double seconds = 0;           ///< Wall time of the emulation.
  std::vector<TouchedArray> shared = {};  ///< Arrays that the host may use, too, and variables.
  int32_t device_error = 0;  ///< A cudaError_t that the next call that waits for the kernel returns; 0 for none.
  std::shared_ptr<const analysis::AccessedRanges> accessed = {};  ///< Null: not asked for, or too scattered.
  std::shared_ptr<const Result<run::LaunchClock>> clock = {};     ///< Null without Timing::Clocks.
  bool repeated = false;  ///< Taken over from an equal launch before it, which ran.
};

/// A launch, and what it did to the device's memory.
struct LaunchEffect {
  LaunchRecord record;
  std::vector<TouchedArray> touched;
  /// Whether the same launch over the same contents does the same again: it ended well, touched no array that the host
  /// writes without saying so, and neither printed nor used the device's heap.
  bool repeatable = false;
};

/// The cudaError_t with which such a launch is refused; 0 when it is not.
int32_t refusal(const Machine& machine, const LoadedKernel& kernel, const LaunchShape& shape);

/// How many blocks an SM holds, assuming 32 registers per thread if unknown.
analysis::Occupancy occupancy_of(const Machine& machine, const LoadedKernel& kernel, uint64_t threads,
                                 uint64_t dynamic_shared_bytes);

/// Runs all blocks. Errors: too little memory for it.
Result<LaunchEffect> launch(const Machine& machine, const LoadedKernel& kernel, const LaunchShape& shape,
                            DeviceMemory& memory, const run::Control& control);

}  // namespace tilescope::program
