#pragma once

#include <memory>
#include <vector>

#include "analysis/checker_plugin.h"

namespace tilescope::analysis {

enum class Checks : uint8_t {
  Always,   ///< Checkers that need little more than the emulator's own faults.
  Ordered,  ///< The others: need RunOptions::check_registers, and the blocks one after another, or cluster after
            ///< cluster.
  All,
};

/// The checkers as one observer. Give it every block of interest, then get the findings.
class CheckSuite : public trace::Observers {
 public:
  explicit CheckSuite(LaunchFacts facts, Checks wanted = Checks::All);
  CheckSuite(const CheckSuite&) = delete;
  CheckSuite& operator=(const CheckSuite&) = delete;

  Findings findings() const;  ///< Of all checkers.

 private:
  LaunchFacts facts_;
  std::vector<std::unique_ptr<CheckerPlugin>> checkers_;
};

}  // namespace tilescope::analysis
