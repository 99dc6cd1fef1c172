#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "analysis/checker_plugin.h"
#include "analysis/team.h"
#include "analysis/written_bytes.h"

namespace tilescope::analysis {

/// Reads of unwritten bytes: shared memory since the block began, global arrays that the caller did not initialise, a
/// thread's local memory, and registers (from the emulator's UninitialisedRegister faults).
/// A cp.async counts as a write when it is issued; reading it too early is racecheck's finding. Blocks of a
/// cluster are given as to Racecheck.
class Initcheck : public CheckerPlugin {
 public:
  explicit Initcheck(const LaunchFacts& facts);
  void block_begin(uint32_t block) override;
  void access(const trace::Access& access) override;
  void bulk_copy(const trace::BulkCopy& copy) override;
  void fault(const trace::Fault& fault) override;
  const Findings& findings() const override { return findings_; }

 private:
  struct Global {
    Allocation allocation;
    std::shared_ptr<WrittenBytes> written;
  };
  WrittenBytes* written_of(Space space, uint32_t thread, uint64_t& address);
  void add_read(const trace::Access& access, uint32_t lane);

  void visit(const trace::Access& access);

  const LaunchFacts& facts_;
  Team team_;
  WrittenBytes shared_;              ///< Of the team.
  std::vector<WrittenBytes> local_;  ///< Per thread of the team.
  std::vector<Global> global_;       ///< Those not initialised at launch.
  Findings findings_;
};

}  // namespace tilescope::analysis
