#include "view/sync_words.h"

#include <algorithm>
#include <bit>

#include "base/text.h"
#include "base/words.h"
#include "view/words.h"

namespace tilescope::view {
namespace {
using ptx::Op;
using run::TracedBlock;
using trace::SyncKind;

std::string arrivals_text(uint64_t count) { return plural(count, "{} arrival", "{} arrivals"); }

/// Its result is the sentence of a test_wait or try_wait.
std::string wait_sentence(const TracedBlock& traced, const trace::Sync& sync, uint32_t slot, const std::string& name) {
  const int64_t phase = traced.mbarriers.awaited(sync.id, slot, sync.amount);
  if (sync.kind == SyncKind::MbarrierTry)
    return tr_format("phase {} of {} is not complete, it lacks {}: the warp tries again", phase, name,
                     missing_text(traced.mbarriers.at(sync.id, slot)));
  if (phase < 0)
    return tr_format("{} is in its first phase; the one before counts as complete: the warp continues", name);
  return tr_format("phase {} of {} is complete: the warp continues", phase, name);
}

/// "1 arrival at empty[0]: phase 0 lacks 7 arrivals"
std::string arrival_sentence(const TracedBlock& traced, const trace::Sync& sync, uint32_t slot,
                             const std::string& name) {
  const ptx::Instruction& instruction = traced.instruction(sync.at.pc);
  const auto lanes = static_cast<uint32_t>(std::popcount(sync.at.active));
  const std::string arrivals = arrivals_text(instruction.expect_tx ? lanes : sync.amount);
  const std::string what =
      instruction.expect_tx ? tr_format("{} at {}, which expects {} bytes more", arrivals, name, grouped(sync.amount))
                            : tr_format("{} at {}", arrivals, name);
  const run::MbarrierState after = traced.mbarriers.at(sync.id, slot);
  if (!after.initialised) return what;
  const uint32_t before = slot == 0 ? 0 : traced.mbarriers.at(sync.id, slot - 1).phase;
  if (after.phase > before) return tr_format("{}: phase {} is complete", what, before);
  return tr_format("{}: phase {} lacks {}", what, after.phase, missing_text(after));
}

std::string mbarrier_sentence(const TracedBlock& traced, const trace::Sync& sync, const std::string& name) {
  const uint32_t slot = traced.timeline.slot({sync.at.warp, sync.at.warp_step});
  const uint32_t phase = traced.mbarriers.at(sync.id, slot).phase;
  switch (traced.instruction(sync.at.pc).op) {
    case Op::MbarrierInit: return tr_format("sets up {}: each phase takes {}", name, arrivals_text(sync.amount));
    case Op::MbarrierInval: return tr_format("{} is not an mbarrier from here on", name);
    case Op::MbarrierExpectTx:
      return tr_format("phase {} of {} expects {} bytes more", phase, name, grouped(sync.amount));
    case Op::MbarrierCompleteTx:
      return tr_format("phase {} of {} expects {} bytes less", phase, name, grouped(sync.amount));
    case Op::CpAsyncMbarrierArrive:
      return tr_format("{} at {} by the system, as soon as the copies by cp.async before it have landed",
                       arrivals_text(sync.amount), name);
    case Op::MbarrierTestWait:
    case Op::MbarrierTryWait: return wait_sentence(traced, sync, slot, name);
    default: return arrival_sentence(traced, sync, slot, name);
  }
}

/// For a barrier of the block: the warps that must arrive. With a thread count those are not all.
std::string barrier_wait_sentence(const TracedBlock& traced, const trace::Sync& sync) {
  const uint32_t all = traced.facts.warps(), warp = sync.at.warp;
  const uint32_t warps = sync.amount == 0 ? all : sync.amount / trace::kLanes;
  if (all == 1) return tr("the block's only warp waits for nobody");
  if (warps == all) return tr_format("warp {} waits until all {} warps of the block are here", warp, all);
  return tr_format("warp {} waits at barrier {} for {} of the block's {} warps", warp, sync.id, warps, all);
}

}  // namespace

bool is_at_mbarrier(const trace::Sync& sync) {
  return sync.kind == SyncKind::MbarrierArrive || sync.kind == SyncKind::MbarrierWait ||
         sync.kind == SyncKind::MbarrierTry;
}

std::vector<uint64_t> mbarriers_at(const TracedBlock& traced, const analysis::StepRef& at) {
  std::vector<uint64_t> offsets;
  const auto [first, last] = traced.timeline.records(at);
  for (const uint32_t* record = first; record != last; ++record)
    if (traced.trace.kind(*record) == trace::RecordKind::Sync)
      if (const trace::Sync sync = traced.trace.sync(*record); is_at_mbarrier(sync)) offsets.push_back(sync.id);
  for (const trace::BulkRecord* copy : traced.timeline.bulk_copies(at))
    if (copy->barrier != trace::BulkCopy::kNoBarrier) offsets.push_back(copy->barrier);
  std::ranges::sort(offsets);
  offsets.erase(std::unique(offsets.begin(), offsets.end()), offsets.end());
  return offsets;
}

std::string missing_text(const run::MbarrierState& state) {
  const std::string arrivals = arrivals_text(state.pending),
                    bytes = plural(static_cast<uint64_t>(state.bytes), "{} byte", "{} bytes");
  if (state.bytes == 0) return arrivals;
  return state.pending == 0 ? bytes : tr_format("{} and {}", arrivals, bytes);
}

std::string sync_sentence(const TracedBlock& traced, const trace::Sync& sync, const std::string& mbarrier) {
  switch (sync.kind) {
    case SyncKind::BarrierArrive: return barrier_wait_sentence(traced, sync);
    case SyncKind::BarrierPass:
      return tr_format("warp {} arrives at barrier {} and does not wait", sync.at.warp, sync.id);
    case SyncKind::WarpSync: return tr_format("{} wait for one another", lanes_text(sync.members));
    case SyncKind::CopyCommit: return tr("the copies begun so far become one group");
    case SyncKind::CopyWait:
      return sync.id == 0 ? tr("waits until all copies have landed")
                          : plural(sync.id, "waits until at most {} group of copies are on their way",
                                   "waits until at most {} groups of copies are on their way");
    case SyncKind::BulkCommit: return tr("the bulk copies begun so far become one group");
    case SyncKind::BulkWait:
      return sync.id == 0 ? tr("waits until all bulk groups have ended")
                          : plural(sync.id, "waits until at most {} bulk group is on its way",
                                   "waits until at most {} bulk groups are on their way");
    case SyncKind::ProductCommit: return tr("the matrix products begun so far become one group");
    case SyncKind::ProductWait:
      return sync.id == 0 ? tr("waits until all matrix products have ended")
                          : plural(sync.id, "waits until at most {} group of matrix products is on its way",
                                   "waits until at most {} groups of matrix products are on their way");
    case SyncKind::Fence: return tr("what was written before is seen by others before what comes after");
    case SyncKind::MbarrierArrive:
    case SyncKind::MbarrierWait:
    case SyncKind::MbarrierTry: return mbarrier_sentence(traced, sync, mbarrier);
    case SyncKind::ClusterArrive: return tr("arrives at the barrier of its cluster");
    case SyncKind::ClusterWait: return tr("has met all threads of its cluster");
  }
  return {};
}

std::vector<uint32_t> warps_at_barrier(const TracedBlock& traced, uint32_t barrier) {
  std::vector<uint32_t> warps;
  for (uint32_t warp = 0; warp < traced.facts.warps(); ++warp)
    if (std::ranges::any_of(traced.trace.warp_records(0, warp), [&](uint32_t record) {
          if (traced.trace.kind(record) != trace::RecordKind::Sync) return false;
          const trace::Sync sync = traced.trace.sync(record);
          return sync.id == barrier && (sync.kind == SyncKind::BarrierArrive || sync.kind == SyncKind::BarrierPass);
        }))
      warps.push_back(warp);
  return warps;
}

}  // namespace tilescope::view
