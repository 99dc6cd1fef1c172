#include "analysis/copies_in_flight.h"

#include <algorithm>
#include <deque>
#include <map>
#include <optional>
#include <utility>

namespace tilescope::analysis {
namespace {

/// One warp's copies, by the step at which the first of a group was issued.
class CopyGroups {
 public:
  CopyGroups(const Timeline& timeline, uint32_t warp, std::vector<CopiesInFlight>& ended)
      : timeline_(timeline), warp_(warp), ended_(ended) {}

  void issue(uint32_t step) {
    if (!open_) open_ = step;
  }
  void commit() { committed_.push_back(std::exchange(open_, std::nullopt)); }
  void wait(uint32_t step, size_t left) {
    for (; committed_.size() > left; committed_.pop_front()) end(committed_.front(), step);
  }
  /// From here on uncommitted copies wait for the phase of an mbarrier. Returns since when they are in flight.
  std::optional<uint32_t> hand_over() { return std::exchange(open_, std::nullopt); }
  void wait_for_all(uint32_t step) {
    wait(step, 0);
    end(std::exchange(open_, std::nullopt), step);
  }

 private:
  void end(std::optional<uint32_t> first, uint32_t step) {
    if (first) ended_.push_back({warp_, timeline_.slot({warp_, *first}), timeline_.slot({warp_, step}) + 1, warp_});
  }

  const Timeline& timeline_;
  uint32_t warp_;
  std::vector<CopiesInFlight>& ended_;
  std::optional<uint32_t> open_;                   ///< Of the copies that are not committed.
  std::deque<std::optional<uint32_t>> committed_;  ///< Of each group in flight; none of an empty one.
};

/// Copies in flight to an mbarrier.
struct Awaited {
  uint32_t warp = 0, first_step = 0, barrier = 0;
  size_t after = 0;  ///< The wait is a record from this one on.
};

/// The steps of the waits that found the phase of an mbarrier complete, in the order in which the block ran.
class MbarrierWaits {
 public:
  explicit MbarrierWaits(const trace::Trace& trace) {
    for (size_t i = 0; i < trace.size(); ++i)
      if (trace.kind(i) == trace::RecordKind::Sync && trace.sync(i).kind == trace::SyncKind::MbarrierWait)
        waits_[trace.sync(i).id].push_back(i);
  }
  std::optional<size_t> first(uint32_t barrier, size_t after) const {
    const auto found = waits_.find(barrier);
    if (found == waits_.end()) return std::nullopt;
    const auto at = std::lower_bound(found->second.begin(), found->second.end(), after);
    return at == found->second.end() ? std::nullopt : std::optional(*at);
  }

 private:
  std::map<uint32_t, std::vector<size_t>> waits_;
};

CopiesInFlight until_wait(const Awaited& copies, const MbarrierWaits& waits, const trace::Trace& trace,
                          const Timeline& timeline) {
  CopiesInFlight result{copies.warp, timeline.slot({copies.warp, copies.first_step}), 0, copies.warp, copies.barrier};
  StepRef end = timeline.last(copies.warp);
  if (const std::optional<size_t> wait = waits.first(copies.barrier, copies.after)) {
    const trace::Step at = trace.step(*wait);
    end = {at.warp, at.warp_step};
    result.ended_by = at.warp;
  }
  result.end_slot = std::max(result.first_slot, timeline.slot(end)) + 1;
  return result;
}

/// Bulk copies into shared memory, those of one warp for one phase of an mbarrier together.
std::vector<Awaited> bulk_copies_to_mbarriers(const trace::Trace& trace) {
  std::vector<Awaited> all;
  std::map<std::pair<uint32_t, uint32_t>, size_t> latest;  // By warp and mbarrier.
  for (const trace::BulkRecord& copy : trace.bulk_copies()) {
    if (!copy.to_shared) continue;
    const std::pair<uint32_t, uint32_t> key{copy.at.warp, copy.barrier};
    const auto known = latest.find(key);
    // Landed together: one phase.
    if (known != latest.end() && all[known->second].after == copy.landed) continue;
    latest[key] = all.size();
    all.push_back({copy.at.warp, copy.at.warp_step, copy.barrier, copy.landed});
  }
  return all;
}

/// One warp's copies, from its records.
class WarpCopies {
 public:
  WarpCopies(const ptx::Function& function, const Timeline& timeline, uint32_t warp, std::vector<CopiesInFlight>& ended,
             std::vector<Awaited>& awaited)
      : function_(function),
        warp_(warp),
        groups_(timeline, warp, ended),
        bulk_(timeline, warp, ended),
        awaited_(awaited) {}

  void access(trace::AccessKind kind, uint32_t step) {
    if (kind == trace::AccessKind::AsyncCopyWrite) groups_.issue(step);
  }
  void bulk_store(uint32_t step) { bulk_.issue(step); }
  void sync(const trace::Sync& sync, uint32_t record) {
    const uint32_t step = sync.at.warp_step;
    const ptx::Op op = function_.instructions[sync.at.pc].op;
    switch (sync.kind) {
      case trace::SyncKind::CopyCommit: return groups_.commit();
      case trace::SyncKind::CopyWait:
        return op == ptx::Op::CpAsyncWaitAll ? groups_.wait_for_all(step) : groups_.wait(step, sync.id);
      case trace::SyncKind::BulkCommit: return bulk_.commit();
      case trace::SyncKind::BulkWait: return bulk_.wait(step, sync.id);
      case trace::SyncKind::MbarrierArrive:
        if (op != ptx::Op::CpAsyncMbarrierArrive) return;
        if (const auto first = groups_.hand_over()) awaited_.push_back({warp_, *first, sync.id, size_t{record} + 1});
        return;
      default: return;
    }
  }
  void end(uint32_t last_step) {
    groups_.wait_for_all(last_step);
    bulk_.wait_for_all(last_step);
  }

 private:
  const ptx::Function& function_;
  uint32_t warp_;
  CopyGroups groups_, bulk_;
  std::vector<Awaited>& awaited_;
};

/// Calls visit(instruction, step) for each wgmma of the line.
template <class Visit>
void for_each_wgmma(const ptx::Function& function, const trace::StraightLine& line, Visit visit) {
  for (uint32_t i = 0; i < line.count; ++i) {
    const ptx::Instruction& instruction = function.instructions[line.pc + i];
    if (instruction.op == ptx::Op::WgmmaMma || instruction.op == ptx::Op::WgmmaCommit ||
        instruction.op == ptx::Op::WgmmaWait)
      visit(instruction, line.first_step + i);
  }
}

/// The steps of the warp's bulk copies out of shared memory.
std::vector<uint32_t> bulk_stores_of(const trace::Trace& trace, uint32_t warp) {
  std::vector<uint32_t> steps;
  for (const trace::BulkRecord& copy : trace.bulk_copies())
    if (!copy.to_shared && copy.at.warp == warp) steps.push_back(copy.at.warp_step);
  return steps;
}

}  // namespace

std::vector<CopiesInFlight> copies_in_flight(const ptx::Function& function, const trace::Trace& trace,
                                             const Timeline& timeline) {
  std::vector<CopiesInFlight> copies;
  std::vector<Awaited> awaited = bulk_copies_to_mbarriers(trace);
  for (uint32_t warp = 0; warp < timeline.warps(); ++warp) {
    WarpCopies of_warp(function, timeline, warp, copies, awaited);
    const std::vector<uint32_t> stores = bulk_stores_of(trace, warp);
    auto store = stores.begin();
    for (const uint32_t record : trace.warp_records(0, warp)) {
      const uint32_t step = trace.step(record).warp_step;
      for (; store != stores.end() && *store < step; ++store) of_warp.bulk_store(*store);
      if (trace.kind(record) == trace::RecordKind::Access) of_warp.access(trace.access_kind(record), step);
      if (trace.kind(record) == trace::RecordKind::Sync) of_warp.sync(trace.sync(record), record);
    }
    if (timeline.steps(warp) > 0) of_warp.end(timeline.last(warp).step);
  }
  if (awaited.empty()) return copies;
  const MbarrierWaits waits(trace);
  for (const Awaited& each : awaited) copies.push_back(until_wait(each, waits, trace, timeline));
  std::stable_sort(copies.begin(), copies.end(), [](const CopiesInFlight& a, const CopiesInFlight& b) {
    return std::pair(a.warp, a.end_slot) < std::pair(b.warp, b.end_slot);
  });
  return copies;
}

std::vector<ProductsInFlight> products_in_flight(const ptx::Function& function, const trace::InstructionLog& log,
                                                 const Timeline& timeline) {
  const bool has_any =
      std::any_of(function.instructions.begin(), function.instructions.end(),
                  [](const ptx::Instruction& instruction) { return instruction.op == ptx::Op::WgmmaMma; });
  if (!has_any) return {};
  std::vector<CopiesInFlight> ended;  // Groups of products are committed and waited for like groups of copies.
  for (uint32_t warp = 0; warp < log.warps().size(); ++warp) {
    CopyGroups groups(timeline, warp, ended);
    for (const trace::StraightLine& line : log.warps()[warp])
      for_each_wgmma(function, line, [&](const ptx::Instruction& instruction, uint32_t step) {
        if (instruction.op == ptx::Op::WgmmaMma) groups.issue(step);
        if (instruction.op == ptx::Op::WgmmaCommit) groups.commit();
        if (instruction.op == ptx::Op::WgmmaWait) groups.wait(step, instruction.operands[0].bits);
      });
    if (timeline.steps(warp) > 0) groups.wait_for_all(timeline.last(warp).step);
  }
  std::vector<ProductsInFlight> products;
  for (const CopiesInFlight& group : ended) products.push_back({group.warp, group.first_slot, group.end_slot});
  return products;
}

}  // namespace tilescope::analysis
