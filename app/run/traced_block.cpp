#include "run/traced_block.h"

#include <algorithm>
#include <bit>
#include <set>
#include <utility>

#include "source/asm_statements.h"

namespace tilescope::run {
namespace {

/// The array that an access record's first active lane accesses; empty where no array holds it.
std::string array_of(const trace::Trace& trace, size_t record) {
  uint64_t addresses[trace::kLanes];
  trace.addresses(record, addresses);
  const Allocation* array = trace.header().find(trace.space(record), addresses[std::countr_zero(trace.active(record))]);
  return array ? array->name : "";
}

/// Whose instructions a line has: its own, or those of the functions that are called and inlined there.
enum class Owner : uint8_t { Line, Callees };

bool belongs(const TracedBlock& traced, const analysis::StepRef& at, int line, Owner owner) {
  const uint32_t pc = traced.timeline.pc(at);
  return (owner == Owner::Line ? traced.facts.line_of(pc) : traced.facts.caller_of(pc)) == line;
}

std::optional<analysis::StepRef> nth_access(const TracedBlock& traced, int line, Owner owner, int occurrence,
                                            uint32_t warp, std::string wanted) {
  for (analysis::StepRef at{warp, 0}; at.step < traced.timeline.steps(warp); ++at.step) {
    if (!belongs(traced, at, line, owner)) continue;
    const std::optional<uint32_t> record = traced.timeline.access(at);
    if (!record) continue;
    const std::string name = array_of(traced.trace, *record);
    if (wanted.empty()) wanted = name;
    if (name == wanted && --occurrence == 0) return at;
  }
  return std::nullopt;
}

bool is_awaited_work(const TracedBlock& traced, const analysis::StepRef& at) {
  switch (ptx::class_of(traced.instruction(traced.timeline.pc(at)).op)) {
    case ptx::OpClass::MatrixMultiply:
    case ptx::OpClass::BulkCopy: return true;
    case ptx::OpClass::MbarrierWait: {
      const auto [first, last] = traced.timeline.records(at);
      return std::any_of(first, last, [&](uint32_t record) {
        return traced.trace.kind(record) == trace::RecordKind::Sync &&
               traced.trace.sync(record).kind == trace::SyncKind::MbarrierWait;
      });
    }
    default: return traced.instruction(traced.timeline.pc(at)).op == ptx::Op::Setmaxnreg;
  }
}

std::optional<analysis::StepRef> nth_work(const TracedBlock& traced, int line, Owner owner, int occurrence,
                                          uint32_t warp) {
  for (analysis::StepRef at{warp, 0}; at.step < traced.timeline.steps(warp); ++at.step)
    if (belongs(traced, at, line, owner) && is_awaited_work(traced, at) && --occurrence == 0) return at;
  return std::nullopt;
}

/// Whether the warp comes to something on that line that one may look for.
bool has_moment(const TracedBlock& traced, int line, uint32_t warp) {
  return nth_access(traced, line, Owner::Line, 1, warp, {}) || nth_access(traced, line, Owner::Callees, 1, warp, {}) ||
         nth_work(traced, line, Owner::Line, 1, warp) || nth_work(traced, line, Owner::Callees, 1, warp);
}

/// The line, or where it is one of an asm statement of several and has nothing, another of these.
int line_with_moment(const TracedBlock& traced, int line, uint32_t warp) {
  const std::string& text = traced.request().kernel.source;
  for (const source::AsmStatement& statement : source::asm_statements(text)) {
    if (!statement.has(line) || has_moment(traced, line, warp)) continue;
    for (int other = statement.first; other <= statement.last; ++other)
      if (has_moment(traced, other, warp)) return other;
  }
  return line;
}

}  // namespace

TraceSummary summary_of(const trace::Trace& trace, const Dim3& block) {
  return {block, trace.size(), trace.memory_bytes(), trace.dropped(), trace.hash()};
}

TracedBlock::TracedBlock(RunResult counts, uint32_t number, LaunchMemory memory, trace::Trace recorded,
                         trace::InstructionLog issued)
    : RunResult(std::move(counts)),
      block(number),
      launch(std::move(memory)),
      trace(std::move(recorded)),
      log(std::move(issued)),
      timeline(function(), trace, log),
      merged(trace, *prepared->build->merge_plan),
      accesses(function(), trace, timeline, prepared->configuration),
      mbarriers(function(), trace, timeline) {
  report.trace = summary_of(trace, position_in(report.grid, block));
}

std::optional<analysis::StepRef> find_access(const TracedBlock& traced, int line, int occurrence, uint32_t warp,
                                             std::string_view array) {
  if (warp >= traced.timeline.warps() || line <= 0) return std::nullopt;
  line = line_with_moment(traced, line, warp);
  const bool own = nth_access(traced, line, Owner::Line, 1, warp, std::string(array)).has_value();
  return nth_access(traced, line, own ? Owner::Line : Owner::Callees, occurrence, warp, std::string(array));
}

int line_with_instructions(const RunResult& run, int line) {
  std::set<int> lines;
  for (uint32_t pc = 0; pc < run.function().instructions.size(); ++pc) lines.insert(run.facts.line_of(pc));
  if (lines.contains(line)) return line;
  for (const source::AsmStatement& statement : source::asm_statements(run.request().kernel.source))
    if (statement.has(line))
      // Code added by the compiler is on the first line.
      for (int other = statement.last; other >= statement.first; --other)
        if (lines.contains(other)) return other;
  return line;
}

std::optional<analysis::StepRef> find_moment(const TracedBlock& traced, int line, int occurrence, uint32_t warp,
                                             std::string_view array) {
  if (const auto access = find_access(traced, line, occurrence, warp, array)) return access;
  if (warp >= traced.timeline.warps() || line <= 0 || find_access(traced, line, 1, warp)) return std::nullopt;
  line = line_with_moment(traced, line, warp);
  const bool own = nth_work(traced, line, Owner::Line, 1, warp).has_value();
  return nth_work(traced, line, own ? Owner::Line : Owner::Callees, occurrence, warp);
}

}  // namespace tilescope::run
