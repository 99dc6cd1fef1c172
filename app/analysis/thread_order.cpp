#include "analysis/thread_order.h"

#include <algorithm>

#include "trace/event.h"

namespace tilescope::analysis {

using trace::kLanes;

template <class F>
void ThreadOrder::for_each_member(uint32_t warp, uint32_t members, F f) {
  for (uint32_t lane = 0; lane < kLanes; ++lane)
    if (members >> lane & 1 && warp * kLanes + lane < threads_) f(warp * kLanes + lane);
}

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

void ThreadOrder::meet(uint32_t first_warp, uint32_t warps) {
  start_clocks();
  Clock clock(threads_, 0);
  const uint32_t first = first_warp * kLanes, end = first + warps * kLanes;
  for (uint32_t thread = first; thread < end; ++thread) join_into(clock, thread);
  for (uint32_t thread = first; thread < end; ++thread) std::copy(clock.begin(), clock.end(), seen_by(thread));
  for (uint32_t warp = first_warp; warp < first_warp + warps; ++warp) ++times_[warp];
}

void ThreadOrder::warp_barrier(uint32_t warp, uint32_t members) {
  Clock clock;
  for_each_member(warp, members, [&](uint32_t thread) { release(clock, thread); });
  for_each_member(warp, members, [&](uint32_t thread) { acquire(clock, thread); });
}

void ThreadOrder::release(Clock& clock, uint32_t thread) {
  start_clocks();
  clock.resize(threads_, 0);
  join_into(clock, thread);
  ++times_[thread / kLanes];
}

void ThreadOrder::learn(uint32_t thread, uint32_t other, uint32_t time) {
  start_clocks();
  uint32_t& seen = seen_by(thread)[other];
  seen = std::max(seen, time);
}

void ThreadOrder::acquire(const Clock& clock, uint32_t thread) {
  start_clocks();
  if (clock.empty()) return;
  uint32_t* seen = seen_by(thread);
  for (uint32_t i = 0; i < threads_; ++i) seen[i] = std::max(seen[i], clock[i]);
}

}  // namespace tilescope::analysis
