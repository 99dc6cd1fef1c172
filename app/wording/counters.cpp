#include "wording/counters.h"

#include <algorithm>

#include "base/words.h"
#include "run/hardware_counters.h"

namespace tilescope::wording {

std::vector<CounterLine> counter_lines(const std::vector<std::pair<std::string, double>>& read,
                                       const std::vector<uint64_t>& counted) {
  const std::vector<run::HardwareCounter>& counters = run::hardware_counters();
  std::vector<CounterLine> lines;
  for (size_t i = 0; i < counters.size(); ++i) {
    const auto found =
        std::find_if(read.begin(), read.end(), [&](const auto& each) { return each.first == counters[i].name; });
    if (found == read.end()) continue;
    CounterLine line{counters[i].name, tr(counters[i].meaning), found->second, std::nullopt, ""};
    if (counters[i].counted && i < counted.size()) line.counted = static_cast<double>(counted[i]);
    if (counters[i].if_counted && line.counted.value_or(0) == 0) continue;
    if (line.counted && run::differs(line.hardware, *line.counted)) line.why = tr(counters[i].why);
    lines.push_back(std::move(line));
  }
  return lines;
}

}  // namespace tilescope::wording
