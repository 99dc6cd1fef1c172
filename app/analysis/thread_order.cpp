#include "analysis/thread_order.h"

#include <algorithm>

#include "trace/event.h"

namespace tilescope::analysis {

using trace::kLanes;

void ThreadOrder::begin_block(uint32_t threads) {
  ++era_;
  threads_ = threads;
  times_.assign((threads + kLanes - 1) / kLanes, 1);
  seen_.clear();
}

void ThreadOrder::start_clocks() {
  if (seen_.empty()) seen_.assign(size_t{threads_} * threads_, 0);
}

void ThreadOrder::join_into(Clock& clock, uint32_t thread) {
  const uint32_t* seen = seen_by(thread);
  for (uint32_t i = 0; i < threads_; ++i) clock[i] = std::max(clock[i], seen[i]);
  clock[thread] = std::max(clock[thread], times_[thread / kLanes]);
}

void ThreadOrder::barrier(const std::vector<uint32_t>& arrived, const std::vector<uint32_t>& waiting) {
  Clock clock;
  for (uint32_t thread : arrived) release(clock, thread);
  for (uint32_t thread : waiting) acquire(clock, thread);
}

void ThreadOrder::warp_barrier(uint32_t warp, uint32_t members) {
  std::vector<uint32_t> threads;
  for (uint32_t lane = 0; lane < kLanes; ++lane)
    if (members >> lane & 1 && warp * kLanes + lane < threads_) threads.push_back(warp * kLanes + lane);
  barrier(threads, threads);
}

void ThreadOrder::release(Clock& clock, uint32_t thread) {
  start_clocks();
  clock.resize(threads_, 0);
  join_into(clock, thread);
  ++times_[thread / kLanes];
}

void ThreadOrder::acquire(const Clock& clock, uint32_t thread) {
  start_clocks();
  if (clock.empty()) return;
  uint32_t* seen = seen_by(thread);
  for (uint32_t i = 0; i < threads_; ++i) seen[i] = std::max(seen[i], clock[i]);
}

}  // namespace tilescope::analysis
