#include "view/warp_places.h"

#include <algorithm>
#include <bit>
#include <map>
#include <set>

#include "view/lane_uses.h"

namespace tilescope::view {
namespace {
using analysis::StepRef;
using analysis::Timeline;
using run::TracedArray;
using session::WarpOrder;

/// How many of its instructions the warp has executed by that slot, in step.
uint32_t executed_in_step(const Timeline& timeline, uint32_t warp, uint32_t slot) {
  if (timeline.steps(warp) == 0) return 0;
  const uint32_t step = timeline.step_at_or_before(warp, slot);
  return timeline.slot({warp, step}) <= slot ? step + 1 : 0;
}

/// Calls visit(moment, record) for the warp's accesses of shared memory in an interval.
template <class Visit>
void for_each_shared_access(const run::TracedBlock& traced, uint32_t warp, uint32_t interval, Visit visit) {
  const auto [begin, end] = traced.timeline.steps_in(warp, interval);
  if (begin == end) return;
  const uint32_t* last = traced.timeline.records({warp, end}).first;
  for (const uint32_t* record = traced.timeline.records({warp, begin}).first; record != last; ++record)
    if (traced.trace.kind(*record) == trace::RecordKind::Access && traced.trace.space(*record) == Space::Shared &&
        traced.trace.active(*record) != 0)
      visit(StepRef{warp, traced.trace.step(*record).warp_step}, *record);
}

const TracedArray* array_of(const run::TracedBlock& traced, uint32_t record) {
  uint64_t addresses[trace::kLanes];
  traced.trace.addresses(record, addresses);
  return traced.accesses.find(Space::Shared, addresses[std::countr_zero(traced.trace.active(record))]);
}

bool writes(const run::TracedBlock& traced, uint32_t record) {
  return trace::is_write(traced.trace.access_kind(record));
}

}  // namespace

WarpPlaces warp_places(const Focus& focus) {
  const Timeline& timeline = focus.traced->timeline;
  const uint32_t slot = timeline.slot(focus.cursor), interval = timeline.interval(focus.cursor);
  WarpPlaces places;
  for (uint32_t warp = 0; warp < timeline.warps(); ++warp) {
    const auto [begin, end] = timeline.steps_in(warp, interval);
    const bool here = warp == focus.cursor.warp;
    switch (focus.order) {
      case WarpOrder::InStep: places.executed.push_back(executed_in_step(timeline, warp, slot)); break;
      case WarpOrder::Ahead: places.executed.push_back(here ? focus.cursor.step + 1 : begin); break;
      case WarpOrder::Behind: places.executed.push_back(here ? focus.cursor.step + 1 : end); break;
    }
  }
  return places;
}

WarpState state_of(const Focus& focus, const WarpPlaces& places, uint32_t warp) {
  const Timeline& timeline = focus.traced->timeline;
  const uint32_t interval = timeline.interval(focus.cursor), executed = places.executed[warp];
  const auto [begin, end] = timeline.steps_in(warp, interval);
  if (executed == timeline.steps(warp)) return WarpState::Ended;
  if (executed == end && timeline.ends_at_barrier(interval)) return WarpState::Waits;
  return executed == begin ? WarpState::Released : WarpState::Runs;
}

std::vector<OutOfOrder> out_of_order(const Focus& focus, const WarpPlaces& places) {
  using Kind = OutOfOrder::Kind;
  std::vector<OutOfOrder> result;
  if (focus.order == WarpOrder::InStep) return result;
  const run::TracedBlock& traced = *focus.traced;
  const Timeline& timeline = traced.timeline;
  std::map<std::pair<const TracedArray*, uint64_t>, bool> mine;  // Whether it is written.
  for (const LaneUse& use : lane_uses(traced, focus.cursor))
    if (use.array->allocation.space == Space::Shared &&
        (use.how == LaneUse::How::Reads || use.how == LaneUse::How::Writes))
      mine[{use.array, use.index}] |= use.how == LaneUse::How::Writes;
  const uint32_t slot = timeline.slot(focus.cursor), interval = timeline.interval(focus.cursor);
  for (uint32_t warp = 0; warp < timeline.warps() && !mine.empty(); ++warp) {
    if (warp == focus.cursor.warp) continue;
    for_each_shared_access(traced, warp, interval, [&](const StepRef& at, uint32_t record) {
      const TracedArray* array = array_of(traced, record);
      const uint32_t its_slot = timeline.slot(at);
      const bool done = places.has_executed(at), write = writes(traced, record);
      if (!array || its_slot == slot || (its_slot < slot) == done) return;
      run::for_each_accessed(traced.trace, *array, record, [&](uint64_t index, uint32_t) {
        const auto found = mine.find({array, index});
        if (found == mine.end() || found->second == write) return;
        const Kind kind =
            write ? (done ? Kind::Overwritten : Kind::NotYetWritten) : (done ? Kind::ReadBefore : Kind::StillNeeded);
        const auto same = [&](const OutOfOrder& other) { return other.array == array && other.index == index; };
        if (std::none_of(result.begin(), result.end(), same)) result.push_back({kind, array, index, warp});
      });
    });
  }
  return result;
}

std::vector<uint64_t> spoiled(const Focus& focus, const WarpPlaces& places, const TracedArray& array) {
  std::set<uint64_t> elements;
  if (focus.order == WarpOrder::InStep) return {};
  const run::TracedBlock& traced = *focus.traced;
  const Timeline& timeline = traced.timeline;
  const uint32_t interval = timeline.interval(focus.cursor);
  std::map<uint64_t, uint32_t> reads;  // By element, the slot of the first pending one.
  for_each_shared_access(traced, focus.cursor.warp, interval, [&](const StepRef& at, uint32_t record) {
    if (at.step < focus.cursor.step || writes(traced, record) || array_of(traced, record) != &array) return;
    run::for_each_accessed(traced.trace, array, record,
                           [&](uint64_t index, uint32_t) { reads.try_emplace(index, timeline.slot(at)); });
  });
  for (uint32_t warp = 0; warp < timeline.warps() && !reads.empty(); ++warp) {
    if (warp == focus.cursor.warp) continue;
    for_each_shared_access(traced, warp, interval, [&](const StepRef& at, uint32_t record) {
      if (!places.has_executed(at) || !writes(traced, record) || array_of(traced, record) != &array) return;
      run::for_each_accessed(traced.trace, array, record, [&](uint64_t index, uint32_t) {
        const auto read = reads.find(index);
        if (read != reads.end() && read->second < timeline.slot(at)) elements.insert(index);
      });
    });
  }
  return {elements.begin(), elements.end()};
}

}  // namespace tilescope::view
