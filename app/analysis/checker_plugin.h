#pragma once

#include "analysis/findings.h"
#include "trace/observer.h"

namespace tilescope::analysis {

/// A checker: an observer that returns findings after the blocks. check_suite.cpp registers them. It is constructed
/// from the LaunchFacts, which outlive it.
class CheckerPlugin : public trace::Observer {
 public:
  virtual const Findings& findings() const = 0;
};

}  // namespace tilescope::analysis
