#include "run/run.h"

#include <algorithm>
#include <limits>
#include <set>

#include <fmt/format.h>

#include "base/text.h"
#include "base/words.h"
#include "run/count.h"
#include "run/demand.h"
#include "run/launch_memory.h"
#include "run/traced_block.h"
#include "run/verify_launch.h"
#include "source/asm_statements.h"

namespace tilescope::run {
namespace {
using emulator::Outcome;

constexpr uint64_t kSampleBlocks = 16;

std::vector<uint32_t> all_blocks(uint64_t total) { return spread_blocks(total, total); }

/// Runs the first block, and from what it cost the others or a sample of them, which `sampled` then names.
GridRun run_counted(GridJob job, uint64_t total, const Control& control, std::vector<uint32_t>& sampled) {
  job.blocks = runs_together(job) ? all_blocks(total) : std::vector<uint32_t>{0};
  GridRun result = run_grid(job, control);
  if (runs_together(job)) return result;
  if (result.outcome != Outcome::Finished || total == 1) return result;
  const uint64_t affordable = control.instruction_limit / std::max<uint64_t>(1, warp_instructions(result.counts));
  if (total > affordable) sampled = spread_blocks(total, std::clamp<uint64_t>(affordable, 3, kSampleBlocks));
  job.blocks = sampled.empty() ? all_blocks(total) : sampled;
  job.blocks.erase(job.blocks.begin());
  result.merge(run_grid(job, control));
  return result;
}

int hottest_line(const Counts& counts) {
  const auto hottest = std::max_element(counts.lines.begin(), counts.lines.end(), [](const auto& a, const auto& b) {
    return a.warp_instructions < b.warp_instructions;
  });
  return hottest == counts.lines.end() ? 0 : hottest->line;
}

/// Why the grid of a cooperative launch, all of whose blocks are on the GPU at once, or of clusters cannot be launched;
/// empty when it can, or is neither.
Message cooperation_problem(const Prepared& prepared) {
  constexpr uint64_t kMostUnknown = 2048;  // Where it is not known how many fit.
  const Dim3 &grid = prepared.configuration.grid, cluster = prepared.program().cluster();
  if (grid.x % cluster.x + grid.y % cluster.y + grid.z % cluster.z != 0)
    return Message("The grid, {}, is not made of whole clusters of {} blocks.", to_string(grid), to_string(cluster));
  if (!prepared.is_cooperative()) return {};
  const bool known = prepared.occupancy && prepared.device && prepared.device->sms;
  const uint64_t most =
      known ? static_cast<uint64_t>(prepared.occupancy->blocks_per_sm * prepared.device->sms->value) : kMostUnknown;
  const uint64_t total = prepared.configuration.grid.count();
  if (total <= most) return {};
  return Message(
      "The blocks wait for one another, so all must be on the GPU at once: {} are launched, and {} fit. Launch fewer, "
      "and let each do more.",
      total, most);
}

/// What is known before anything runs.
Report describe(const Prepared& prepared) {
  const Request& request = prepared.request;
  const Build& build = *prepared.build;
  Report report;
  report.kernel = request.kernel.name;
  report.title = request.kernel.description.title;
  report.file = request.kernel.file.string();
  report.params = prepared.configuration.parameters;
  report.size = prepared.configuration.size;
  report.arch = target_name(prepared.limits);
  report.compiled_by = build.compiled.origin == compile::Origin::Prebuilt
                           ? tr_later("prebuilt PTX")
                           : fmt::format("{} {}", build.compiled.compiler, build.compiled.version);
  report.grid = prepared.configuration.grid;
  report.block = prepared.configuration.block;
  report.shared_bytes = prepared.shared_bytes();
  report.resources.shared_bytes = build.program->static_shared_bytes();
  report.ptx = build.compiled.ptx;
  report.warnings = build.compiled.warnings;
  report.source = lines_of(request.kernel.source);
  report.memory_bytes = prepared.configuration.global_bytes;
  if (build.resources) {
    report.resources.registers = build.resources->registers;
    report.resources.spill_bytes = build.resources->spill_store_bytes + build.resources->spill_load_bytes;
  }
  report.is_product = is_matrix_product(prepared.configuration);
  report.occupancy = prepared.occupancy;
  report.launch_guessed = request.kernel.description.launch_guessed;
  report.cooperative = prepared.is_cooperative();
  return report;
}

/// Why nothing is compared; none when it is.
std::optional<Unverified> why_not_verified(const Prepared& prepared, const GridRun& run, bool whole) {
  if (run.outcome != Outcome::Finished) return Unverified::DidNotEnd;
  if (!whole && prepared.program().blocks_interact()) return Unverified::BlocksInteract;
  if (!prepared.reference && !is_matrix_product(prepared.configuration)) return Unverified::NotSaid;
  return std::nullopt;
}

/// A launch with its arrays in place, and what its blocks come to.
class PlacedLaunch {
 public:
  static Result<PlacedLaunch> place(const PreparedPointer& prepared) {
    const uint64_t total = prepared->configuration.grid.count();
    if (total > UINT32_MAX)
      return error(
          Message("The grid has {} blocks; at most {} can be numbered. Choose a smaller size.", total, UINT32_MAX));
    if (const Message problem = memory_problem(prepared->configuration, bytes_available()); !problem.empty())
      return error(problem);
    if (const Message problem = cooperation_problem(*prepared); !problem.empty()) return error(problem);
    Result<LaunchMemory> memory = place_launch(*prepared, prepared->request.seed);
    if (!memory) return memory.errors();
    return PlacedLaunch(prepared, std::move(*memory));
  }

  GridJob job() {
    GridJob job;
    job.program = prepared_->build->program.get();
    job.launch = &memory_.launch;
    job.memory = &memory_.memory;
    job.facts = &facts_;
    job.merge_plan = prepared_->build->merge_plan;
    return job;
  }

  /// Counted, not verified. `blocks`: those that ran; empty for all.
  Result<RunResult> counted(GridRun run, std::vector<uint32_t> blocks, const Control& control) const {
    if (cancelled(control)) return error("Cancelled.");
    if (run.out_of_memory)
      return error(Message("There is too little memory to run the blocks; choose a smaller size or fewer threads."));
    const Prepared& prepared = *prepared_;
    RunResult result{prepared_, facts_, describe(prepared), std::move(run.stores)};
    Report& report = result.report;
    report.counts = count(run, facts_, total());
    report.counts.blocks = std::move(blocks);
    report.findings = std::move(run.findings);
    report.printed = std::move(run.printed);
    if (run.outcome != Outcome::Finished)
      report.stopped = Stop{run.outcome,         position_in(report.grid, run.failed_block),
                            report.file,         hottest_line(report.counts),
                            control.step_budget, run.out_of_time ? run.seconds_allowed : control.seconds,
                            run.blocks_done,     total()};
    if (prepared.device && report.counts.blocks_counted == report.counts.blocks_total)
      report.bound.emplace(prepared.device->name,
                           analysis::bound(*prepared.device, work_of(report.counts, prepared.configuration)));
    if (prepared.device)
      add_prediction(report, {prepared.program(), prepared.machine()}, *prepared.device,
                     dram_bytes(prepared.configuration));
    report.not_verified = why_not_verified(prepared, run, report.counts.blocks.empty());
    return result;
  }

  /// And verified.
  Result<RunResult> result(GridRun run, std::vector<uint32_t> blocks, const Control& control) const {
    Result<RunResult> result = counted(std::move(run), std::move(blocks), control);
    if (!result || result->report.not_verified) return result;
    const bool whole = result->report.counts.blocks.empty();
    Result<Verification> verified = verify_launch(*prepared_, memory_, prepared_->request.seed, whole, control);
    if (cancelled(control)) return error("Cancelled.");
    if (!verified && !prepared_->reference) return verified.errors();
    if (!verified) {
      result->report.not_verified = Unverified::NoReference;
      result->report.reference_problem = verified.errors().front().message;
      return result;
    }
    // Another block and grid may be what the kernel is written for.
    if (verified->wrong > 0 && result->report.launch_guessed)
      result->report.not_verified = Unverified::LaunchGuessed;
    else
      result->report.verified = std::move(*verified);
    return result;
  }

  uint64_t total() const { return prepared_->configuration.grid.count(); }
  Result<uint32_t> number_of(const BlockPosition& block) const {
    return block_number(block, prepared_->configuration.grid);
  }
  const LaunchMemory& memory() const { return memory_; }
  LaunchMemory take_memory() { return std::move(memory_); }
  const analysis::LaunchFacts& facts() const { return facts_; }

 private:
  PlacedLaunch(PreparedPointer prepared, LaunchMemory memory)
      : prepared_(std::move(prepared)), memory_(std::move(memory)), facts_(launch_facts(*prepared_, memory_)) {}

  PreparedPointer prepared_;
  LaunchMemory memory_;
  analysis::LaunchFacts facts_;
};

/// The array that an access record's first active lane accesses; may be empty.
std::string array_of(const trace::Trace& trace, size_t record) {
  uint64_t addresses[trace::kLanes];
  trace.addresses(record, addresses);
  const Allocation* array = trace.header().find(trace.space(record), addresses[__builtin_ctz(trace.active(record))]);
  return array ? array->name : "";
}

TraceSummary summary_of(const trace::Trace& trace, const Dim3& block) {
  return {block, trace.size(), trace.memory_bytes(), trace.dropped(), trace.hash()};
}

trace::Recorder recorder_of(const PlacedLaunch& launch, const Prepared& prepared, uint32_t number) {
  const emulator::Launch& shape = launch.memory().launch;
  return trace::Recorder({prepared.request.kernel.name, shape.grid, shape.block, launch.memory().memory.allocations(),
                          launch.facts().shared},
                         {{number}});
}

template <class Run>
Result<Report> report_of(const Request& request, compile::Compiler& compiler, const Control& control, Run run) {
  const Result<PreparedPointer> prepared = prepare(request, compiler, control.cancel);
  if (!prepared) return prepared.errors();
  const auto done = run(*prepared);
  if (!done) return done.errors();
  return (*done)->report;
}

}  // namespace

Result<uint32_t> block_number(const BlockPosition& block, const Dim3& grid) {
  const auto [x, y, z] = block;
  if (x < grid.x && y < grid.y && z < grid.z) return (z * grid.y + y) * grid.x + x;
  const std::string named = position_text({x, y, z}), extent = to_string(grid);
  if (grid.z == 1 && z == 0)
    return error(Message("There is no block {}: the grid is {}, so x is at most {} and y at most {}.", named, extent,
                         grid.x - 1, grid.y - 1));
  return error(Message("There is no block {}: the grid is {}, so x is at most {}, y at most {} and z at most {}.",
                       named, extent, grid.x - 1, grid.y - 1, grid.z - 1));
}

std::vector<uint32_t> spread_blocks(uint64_t total, uint64_t count) {
  const uint64_t number = std::min(total, count);
  std::vector<uint32_t> blocks(number);
  for (uint64_t i = 0; i < number; ++i)
    blocks[i] = static_cast<uint32_t>(number == 1 ? 0 : i * (total - 1) / (number - 1));
  return blocks;
}

kernel::Size smallest_size(const kernel::Kernel& kernel, const kernel::Settings& settings, const arch::Limits& limits) {
  const kernel::Size last = kernel::default_size(kernel.description);
  const auto least = [](int64_t wanted, int64_t most) { return std::min(wanted, most); };
  const kernel::Size in_a_row{least(70, last.m), 1030, least(37, last.k)};  // Where the description says its size.
  const kernel::Size odd = kernel.description.size ? in_a_row : kernel::Size{70, 66, 37};
  for (const kernel::Size& size : {odd, {70, 70, 70}, {64, 64, 64}, {128, 128, 128}})
    if (kernel::configure(kernel.description, settings, size, configuration_limits(limits))) return size;
  return last;
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

Result<std::shared_ptr<const TracedBlock>> trace_block(const PreparedPointer& prepared, const BlockPosition& block,
                                                       const Control& control) {
  Result<PlacedLaunch> launch = PlacedLaunch::place(prepared);
  if (!launch) return launch.errors();
  const Result<uint32_t> number = launch->number_of(block);
  if (!number) return number.errors();
  trace::Recorder recorder = recorder_of(*launch, *prepared, *number);
  trace::InstructionLog log;
  GridJob job = launch->job();
  job.blocks = {*number};
  job.recorder = &recorder;
  job.log = &log;
  Result<RunResult> counts = launch->result(run_grid(job, control), {*number}, control);
  if (!counts) return counts.errors();
  return std::make_shared<const TracedBlock>(std::move(*counts), *number, launch->take_memory(), recorder.take(),
                                             std::move(log));
}

Result<Report> count_block(const PreparedPointer& prepared, const BlockPosition& block, const Control& control) {
  Result<PlacedLaunch> launch = PlacedLaunch::place(prepared);
  if (!launch) return launch.errors();
  const Result<uint32_t> number = launch->number_of(block);
  if (!number) return number.errors();
  trace::Recorder recorder = recorder_of(*launch, *prepared, *number);
  GridJob job = launch->job();
  job.blocks = {*number};
  job.recorder = &recorder;
  Result<RunResult> counts = launch->counted(run_grid(job, control), {*number}, control);
  if (!counts) return counts.errors();
  counts->report.trace = summary_of(recorder.take(), position_in(counts->report.grid, *number));
  return std::move(counts->report);
}

Result<std::shared_ptr<const GridCounts>> count_grid(const PreparedPointer& prepared, const Control& control) {
  Result<PlacedLaunch> launch = PlacedLaunch::place(prepared);
  if (!launch) return launch.errors();
  std::vector<uint32_t> sampled;
  GridRun run = run_counted(launch->job(), launch->total(), control, sampled);
  Result<RunResult> counts = launch->result(std::move(run), std::move(sampled), control);
  if (!counts) return counts.errors();
  return std::make_shared<const GridCounts>(GridCounts{std::move(*counts)});
}

Result<std::shared_ptr<const CheckResult>> check_blocks(const PreparedPointer& prepared,
                                                        const std::optional<BlockPosition>& block,
                                                        const Control& control) {
  Result<PlacedLaunch> launch = PlacedLaunch::place(prepared);
  if (!launch) return launch.errors();
  std::vector<uint32_t> blocks;
  if (block) {
    const Result<uint32_t> number = launch->number_of(*block);
    if (!number) return number.errors();
    blocks = {*number};
  }
  GridJob job = launch->job();
  job.check = true;
  job.blocks = block ? blocks : all_blocks(launch->total());
  Result<RunResult> result = launch->result(run_grid(job, control), std::move(blocks), control);
  if (!result) return result.errors();
  return std::make_shared<const CheckResult>(CheckResult{std::move(*result)});
}

Result<Report> make_report(const Request& request, compile::Compiler& compiler, const Control& control) {
  return report_of(request, compiler, control,
                   [&](const PreparedPointer& prepared) { return count_grid(prepared, control); });
}

Result<Report> make_trace_report(const Request& request, const BlockPosition& block, compile::Compiler& compiler,
                                 const Control& control) {
  return report_of(request, compiler, control,
                   [&](const PreparedPointer& prepared) { return trace_block(prepared, block, control); });
}

Result<Report> make_check_report(const Request& request, compile::Compiler& compiler, const Control& control) {
  return report_of(request, compiler, control,
                   [&](const PreparedPointer& prepared) { return check_blocks(prepared, std::nullopt, control); });
}

std::optional<Diagnostic> why_cut_off(const Report& report) {
  const std::string block = position_text(report.trace->block);
  const bool too_long = report.stopped && (report.stopped->outcome == Outcome::StepBudget ||
                                           report.stopped->outcome == Outcome::Cancelled);
  if (too_long)
    return error_at({report.stopped->file, report.stopped->line},
                    Message("Block {} was stopped after {} warp instructions, most of them on this line. Look for "
                            "an endless loop here; if there is none, choose a smaller K.",
                            block, report.counts.warp_instructions));
  if (report.trace->dropped == 0) return std::nullopt;
  return error(Message("Block {} has more than the {} records that a trace holds. Choose a smaller K.", block,
                       report.trace->records));
}

namespace {

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
    default: return false;
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

std::optional<analysis::StepRef> find_access(const TracedBlock& traced, int line, int occurrence, uint32_t warp,
                                             std::string_view array) {
  if (warp >= traced.timeline.warps() || line <= 0) return std::nullopt;
  line = line_with_moment(traced, line, warp);
  const bool own = nth_access(traced, line, Owner::Line, 1, warp, {}).has_value();
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

std::optional<analysis::StepRef> find_moment(const TracedBlock& traced, int line, int occurrence, uint32_t warp) {
  if (const auto access = find_access(traced, line, occurrence, warp)) return access;
  if (warp >= traced.timeline.warps() || line <= 0 || find_access(traced, line, 1, warp)) return std::nullopt;
  line = line_with_moment(traced, line, warp);
  const bool own = nth_work(traced, line, Owner::Line, 1, warp).has_value();
  return nth_work(traced, line, own ? Owner::Line : Owner::Callees, occurrence, warp);
}

}  // namespace tilescope::run
