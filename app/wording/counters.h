#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace tilescope::wording {

/// A hardware counter beside the counted figure, in the reader's language.
struct CounterLine {
  std::string name;     ///< "smsp__inst_executed.sum"
  std::string meaning;  ///< "instructions of warps"
  double hardware = 0;
  std::optional<double> counted;  ///< By the emulator; nullopt if it does not count this.
  std::string why;                ///< Why the two may differ; empty if they agree within a thousandth.
};

/// One for each of run::hardware_counters() that was read and is of interest. `read`: name and value. `counted`: by
/// hardware_counters(), or empty if nothing was counted.
std::vector<CounterLine> counter_lines(const std::vector<std::pair<std::string, double>>& read,
                                       const std::vector<uint64_t>& counted);

}  // namespace tilescope::wording
