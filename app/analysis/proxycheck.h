#pragma once

#include <cstdint>
#include <vector>

#include "analysis/checker_plugin.h"
#include "analysis/team.h"

namespace tilescope::analysis {

/// Shared memory that threads write by ordinary stores and a bulk copy or a wgmma then reads: these go through the
/// async proxy, and see the stores only behind a fence.proxy.async of the thread that stored, or of the one that starts
/// the copy once the threads have synchronised (PTX ISA, "Proxies" and "Proxy-preserved base causality order"). Whether
/// they synchronise is racecheck's concern. Blocks of a cluster are given as to Racecheck.
class Proxycheck : public CheckerPlugin {
 public:
  explicit Proxycheck(const LaunchFacts& facts) : facts_(facts), team_(facts) {}
  void block_begin(uint32_t block) override;
  void access(const trace::Access& access) override;
  void sync(const trace::Sync& sync) override;
  void bulk_copy(const trace::BulkCopy& copy) override;
  void product_read(const trace::ProductRead& read) override;
  const Findings& findings() const override { return findings_; }

 private:
  /// The latest store to a word of shared memory.
  struct Store {
    uint32_t moment = 0;  ///< Counts the team's events; 0: none, or a copy has written since.
    uint32_t thread = 0, pc = 0;
    trace::AccessKind kind = trace::AccessKind::Store;
  };
  Store& store_at(uint64_t address);
  /// Whether the bytes may be read this way; adds a finding if not.
  bool check(const trace::Step& at, trace::AccessKind kind, uint64_t begin, uint64_t bytes);
  void add(const trace::Step& at, trace::AccessKind kind, uint64_t address, const Store& store);

  const LaunchFacts& facts_;
  Team team_;
  std::vector<Store> stores_;     ///< To the team's shared memory.
  std::vector<uint32_t> fenced_;  ///< Per thread of it: the moment of its latest fence.proxy.async.
  uint32_t moment_ = 0;
  Findings findings_;
};

}  // namespace tilescope::analysis
