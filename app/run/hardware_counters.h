#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "run/report.h"

namespace tilescope::run {

/// A counter of the GPU, and the emulator's count of the same thing.
struct HardwareCounter {
  const char* name;                    ///< Nsight Compute's name: "smsp__inst_executed.sum".
  const char* meaning;                 ///< In English: "instructions of warps".
  uint64_t (*counted)(const Counts&);  ///< Sums over blocks; null: the emulator does not count this.
  const char* why;                     ///< In English: why the two may differ; null if not counted.
  bool if_counted = false;             ///< Not of interest if the emulator counts none.
};

/// Those that are read, requests first, stall reasons last.
const std::vector<HardwareCounter>& hardware_counters();
/// Their names.
std::vector<std::string> hardware_counter_names();

/// Whether a counter's value differs from the counted one by more than a thousandth.
bool differs(double hardware, double counted);

}  // namespace tilescope::run
