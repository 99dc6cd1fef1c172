#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "run/report.h"

namespace tilescope::run {

/// A counter of the GPU, and what the emulator counts of the same thing.
struct HardwareCounter {
  const char* name;                    ///< As Nsight Compute has it: "smsp__inst_executed.sum".
  const char* meaning;                 ///< In English: "instructions of warps".
  uint64_t (*counted)(const Counts&);  ///< Sums over blocks; null: the emulator does not count this.
  const char* why;                     ///< In English: why the two may differ; null where none is counted.
  bool if_counted = false;             ///< Of no interest where the emulator counts none.
};

/// Those that are read, requests first, stall reasons last.
const std::vector<HardwareCounter>& hardware_counters();
/// Their names.
std::vector<std::string> hardware_counter_names();

/// Whether a counter's value is another than the counted one: by more than a thousandth of it.
bool differs(double hardware, double counted);

}  // namespace tilescope::run
