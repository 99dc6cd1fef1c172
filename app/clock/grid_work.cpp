#include "clock/grid_work.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>
#include <limits>
#include <numeric>
#include <queue>
#include <utility>

namespace tilescope::clock {
namespace {

double sum_of(const std::vector<double>& values) { return std::accumulate(values.begin(), values.end(), 0.0); }

}  // namespace

Paces::Paces(std::vector<double> all, const std::vector<double>& few)
    : all_(std::move(all)), factors_(all_.size() + 1, 1) {
  const double most = sum_of(all_);
  if (few.empty() || few.size() >= all_.size() || most == 0) return;
  const double part = sum_of(few) / most;
  // Each further block gets the same share of what is left: that share.
  double low = 1e-6, high = 1 - 1e-6;
  const auto part_of = [&](double share, size_t blocks) {
    return (1 - std::pow(1 - share, blocks)) / (1 - std::pow(1 - share, all_.size()));
  };
  for (int i = 0; i < 40; ++i) {
    const double middle = (low + high) / 2;
    (part_of(middle, few.size()) < part ? low : high) = middle;
  }
  double oldest = 0;
  for (size_t blocks = 1; blocks < all_.size(); ++blocks) {
    oldest += all_[blocks - 1];
    factors_[blocks] = most / oldest * part_of(low, blocks);
  }
}

double Paces::of(size_t i, size_t blocks) const {
  if (all_.empty()) return 0;
  return all_[std::min(i, all_.size() - 1)] * factors_[std::min(blocks, all_.size())];
}

double Paces::sum(size_t blocks) const {
  double sum = 0;
  for (size_t i = 0; i < blocks; ++i) sum += of(i, blocks);
  return sum;
}

double BlocksOfSm::clocks_to_end() const {
  double clocks = std::numeric_limits<double>::infinity();
  for (size_t i = 0; i < left_.size(); ++i)
    if (const double pace = paces_->of(i, left_.size()); pace > 0) clocks = std::min(clocks, left_[i] / pace);
  // None of these has issued anything while it was looked at.
  if (!std::isfinite(clocks)) return sum_of(left_) * clocks_per_instruction_;
  return clocks;
}

void BlocksOfSm::go_on(double clocks) {
  const size_t blocks = left_.size();
  bool any = false;
  for (size_t i = 0; i < blocks; ++i) {
    left_[i] -= clocks * paces_->of(i, blocks);
    any |= left_[i] < 0.5;
  }
  if (!any) left_.clear();
  std::erase_if(left_, [](double instructions) { return instructions < 0.5; });
}

bool GridWork::is_alike() const {
  constexpr double kAlike = 1.05;
  std::vector<double> sorted;
  for (const auto& [number, instructions] : of_) sorted.push_back(instructions);
  std::ranges::sort(sorted);
  return sorted.size() < 4 || sorted[sorted.size() - 2] < kAlike * sorted[1];
}

double GridWork::mean() const {
  // Those that were run may lie closer together in one part of the grid than in another: each counts for what lies
  // between the middles of the ways to its neighbours.
  if (of_.empty()) return 0;
  double sum = 0;
  for (auto at = of_.begin(); std::next(at) != of_.end(); ++at)
    sum += static_cast<double>(std::next(at)->first - at->first) * (at->second + std::next(at)->second) / 2;
  const auto span = static_cast<double>(of_.rbegin()->first - of_.begin()->first);
  return span > 0 ? sum / span : of_.begin()->second;
}

double GridWork::of(uint64_t number) const {
  const auto after = of_.lower_bound(number);
  if (after == of_.end()) return std::prev(after)->second;
  if (after->first == number || after == of_.begin()) return after->second;
  const auto before = std::prev(after);
  const auto way = static_cast<double>(number - before->first) / static_cast<double>(after->first - before->first);
  return before->second + way * (after->second - before->second);
}

GridEnds ends_of_grid(const GridWork& work, const Paces& paces, uint64_t blocks, uint64_t sms, uint32_t resident) {
  std::vector<BlocksOfSm> held(static_cast<size_t>(sms), BlocksOfSm(paces, 1));
  uint64_t started = 0;
  for (; started < std::min(blocks, sms * resident); ++started)
    held[static_cast<size_t>(started % sms)].start(std::max(1.0, work.of(started)));
  using Event = std::pair<double, size_t>;  // When a block of that SM ends.
  std::priority_queue<Event, std::vector<Event>, std::greater<>> events;
  std::vector<double> since(held.size(), 0);  // When a block of the SM ended last.
  for (size_t sm = 0; sm < held.size(); ++sm)
    if (held[sm].count() > 0) events.emplace(held[sm].clocks_to_end(), sm);
  GridEnds ends;
  while (!events.empty()) {
    const auto [clock, sm] = events.top();
    events.pop();
    held[sm].go_on(clock - std::exchange(since[sm], clock));
    for (; started < blocks && held[sm].count() < resident; ++started) held[sm].start(std::max(1.0, work.of(started)));
    if (held[sm].count() > 0) {
      events.emplace(clock + held[sm].clocks_to_end(), sm);
      continue;
    }
    ends.last = std::max(ends.last, clock);
    ends.mean += clock / static_cast<double>(std::min(blocks, sms));
  }
  return ends;
}

}  // namespace tilescope::clock
