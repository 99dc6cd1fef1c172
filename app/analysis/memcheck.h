#pragma once

#include <vector>

#include "analysis/checker_plugin.h"

namespace tilescope::analysis {

/// Accesses outside every array, misaligned accesses, and traps. Extents are exact: an access one byte past the end is
/// found, and the finding says how far past which array it is. An index that leaves one shared array for its neighbour
/// is inside the window and not found here.
class Memcheck : public CheckerPlugin {
 public:
  explicit Memcheck(const LaunchFacts& facts) : facts_(facts) {}
  void fault(const trace::Fault& fault) override;
  const Findings& findings() const override { return findings_; }

 private:
  void add_address_fault(const trace::Fault& fault, uint32_t lane);
  void add_detailed(const trace::Fault& fault, FindingKind kind);

  const LaunchFacts& facts_;
  Findings findings_;
};

}  // namespace tilescope::analysis
