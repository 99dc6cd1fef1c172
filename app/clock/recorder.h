#pragma once

#include "clock/recording.h"
#include "clock/sm.h"

namespace tilescope::clock {

/// Records what run_sm() tells it.
class Recorder : public SmObserver {
 public:
  void on_state(uint32_t slot, Stall state, int64_t begin, int64_t end, uint32_t pc) override;
  void on_arrival(int64_t issued, int64_t clock, uint32_t slot, uint32_t pc) override;
  void on_block(int64_t clock, uint32_t first_slot, uint64_t block, bool starts) override;
  void on_busy(SmUnit unit, double begin, double clocks) override;

  /// All that was told, of a run that took that long.
  Recording take(const SmRun& run, uint32_t warps_per_block);

 private:
  Recording made_;
};

}  // namespace tilescope::clock
