#include "view/timeline/timeline_content.h"

#include <algorithm>
#include <optional>

#include "analysis/access_rules.h"
#include "view/byte_range.h"

namespace tilescope::view {
namespace {
using analysis::StepKind;
using session::Target;

constexpr size_t kStraightLinesACall = 1024;  ///< Each can give a mark for every instruction in it.

void add_run(std::vector<TimelineRuns::Run>& row, const TimelineRuns::Run& run) {
  if (!row.empty() && row.back().slot == run.slot) row.pop_back();
  if (!row.empty() && row.back().kind == run.kind && row.back().waits == run.waits) return;
  row.push_back(run);
}

/// Puts a warp's instructions into runs, one after another.
class RowMaker {
 public:
  RowMaker(const analysis::Timeline& timeline, uint32_t warp) : timeline_(timeline), warp_(warp) {}

  void add(const trace::StraightLine& line) {
    for (uint32_t i = 0; i < line.count; ++i, ++slot_) {
      const StepKind kind = timeline_.kind(line.pc + i);
      if (met_ || kind == StepKind::Barrier) jump(line.first_step + i);
      add_run(row_, {slot_, kind, false});
      met_ = kind == StepKind::Barrier;
    }
  }

  std::vector<TimelineRuns::Run> finish() {
    if (slot_ < timeline_.slots()) add_run(row_, {slot_, StepKind::Other, true});
    row_.push_back({timeline_.slots(), StepKind::Other, true});
    return std::move(row_);
  }

 private:
  /// Only a barrier moves a warp to a slot other than the next: the step after one, or a wait for an mbarrier itself.
  void jump(uint32_t step) {
    const uint32_t begin = timeline_.slot({warp_, step});
    if (begin > slot_) add_run(row_, {slot_, StepKind::Other, true});
    slot_ = begin;
  }

  const analysis::Timeline& timeline_;
  uint32_t warp_ = 0, slot_ = 0;
  bool met_ = true;
  std::vector<TimelineRuns::Run> row_{{0, StepKind::Other, true}};
};

std::vector<TimelineRuns::Run> row_of(const run::TracedBlock& traced, uint32_t warp) {
  RowMaker row(traced.timeline, warp);
  for (const trace::StraightLine& line : traced.log.warps()[warp]) row.add(line);
  return row.finish();
}

/// The bytes of a target; nullopt if it is not a place in memory.
ByteRange bytes_of(const run::TracedBlock& traced, const Target& target) {
  if (target.kind != Target::Kind::Sector) return bytes_of_element(traced, target);
  return {Space::Global, target.index, target.index + analysis::kSectorBytes};
}

bool touches_bytes(const trace::Trace& trace, uint32_t record, const ByteRange& wanted) {
  if (!trace.may_meet(record, wanted.begin, wanted.end)) return false;
  uint64_t addresses[trace::kLanes];
  trace.addresses(record, addresses);
  // A lane's bytes overlap the wanted ones if its address is in [lowest, lowest + span).
  const uint64_t reach = trace.bytes(record) - 1, lowest = wanted.begin - reach, span = wanted.end - lowest;
  uint32_t hits = 0;
  for (uint32_t lane = 0; lane < trace::kLanes; ++lane) hits |= uint32_t{addresses[lane] - lowest < span} << lane;
  return (hits & trace.active(record)) != 0;
}

/// Continues where the marks end: visits up to `most` entries of the warps' lists.
template <class ListOf, class Visit>
void visit_on(TimelineMarks& marks, uint32_t warps, size_t most, ListOf list_of, Visit visit) {
  for (; marks.warp < warps; ++marks.warp, marks.next = 0) {
    const auto& list = list_of(marks.warp);
    for (; marks.next < list.size(); ++marks.next) {
      if (most-- == 0) return;
      visit(list[marks.next]);
    }
  }
  marks.complete = true;
}

void mark_accesses(const run::TracedBlock& traced, const ByteRange& wanted, TimelineMarks& marks) {
  const trace::Trace& trace = traced.trace;
  const auto visit = [&](uint32_t record) {
    if (trace.kind(record) != trace::RecordKind::Access || trace.space(record) != wanted.space) return;
    if (!touches_bytes(trace, record, wanted)) return;
    const uint32_t slot = traced.timeline.slot({marks.warp, trace.step(record).warp_step});
    marks.marks.push_back({marks.warp, slot, trace::is_write(trace.access_kind(record))});
  };
  visit_on(
      marks, traced.timeline.warps(), TimelineMarks::kRecordsACall,
      [&](uint32_t warp) { return trace.warp_records(0, warp); }, visit);
}

/// How many of the instructions before each, and before the end, belong to a line.
std::vector<uint32_t> instructions_of_line(const run::TracedBlock& traced, const Target& target) {
  const bool cuda = target.kind == Target::Kind::SourceLine;
  std::vector<uint32_t> before{0};
  for (uint32_t pc = 0; pc < traced.function().instructions.size(); ++pc) {
    const int line = cuda ? traced.facts.line_of(pc) : traced.instruction(pc).line;
    before.push_back(before.back() + (line > 0 && static_cast<uint64_t>(line) == target.index));
  }
  return before;
}

void mark_steps(const run::TracedBlock& traced, const std::vector<uint32_t>& before, TimelineMarks& marks) {
  const auto& warps = traced.log.warps();
  const auto visit = [&](const trace::StraightLine& line) {
    if (before[line.pc] == before[line.pc + line.count]) return;
    for (uint32_t i = 0; i < line.count; ++i)
      if (before[line.pc + i] != before[line.pc + i + 1])
        marks.marks.push_back({marks.warp, traced.timeline.slot({marks.warp, line.first_step + i}), false});
  };
  visit_on(
      marks, std::min(traced.timeline.warps(), static_cast<uint32_t>(warps.size())),
      kStraightLinesACall, [&](uint32_t warp) -> const auto& { return warps[warp]; }, visit);
}

/// The first step at which a warp runs an instruction.
std::optional<uint32_t> first_step_of(const run::TracedBlock& traced, uint32_t warp, uint32_t pc) {
  if (warp >= traced.log.warps().size()) return std::nullopt;
  for (const trace::StraightLine& line : traced.log.warps()[warp])
    if (pc >= line.pc && pc - line.pc < line.count) return line.first_step + pc - line.pc;
  return std::nullopt;
}

}  // namespace

TimelineRuns timeline_runs(const run::TracedBlock& traced) {
  TimelineRuns runs;
  for (uint32_t warp = 0; warp < traced.timeline.warps(); ++warp) {
    std::vector<TimelineRuns::Run> row = row_of(traced, warp);
    const auto same = std::find(runs.rows.begin(), runs.rows.end(), row);
    runs.row_of_warp.push_back(static_cast<uint32_t>(same - runs.rows.begin()));
    if (same != runs.rows.end()) continue;
    for (const TimelineRuns::Run& run : row)
      if (!run.waits) runs.occurs[static_cast<size_t>(run.kind)] = true;
    runs.rows.push_back(std::move(row));
  }
  return runs;
}

std::vector<TimelineFlag> timeline_flags(const run::TracedBlock& traced, const analysis::Findings& findings) {
  std::vector<TimelineFlag> flags;
  for (uint32_t i = 0; i < findings.size(); ++i) {
    const analysis::Site& site = findings[i].site;
    const auto step = first_step_of(traced, site.thread.warp, site.pc);
    if (!step || site.thread.warp >= traced.timeline.warps()) continue;
    flags.push_back({site.thread.warp, traced.timeline.slot({site.thread.warp, *step}), *step, i});
  }
  std::sort(flags.begin(), flags.end(), [](const auto& a, const auto& b) { return a.slot < b.slot; });
  return flags;
}

TimelineContent timeline_content(const run::TracedBlock& traced, const analysis::Findings& findings) {
  return {timeline_runs(traced), timeline_flags(traced, findings),
          analysis::copies_in_flight(traced.function(), traced.trace, traced.timeline),
          analysis::products_in_flight(traced.function(), traced.log, traced.timeline)};
}

void add_marks(const run::TracedBlock& traced, TimelineMarks& marks) {
  const Target::Kind kind = marks.target.kind;
  if (const ByteRange wanted = bytes_of(traced, marks.target); wanted.begin < wanted.end)
    mark_accesses(traced, wanted, marks);
  else if (kind == Target::Kind::SourceLine || kind == Target::Kind::PtxLine)
    mark_steps(traced, instructions_of_line(traced, marks.target), marks);
  else
    marks.complete = true;
}

}  // namespace tilescope::view
