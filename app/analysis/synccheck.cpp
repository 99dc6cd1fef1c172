#include "analysis/synccheck.h"

#include <bit>

#include <fmt/format.h>

#include "base/words.h"

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
    default: return false;
  }
}

/// A sentence without its full stop: what happened and what to do.
std::string fault_clause(const Finding& f, int lanes) {
  const std::string who = describe_with_block(f.site.thread), line = on_line(f.site);
  switch (f.kind) {
    case FindingKind::DivergentBarrier:
      return tr_format(
          "{} and {} more of its warp reach the barrier {} while the warp's other live lanes do not; "
          "move the barrier out of the branch or loop that they leave",
          who, lanes - 1, line);
    case FindingKind::Deadlock:
      return tr_format(
          "{} waits {} for ever, and no thread of the block can go on; "
          "let every thread reach the same barriers equally often",
          who, line);
    case FindingKind::IncompleteWarpSync:
      return tr_format(
          "{} synchronises its warp {} with a mask that lacks the lane itself or names lanes that do not "
          "take part; name exactly the lanes that reach this instruction",
          who, line);
    default:
      return tr_format(
          "{} uses a barrier {} whose number is over 15, or whose thread count is no multiple of 32 or "
          "more than the block has; correct the number or the count",
          who, line);
  }
}

std::string fault_message(const Finding& f, const trace::Fault& fault) {
  const std::string clause = fault_clause(f, std::popcount(fault.lanes));
  return fault.detail.empty() ? tr_format("{}.", clause) : tr_format("{} ({}).", clause, fault.detail);
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
  log_.add(std::move(f), [&](const Finding& kept) {
    return tr_format(
        "{} of the block's {} threads, {} the first, have exited when the others pass the barrier {}; "
        "let every thread reach the barrier, and guard the work instead of returning early.",
        count, facts_.threads(), describe_with_block(gone), on_line(kept.site));
  });
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
    log_.add(std::move(f), [](const Finding& kept) {
      return tr_format(
          "{} waits at the barrier {} while {} waits at the one {}, and each takes the other's for its own; "
          "let all threads of the block reach the same __syncthreads().",
          describe_with_block(kept.site.thread), on_line(kept.site), describe(kept.other->thread),
          on_line(*kept.other));
    });
  }
}

void Synccheck::fault(const trace::Fault& fault) {
  Finding f;
  if (!kind_of(fault.kind, f.kind)) return;
  f.checker = Checker::Synccheck;
  f.site = facts_.site_at(fault.at.pc, fault.at.block, fault.at.warp, first_lane(fault.lanes));
  log_.add(std::move(f), [&](const Finding& kept) { return fault_message(kept, fault); });
}

}  // namespace tilescope::analysis
