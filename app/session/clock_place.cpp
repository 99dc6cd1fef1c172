#include "session/clock_place.h"

#include <algorithm>
#include <cstdlib>

#include "clock/warp_slots.h"

namespace tilescope::session {
namespace {
using clock::Recording;

/// How often the warps of the block issue instructions of that line.
uint64_t machine_executions(const ClockRun& run, uint32_t line) {
  uint64_t count = 0;
  for (const ClockInstruction& instruction : run.code)
    if (instruction.ptx_line == line) count += instruction.executions;
  return count;
}

/// Calls `see(step)` for each step of the warp whose instruction is on that line of PTX, until it returns true.
template <class See>
void each_step_on(const run::TracedBlock& traced, uint32_t warp, uint32_t line, See see) {
  for (const trace::StraightLine& part : traced.log.warps()[warp])
    for (uint32_t i = 0; i < part.count; ++i)
      if (static_cast<uint32_t>(traced.instruction(part.pc + i).line) == line && see(part.first_step + i)) return;
}

/// How often the warps of the block are on that line.
uint64_t steps_on(const run::TracedBlock& traced, uint32_t line) {
  uint64_t count = 0;
  for (uint32_t warp = 0; warp < traced.timeline.warps(); ++warp)
    each_step_on(traced, warp, line, [&](uint32_t) { return ++count, false; });
  return count;
}

uint32_t slot_of(const Recording& recording, const Recording::Resident& block, uint32_t warp) {
  return clock::slot_of_warp(block.first_slot / recording.warps_per_block, warp, recording.warps_per_block);
}

}  // namespace

std::optional<analysis::StepRef> step_of(const ClockRun& run, const run::TracedBlock& traced, const ClockPlace& place) {
  const Recording& recording = run.recording;
  const Recording::Resident* block = recording.resident_at(place.slot, place.clock);
  if (!block) return std::nullopt;
  const uint32_t warp = clock::warp_in_slot(place.slot, recording.warps_per_block);
  const std::vector<Recording::Stretch>& row = recording.slots[place.slot];
  const size_t here = recording.stretch_at(place.slot, place.clock);
  const uint32_t line = row[here].state == Recording::kAbsent ? 0 : run.code[row[here].pc].ptx_line;
  if (line == 0 || warp >= traced.timeline.warps()) return std::nullopt;
  uint64_t before = 0;
  for (size_t i = recording.stretch_at(place.slot, block->begin); i < here; ++i)
    before += row[i].state == Recording::kIssues && run.code[row[i].pc].ptx_line == line;
  const uint64_t all = machine_executions(run, line), steps = steps_on(traced, line);
  if (all == 0 || steps == 0) return std::nullopt;
  uint64_t wanted = before * steps / all;
  std::optional<analysis::StepRef> found;
  each_step_on(traced, warp, line, [&](uint32_t step) {
    found = {warp, step};
    return wanted-- == 0;
  });
  return found;
}

std::optional<ClockPlace> place_of(const ClockRun& run, const run::TracedBlock& traced, const analysis::StepRef& step,
                                   const ClockPlace& near) {
  constexpr uint32_t kMostStepsOn = 64;
  const Recording& recording = run.recording;
  const Recording::Resident* block = recording.resident_at(near.slot, near.clock);
  if (!block || step.warp >= recording.warps_per_block) return std::nullopt;
  const uint32_t slot = slot_of(recording, *block, step.warp), last = traced.timeline.steps(step.warp);
  uint32_t at = step.step, line = 0;
  uint64_t all = 0;
  for (; at < std::min(last, step.step + kMostStepsOn) && all == 0; ++at) {
    line = static_cast<uint32_t>(traced.instruction(traced.timeline.pc({step.warp, at})).line);
    all = machine_executions(run, line);
  }
  if (all == 0 || slot >= recording.slots.size()) return std::nullopt;
  uint64_t ordinal = 0, steps = steps_on(traced, line);
  each_step_on(traced, step.warp, line, [&](uint32_t one) { return one + 1 >= at || (++ordinal, false); });
  uint64_t wanted = (ordinal * all + steps - 1) / steps;
  const std::vector<Recording::Stretch>& row = recording.slots[slot];
  for (size_t i = recording.stretch_at(slot, block->begin); i < row.size() && row[i].begin < block->end; ++i)
    if (row[i].state == Recording::kIssues && run.code[row[i].pc].ptx_line == line && wanted-- == 0)
      return ClockPlace{slot, row[i].begin};
  return std::nullopt;
}

ClockPlace opening_place(const Recording& recording) {
  const std::vector<Recording::Resident>& blocks = recording.residents;
  if (blocks.empty()) return {};
  const auto first_round = std::ranges::upper_bound(blocks, 0, {}, &Recording::Resident::begin) - blocks.begin();
  const auto opening = std::max({std::ptrdiff_t{0}, first_round - 1, (std::ssize(blocks) - 1) / 2});
  const Recording::Resident& block = blocks[static_cast<size_t>(opening)];
  return moved_by_issues(recording, {slot_of(recording, block, 0), block.begin}, 1);
}

ClockPlace moved(const Recording& recording, ClockPlace place, int64_t clocks) {
  place.clock = static_cast<int32_t>(std::clamp<int64_t>(place.clock + clocks, 0, std::max(0, recording.clocks - 1)));
  return place;
}

ClockPlace moved_by_issues(const Recording& recording, ClockPlace place, int count) {
  if (place.slot >= recording.slots.size()) return place;
  const std::vector<Recording::Stretch>& row = recording.slots[place.slot];
  const auto size = static_cast<std::ptrdiff_t>(row.size());
  auto at = static_cast<std::ptrdiff_t>(recording.stretch_at(place.slot, place.clock));
  const int way = count > 0 ? 1 : -1;
  for (int left = std::abs(count); left > 0; --left) {
    std::ptrdiff_t next = at + way;
    while (next >= 0 && next < size && row[static_cast<size_t>(next)].state != Recording::kIssues) next += way;
    if (next < 0 || next >= size) break;
    at = next;
  }
  const Recording::Stretch& found = row[static_cast<size_t>(at)];
  if (found.state == Recording::kIssues) place.clock = found.begin;
  return place;
}

}  // namespace tilescope::session
