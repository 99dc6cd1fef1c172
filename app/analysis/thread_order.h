#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace tilescope::analysis {

/// Happens-before of a block's accesses: a vector clock per thread, kept small by two facts. Times are counted per
/// warp, and a barrier of the whole block orders everything before it, so it only begins a new era; within an era,
/// clocks exist only after a narrower synchronisation.
class ThreadOrder {
 public:
  /// The clock of a released object (an mbarrier, a flag): for each thread the time up to which its accesses are
  /// ordered before those of an acquirer.
  using Clock = std::vector<uint32_t>;

  /// A new block: only each thread's own accesses are ordered.
  void begin_block(uint32_t threads);
  /// All threads of the block have met.
  void block_barrier() { ++era_; }
  /// All threads of these warps have met.
  void meet(uint32_t first_warp, uint32_t warps);
  /// The lanes in `members` have met.
  void warp_barrier(uint32_t warp, uint32_t members);
  /// Adds the thread's accesses so far, and those ordered before them, to the clock.
  void release(Clock& clock, uint32_t thread);
  /// Orders the clock's accesses before the thread's later ones.
  void acquire(const Clock& clock, uint32_t thread);

  /// Orders the accesses of `other` up to `time` before the thread's later ones.
  void learn(uint32_t thread, uint32_t other, uint32_t time);

  /// Number of the interval between two whole-block barriers; continues over blocks.
  uint32_t era() const { return era_; }
  /// The current time of accesses by this warp.
  uint32_t now(uint32_t warp) const { return times_[warp]; }
  /// Whether an access of `earlier` at `time` in this era happens before the current one of `later`.
  bool ordered(uint32_t earlier, uint32_t time, uint32_t later) const {
    return earlier == later || (!seen_.empty() && seen_[size_t{later} * threads_ + earlier] >= time);
  }
  /// Whether only a thread's own accesses are ordered within this era.
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
