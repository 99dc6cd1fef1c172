#pragma once

#include <cstdint>
#include <vector>

#include "analysis/checker_plugin.h"

namespace tilescope::analysis {

/// Reads of bytes that nobody wrote: shared memory since the block began, global arrays that the caller did not
/// initialise, a thread's local memory, and registers (from the emulator's UninitialisedRegister faults).
/// A cp.async counts as a write when it is issued; reading it too early is racecheck's finding.
class Initcheck : public CheckerPlugin {
 public:
  explicit Initcheck(const LaunchFacts& facts);
  void block_begin(uint32_t block) override;
  void access(const trace::Access& access) override;
  void fault(const trace::Fault& fault) override;
  std::vector<Finding> findings() const override { return log_.sorted(); }

 private:
  /// One bit a byte.
  class Written {
   public:
    void clear() { words_.assign(words_.size(), 0); }
    void set(uint64_t first, uint32_t bytes);
    bool all(uint64_t first, uint32_t bytes) const;

   private:
    std::vector<uint64_t> words_;
  };
  struct Global {
    Allocation allocation;
    Written written;
  };
  Written* written_of(Space space, uint32_t thread, uint64_t& address);
  void add_read(const trace::Access& access, uint32_t lane);

  const LaunchFacts& facts_;
  Written shared_;
  std::vector<Written> local_;  ///< Per thread of the block.
  std::vector<Global> global_;  ///< Those not initialised at launch.
  FindingLog log_;
};

}  // namespace tilescope::analysis
