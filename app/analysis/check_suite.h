#pragma once

#include <vector>

#include "analysis/finding.h"
#include "analysis/initcheck.h"
#include "analysis/memcheck.h"
#include "analysis/racecheck.h"
#include "analysis/synccheck.h"

namespace tilescope::analysis {

/// All four checkers as one observer. Give it every block of interest one after another, with
/// RunOptions::check_registers set, then ask for the findings.
class CheckSuite : public trace::Observer {
 public:
  explicit CheckSuite(LaunchFacts facts);
  CheckSuite(const CheckSuite&) = delete;
  CheckSuite& operator=(const CheckSuite&) = delete;

  void block_begin(uint32_t block) override;
  void access(const trace::Access& access) override;
  void sync(const trace::Sync& sync) override;
  void barrier_complete(uint32_t block, uint32_t id) override;
  void fault(const trace::Fault& fault) override;
  /// Of all checkers, in the order of line.
  std::vector<Finding> findings() const;

 private:
  LaunchFacts facts_;
  Memcheck memcheck_;
  Racecheck racecheck_;
  Initcheck initcheck_;
  Synccheck synccheck_;
};

}  // namespace tilescope::analysis
