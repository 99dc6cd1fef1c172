#include "trace/instruction_log.h"

#include <algorithm>

namespace tilescope::trace {

void InstructionLog::straight_line(const Step& first, uint32_t count) {
  if (warps_.size() <= first.warp) warps_.resize(first.warp + size_t{1});
  std::vector<StraightLine>& lines = warps_[first.warp];
  // An instruction in which some lanes do not take part is issued again for those that do, under the same number.
  while (!lines.empty() && lines.back().first_step >= first.warp_step) lines.pop_back();
  if (!lines.empty()) {
    StraightLine& last = lines.back();
    last.count = std::min(last.count, first.warp_step - last.first_step);
    if (last.pc + last.count == first.pc && last.active == first.active) {
      last.count += count;
      return;
    }
  }
  lines.push_back({first.warp_step, count, first.pc, first.active});
}

uint32_t InstructionLog::steps(uint32_t warp) const {
  if (warp >= warps_.size() || warps_[warp].empty()) return 0;
  return warps_[warp].back().first_step + warps_[warp].back().count;
}

const StraightLine& InstructionLog::line_at(uint32_t warp, uint32_t step) const {
  const std::vector<StraightLine>& lines = warps_[warp];
  return *std::prev(std::upper_bound(lines.begin(), lines.end(), step, [](uint32_t s, const StraightLine& line) {
    return s < line.first_step;
  }));
}

}  // namespace tilescope::trace
