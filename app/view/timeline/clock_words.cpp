#include "view/timeline/clock_words.h"

#include <algorithm>
#include <numeric>

#include <fmt/format.h>

#include "arch/arch.h"
#include "base/text.h"
#include "base/words.h"
#include "clock/warp_slots.h"

namespace tilescope::view {
namespace {
using clock::Recording;
using clock::Stall;
using session::ClockPlace;
using session::ClockRun;

/// "FFMA R3, R4, R5, R3 (line 41)"
std::string instruction_text(const ClockRun& run, uint32_t pc) {
  const session::ClockInstruction& instruction = run.code[pc];
  if (instruction.cuda_line == 0) return instruction.text;
  return tr_format("{} (line {})", instruction.text, instruction.cuda_line);
}

std::string clocks_counted(int32_t clocks) {
  return plural(static_cast<uint64_t>(std::max(0, clocks)), "{} clock", "{} clocks");
}

/// Who of the scheduler's warps issues in that clock.
std::string who_issues(const ClockRun& run, const ClockPlace& place) {
  const Recording& recording = run.recording;
  for (uint32_t slot = place.slot % arch::kSchedulers; slot < recording.slots.size(); slot += arch::kSchedulers) {
    const Recording::Stretch& stretch = recording.slots[slot][recording.stretch_at(slot, place.clock)];
    if (stretch.state == Recording::kIssues && slot != place.slot)
      return tr_format("Warp {} issues instead: {}", clock::warp_in_slot(slot, recording.warps_per_block),
                       run.code[stretch.pc].text);
  }
  return tr_format("Scheduler {} issues nothing in this clock.", place.slot % arch::kSchedulers);
}

/// The text of a line of the source, without what it is indented by.
std::string text_of_line(const std::string& source, uint32_t line) {
  size_t begin = 0;
  for (; line > 1 && begin != std::string::npos; --line) {
    begin = source.find('\n', begin);
    if (begin != std::string::npos) ++begin;
  }
  if (begin == std::string::npos) return {};
  begin = source.find_first_not_of(" \t", begin);
  return begin == std::string::npos ? "" : source.substr(begin, source.find('\n', begin) - begin);
}

}  // namespace

std::string_view stall_meaning(Stall state) {
  switch (state) {
    case Stall::Selected: return tr_later("its scheduler has chosen it");
    case Stall::NotSelected: return tr_later("it could issue, but its scheduler has chosen another warp");
    case Stall::Wait: return tr_later("a fixed number of clocks must pass after its last instruction");
    case Stall::LongScoreboard: return tr_later("what it needs is on its way from global or local memory");
    case Stall::ShortScoreboard: return tr_later("what it needs is on its way from shared memory, or from a slow unit");
    case Stall::Barrier: return tr_later("other warps of its block have not come to the barrier");
    case Stall::MioThrottle: return tr_later("the queue to shared memory is full");
    case Stall::LgThrottle: return tr_later("the queue to global memory is full");
    case Stall::MathPipeThrottle: return tr_later("the unit that it needs is busy");
    case Stall::DispatchStall: return tr_later("registers of one bank are read one after another");
    case Stall::BranchResolving: return tr_later("the target of its branch is still being computed");
    case Stall::NoInstruction: return tr_later("its instruction is not in the instruction cache");
    case Stall::ImcMiss: return tr_later("a constant that it needs is not in the cache of constants");
    case Stall::Membar: return tr_later("its writes have to be seen first");
    case Stall::Drain: return tr_later("its stores have to leave first");
    default: return tr_later("it begins or ends");
  }
}

std::string_view unit_word(const Recording& recording, size_t unit) {
  if (unit == kMathUnit && !recording.tensor_cores.empty()) return tr_later("tensor cores");
  constexpr std::string_view words[kClockUnits] = {tr_later("issue slots"), tr_later("FMA pipe"), tr_later("data path"),
                                                   tr_later("L2")};
  return words[unit];
}

std::string_view unit_meaning(const Recording& recording, size_t unit) {
  if (unit == kMathUnit && !recording.tensor_cores.empty())
    return tr_later("share of the clocks in view in which the four schedulers' tensor cores multiply");
  constexpr std::string_view meanings[kClockUnits] = {
      tr_later("share of the four schedulers' issue slots that are used, in the clocks in view"),
      tr_later("share of the four schedulers' issue slots that issue a multiply-add, in the clocks in view"),
      tr_later("utilization of the data path of L1 and shared memory in the clocks in view: 100 % is one wavefront per "
               "clock"),
      tr_later("utilization of this SM's share of L2's bandwidth in the clocks in view")};
  return meanings[unit];
}

const Recording::Arrival* load_at(const Recording& recording, const ClockPlace& place) {
  if (place.slot >= recording.slots.size()) return nullptr;
  const std::vector<Recording::Stretch>& row = recording.slots[place.slot];
  const size_t here = recording.stretch_at(place.slot, place.clock);
  const auto state = static_cast<Stall>(row[here].state);
  const bool waits = state == Stall::LongScoreboard || state == Stall::ShortScoreboard;
  if (!waits && state != Stall::Selected) return nullptr;
  // Of those that arrive until it goes on the last: for the others it does not wait.
  const int32_t end = here + 1 < row.size() ? row[here + 1].begin : recording.clocks;
  const Recording::Arrival* found = nullptr;
  const auto from =
      std::lower_bound(recording.arrivals.begin(), recording.arrivals.end(), place.clock,
                       [](const Recording::Arrival& each, int32_t clock) { return each.arrived < clock; });
  for (auto each = from; each != recording.arrivals.end() && (!waits || each->arrived <= end); ++each) {
    if (each->slot != place.slot) continue;
    if (waits && each->issued < place.clock) found = &*each;
    if (!waits && each->issued == place.clock && each->pc == row[here].pc) return &*each;
  }
  return found;
}

int32_t start_of(const Recording& recording, const Recording::Resident& block, uint32_t slot) {
  const std::vector<Recording::Stretch>& row = recording.slots[slot];
  size_t at = recording.stretch_at(slot, block.begin);
  if (row[at].state == Recording::kAbsent) ++at;
  return at < row.size() ? std::max(row[at].begin, block.begin) : block.end;
}

TooltipText clock_tooltip(const ClockRun& run, const std::string& source, const ClockPlace& place) {
  const Recording& recording = run.recording;
  const Recording::Resident* block = recording.resident_at(place.slot, place.clock);
  const std::vector<Recording::Stretch>& row = recording.slots[place.slot];
  const size_t here = recording.stretch_at(place.slot, place.clock);
  if (!block) return {};
  TooltipText text;
  text.title = tr_format("warp {} of block {}, clock {}", clock::warp_in_slot(place.slot, recording.warps_per_block),
                         block->block, grouped(static_cast<uint64_t>(place.clock)));
  if (row[here].state == Recording::kAbsent) {
    const int32_t start = start_of(recording, *block, place.slot);
    if (start == block->end) return {};
    text.lines.push_back(place.clock < start
                             ? tr_format("It begins in clock {}.", grouped(static_cast<uint64_t>(start)))
                             : tr_format("It has ended in clock {}.", grouped(static_cast<uint64_t>(row[here].begin))));
    return text;
  }
  const auto state = static_cast<Stall>(row[here].state);
  const session::ClockInstruction& instruction = run.code[row[here].pc];
  if (state == Stall::Selected) {
    text.lines.push_back(tr_format("Issues {}", instruction.text));
  } else {
    const int32_t end = here + 1 < row.size() ? row[here + 1].begin : recording.clocks;
    text.lines.push_back(tr_format("{}: {}", tr(clock::words_of(state)), tr(stall_meaning(state))));
    text.lines.push_back(tr_format("since clock {}, {} in all", grouped(static_cast<uint64_t>(row[here].begin)),
                                   clocks_counted(end - row[here].begin)));
  }
  if (const Recording::Arrival* load = load_at(recording, place)) {
    if (state == Stall::Selected)
      text.lines.push_back(tr_format("Its data is there after {}.", clocks_counted(load->arrived - load->issued)));
    else
      text.lines.push_back(tr_format("It waits for {}, issued in clock {}.", instruction_text(run, load->pc),
                                     grouped(static_cast<uint64_t>(load->issued))));
  }
  if (state != Stall::Selected) {
    text.lines.push_back(tr_format("Next: {}", instruction.text));
    text.lines.push_back(who_issues(run, place));
  }
  if (instruction.cuda_line > 0)
    text.lines.push_back(fmt::format("{}: {}", instruction.cuda_line, text_of_line(source, instruction.cuda_line)));
  return text;
}

TooltipText reason_tooltip(const ClockRun& run, Stall reason) {
  const double all = std::accumulate(run.stalls.begin(), run.stalls.end(), 0.0),
               clocks = run.stalls[static_cast<size_t>(reason)];
  return {std::string(tr(clock::words_of(reason))),
          Ink::Strong,
          {tr(stall_meaning(reason)),
           tr_format("{:.1f} of a warp's {:.1f} clocks per instruction, {:.0f} %", clocks, all, 100 * clocks / all)}};
}

}  // namespace tilescope::view
