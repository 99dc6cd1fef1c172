#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace tilescope::analysis {

/// Which accesses of a block's threads happen before which: a vector clock a thread, kept small by two facts. Times are
/// counted per warp, and a barrier of the whole block orders all that was before it, so its passing only opens a new
/// era; within an era, clocks exist once something narrower than the block has synchronised.
class ThreadOrder {
 public:
  /// What a released object (an mbarrier, a flag) carries from its releasers to those who acquire it: for each thread
  /// the time up to which its accesses are ordered before an acquirer's.
  using Clock = std::vector<uint32_t>;

  /// A new block: nothing is ordered but each thread's own accesses.
  void begin_block(uint32_t threads);
  /// All threads of the block have met.
  void block_barrier() { ++era_; }
  /// All threads of these warps have met.
  void meet(uint32_t first_warp, uint32_t warps);
  /// The lanes in `members` have met.
  void warp_barrier(uint32_t warp, uint32_t members);
  /// What the thread did so far, and what is ordered before that, goes into the clock.
  void release(Clock& clock, uint32_t thread);
  /// What the clock holds is ordered before what the thread does from now on.
  void acquire(const Clock& clock, uint32_t thread);

  /// What `other` did up to `time` is ordered before what the thread does from now on.
  void learn(uint32_t thread, uint32_t other, uint32_t time);

  /// Number of the stretch between two whole-block barriers; counts on over blocks.
  uint32_t era() const { return era_; }
  /// The time that an access by this warp has now.
  uint32_t now(uint32_t warp) const { return times_[warp]; }
  /// Whether what `earlier` did at `time` in this era happens before what `later` does now.
  bool ordered(uint32_t earlier, uint32_t time, uint32_t later) const {
    return earlier == later || (!seen_.empty() && seen_[size_t{later} * threads_ + earlier] >= time);
  }
  /// Whether nothing but a thread's own accesses is ordered within this era.
  bool unsynchronised() const { return seen_.empty(); }

 private:
  uint32_t* seen_by(uint32_t thread) { return &seen_[size_t{thread} * threads_]; }
  template <class F>
  void for_each_member(uint32_t warp, uint32_t members, F f);
  void start_clocks();
  void join_into(Clock& clock, uint32_t thread);

  uint32_t threads_ = 0;
  uint32_t era_ = 0;
  std::vector<uint32_t> times_;  ///< Per warp, from 1.
  std::vector<uint32_t> seen_;   ///< Row per thread: the time of every other thread that it has synchronised with.
};

}  // namespace tilescope::analysis
