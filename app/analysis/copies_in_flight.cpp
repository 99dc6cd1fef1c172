#include "analysis/copies_in_flight.h"

#include <deque>
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
  void wait_for_all(uint32_t step) {
    wait(step, 0);
    end(std::exchange(open_, std::nullopt), step);
  }

 private:
  void end(std::optional<uint32_t> first, uint32_t step) {
    if (first) ended_.push_back({warp_, timeline_.slot({warp_, *first}), timeline_.slot({warp_, step}) + 1});
  }

  const Timeline& timeline_;
  uint32_t warp_;
  std::vector<CopiesInFlight>& ended_;
  std::optional<uint32_t> open_;                   ///< Of the copies that are not committed.
  std::deque<std::optional<uint32_t>> committed_;  ///< Of each group in flight; none of an empty one.
};

}  // namespace

std::vector<CopiesInFlight> copies_in_flight(const ptx::Function& function, const trace::Trace& trace,
                                             const Timeline& timeline) {
  std::vector<CopiesInFlight> copies;
  for (uint32_t warp = 0; warp < timeline.warps(); ++warp) {
    CopyGroups groups(timeline, warp, copies);
    for (const uint32_t record : trace.warp_records(0, warp)) {
      const trace::Step at = trace.step(record);
      if (trace.kind(record) == trace::RecordKind::Access) {
        if (trace.access_kind(record) == trace::AccessKind::AsyncCopyWrite) groups.issue(at.warp_step);
      } else if (trace.kind(record) == trace::RecordKind::Sync) {
        const trace::Sync sync = trace.sync(record);
        if (sync.kind == trace::SyncKind::CopyCommit) groups.commit();
        if (sync.kind != trace::SyncKind::CopyWait) continue;
        if (function.instructions[at.pc].op == ptx::Op::CpAsyncWaitAll)
          groups.wait_for_all(at.warp_step);
        else
          groups.wait(at.warp_step, sync.id);
      }
    }
    if (timeline.steps(warp) > 0) groups.wait_for_all(timeline.last(warp).step);
  }
  return copies;
}

}  // namespace tilescope::analysis
