#include "analysis/check_suite.h"

#include <utility>

#include "analysis/initcheck.h"
#include "analysis/memcheck.h"
#include "analysis/proxycheck.h"
#include "analysis/racecheck.h"
#include "analysis/synccheck.h"

namespace tilescope::analysis {
namespace {

template <class Plugin>
std::unique_ptr<CheckerPlugin> make(const LaunchFacts& facts) {
  return std::make_unique<Plugin>(facts);
}

struct Registration {
  std::unique_ptr<CheckerPlugin> (*make)(const LaunchFacts& facts);
  Checks runs;
};
constexpr Registration kCheckers[]{
    {make<Memcheck>, Checks::Always},    {make<Synccheck>, Checks::Always},  {make<Racecheck>, Checks::Ordered},
    {make<Proxycheck>, Checks::Ordered}, {make<Initcheck>, Checks::Ordered},
};

}  // namespace

CheckSuite::CheckSuite(LaunchFacts facts, Checks wanted) : facts_(std::move(facts)) {
  for (const Registration& registration : kCheckers) {
    if (wanted != Checks::All && registration.runs != wanted) continue;
    checkers_.push_back(registration.make(facts_));
    add(checkers_.back().get());
  }
}

Findings CheckSuite::findings() const {
  Findings all;
  for (const auto& checker : checkers_) all.add(checker->findings());
  return all;
}

}  // namespace tilescope::analysis
