#include "analysis/check_suite.h"

#include <utility>

namespace tilescope::analysis {

CheckSuite::CheckSuite(LaunchFacts facts)
    : facts_(std::move(facts)), memcheck_(facts_), racecheck_(facts_), initcheck_(facts_), synccheck_(facts_) {}

void CheckSuite::block_begin(uint32_t block) {
  racecheck_.block_begin(block);
  initcheck_.block_begin(block);
  synccheck_.block_begin(block);
}

void CheckSuite::access(const trace::Access& access) {
  racecheck_.access(access);
  initcheck_.access(access);
}

void CheckSuite::sync(const trace::Sync& sync) {
  racecheck_.sync(sync);
  synccheck_.sync(sync);
}

void CheckSuite::barrier_complete(uint32_t block, uint32_t id) {
  racecheck_.barrier_complete(block, id);
  synccheck_.barrier_complete(block, id);
}

void CheckSuite::fault(const trace::Fault& fault) {
  memcheck_.fault(fault);
  initcheck_.fault(fault);
  synccheck_.fault(fault);
}

std::vector<Finding> CheckSuite::findings() const {
  std::vector<Finding> all;
  for (const std::vector<Finding>& some :
       {memcheck_.findings(), racecheck_.findings(), initcheck_.findings(), synccheck_.findings()})
    all.insert(all.end(), some.begin(), some.end());
  sort_findings(all);
  return all;
}

}  // namespace tilescope::analysis
