#include "analysis/synccheck.h"

#include <bit>
#include <utility>

namespace tilescope::analysis {
namespace {

using trace::FaultKind;

uint32_t first_lane(uint32_t lanes) { return lanes ? static_cast<uint32_t>(std::countr_zero(lanes)) : 0; }

bool kind_of(FaultKind fault, FindingKind& kind) {
  switch (fault) {
    case FaultKind::DivergentBarrier: kind = FindingKind::DivergentBarrier; return true;
    case FaultKind::Deadlock: kind = FindingKind::Deadlock; return true;
    case FaultKind::IncompleteWarpSync: kind = FindingKind::IncompleteWarpSync; return true;
    case FaultKind::BadBarrier: kind = FindingKind::BadBarrier; return true;
    case FaultKind::UnwaitedCopy: kind = FindingKind::UnwaitedCopy; return true;
    case FaultKind::AccumulatorInFlight: kind = FindingKind::AccumulatorInFlight; return true;
    case FaultKind::BadRegisterCount: kind = FindingKind::BadRegisterCount; return true;
    default: return false;
  }
}

/// Lanes that a warp of the block has.
uint32_t lanes_of_warp(const LaunchFacts& facts, uint32_t warp) {
  const uint32_t left = facts.threads() - warp * trace::kLanes;
  return left >= trace::kLanes ? UINT32_MAX : (1u << left) - 1;
}

}  // namespace

void Synccheck::block_begin(uint32_t) { arrivals_.clear(); }

void Synccheck::sync(const trace::Sync& sync) {
  if (sync.kind != trace::SyncKind::BarrierArrive || !facts_.is_block_barrier(sync.at.pc)) return;
  arrivals_[sync.id].push_back({sync.at.warp, sync.at.active, sync.at.pc});
}

void Synccheck::barrier_complete(uint32_t block, uint32_t id) {
  const auto at = arrivals_.find(id);
  if (at == arrivals_.end()) return;
  check_exited(block, at->second);
  check_same_barrier(block, at->second);
  arrivals_.erase(at);
}

void Synccheck::check_exited(uint32_t block, const std::vector<Arrival>& arrivals) {
  std::vector<uint32_t> missing(facts_.warps());
  for (uint32_t warp = 0; warp < missing.size(); ++warp) missing[warp] = lanes_of_warp(facts_, warp);
  for (const Arrival& arrival : arrivals) missing[arrival.warp] &= ~arrival.lanes;
  uint32_t count = 0, warp_of_first = 0;
  for (uint32_t warp = 0; warp < missing.size(); ++warp) {
    if (missing[warp] && !count) warp_of_first = warp;
    count += static_cast<uint32_t>(std::popcount(missing[warp]));
  }
  if (!count) return;
  const Arrival& here = arrivals.front();
  const Thread gone = facts_.thread_at(block, warp_of_first, first_lane(missing[warp_of_first]));
  Finding f;
  f.checker = Checker::Synccheck;
  f.kind = FindingKind::BarrierAfterExit;
  f.site = facts_.site_at(here.pc, block, here.warp, first_lane(here.lanes));
  f.threads = count;
  f.block_threads = facts_.threads();
  f.exited = gone;
  findings_.add(std::move(f));
}

void Synccheck::check_same_barrier(uint32_t block, const std::vector<Arrival>& arrivals) {
  const Arrival& a = arrivals.front();
  for (const Arrival& b : arrivals) {
    if (facts_.same_source(a.pc, b.pc)) continue;
    const bool in_order = a.pc < b.pc;
    const Arrival &first = in_order ? a : b, &second = in_order ? b : a;
    Finding f;
    f.checker = Checker::Synccheck;
    f.kind = FindingKind::MismatchedBarriers;
    f.site = facts_.site_at(first.pc, block, first.warp, first_lane(first.lanes));
    f.other = facts_.site_at(second.pc, block, second.warp, first_lane(second.lanes));
    findings_.add(std::move(f));
  }
}

void Synccheck::fault(const trace::Fault& fault) {
  Finding f;
  if (!kind_of(fault.kind, f.kind)) return;
  f.checker = Checker::Synccheck;
  f.site = facts_.site_at(fault.at.pc, fault.at.block, fault.at.warp, first_lane(fault.lanes));
  f.threads = static_cast<uint32_t>(std::popcount(fault.lanes));
  f.detail = fault.detail;
  if (fault.addresses) {  // Of the mbarrier that lanes wait for.
    f.space = fault.space;
    f.address = fault.addresses[first_lane(fault.lanes)];
    if (const Allocation* array = facts_.array_at(f.space, f.address)) f.array = array->name;
    f.element = facts_.element_at(f.space, f.address, 8);
  }
  findings_.add(std::move(f));
}

}  // namespace tilescope::analysis
