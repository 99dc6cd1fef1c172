#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "analysis/checker_plugin.h"

namespace tilescope::analysis {

/// Invalid use of barriers and warp-synchronous instructions: the faults that the emulator sees (a divergent barrier,
/// a deadlock, an incomplete member mask, a bad barrier number or count), and two that only the whole block shows, for
/// barriers without a thread count, which all threads of the block must reach together:
/// a barrier that completes although threads had exited before it, and one that completes with threads waiting at
/// different barriers of the source. CUDA leaves both undefined even if a GPU happens to continue.
class Synccheck : public CheckerPlugin {
 public:
  explicit Synccheck(const LaunchFacts& facts) : facts_(facts) {}
  void block_begin(uint32_t block) override;
  void sync(const trace::Sync& sync) override;
  void barrier_complete(uint32_t block, uint32_t id) override;
  void fault(const trace::Fault& fault) override;
  const Findings& findings() const override { return findings_; }

 private:
  struct Arrival {
    uint32_t warp = 0;
    uint32_t lanes = 0;
    uint32_t pc = 0;
  };
  void check_exited(uint32_t block, const std::vector<Arrival>& arrivals);
  void check_same_barrier(uint32_t block, const std::vector<Arrival>& arrivals);

  const LaunchFacts& facts_;
  std::map<uint32_t, std::vector<Arrival>> arrivals_;  ///< By barrier number, since it last completed.
  Findings findings_;
};

}  // namespace tilescope::analysis
