#include "run/run.h"

#include <algorithm>
#include <limits>
#include <memory>

#include <fmt/format.h>

#include "base/text.h"
#include "base/words.h"
#include "run/count.h"
#include "run/launch.h"
#include "run/launch_clock.h"
#include "run/launch_memory.h"
#include "run/report_of.h"
#include "run/traced_block.h"
#include "run/unproved.h"
#include "run/verify_launch.h"

namespace tilescope::run {
namespace {
using emulator::Outcome;

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

/// Adds what only a described kernel has.
void describe(const Prepared& prepared, Report& report) {
  const Request& request = prepared.request;
  const Build& build = *prepared.build;
  report.title = request.kernel.description.title;
  report.params = prepared.configuration.parameters;
  report.size = prepared.configuration.size;
  report.extents = kernel::used_extents(request.kernel.description);
  report.compiled_by = build.compiled.origin == compile::Origin::Prebuilt
                           ? tr_later("prebuilt PTX")
                           : fmt::format("{} {}", build.compiled.compiler, build.compiled.version);
  report.instead_of_nvcc = build.compiled.instead_of_nvcc;
  report.ptx = build.compiled.ptx;
  report.warnings = build.compiled.warnings;
  report.source = lines_of(request.kernel.source);
  report.memory_bytes = prepared.configuration.global_bytes;
  report.reference_problem = prepared.reference_problem;
  report.is_product = is_matrix_product(prepared.configuration);
  report.launch_guessed = request.kernel.description.launch_guessed;
  report.proposed = request.kernel.description.proposed;
  if (prepared.device && report.counts.has_all_blocks())
    report.bound.emplace(prepared.device->name,
                         analysis::bound(*prepared.device, work_of(report.counts, prepared.configuration)));
}

/// Why nothing is compared; nullopt where it is.
std::optional<Unverified> why_not_verified(const Prepared& prepared, const Report& report) {
  if (report.stopped) return Unverified::DidNotEnd;
  if (!report.counts.blocks.empty() && prepared.program().blocks_interact()) return Unverified::BlocksInteract;
  if (!prepared.reference_problem.empty()) return Unverified::NoReference;
  if (!prepared.reference && !is_matrix_product(prepared.configuration)) return Unverified::NotSaid;
  return std::nullopt;
}

/// A described kernel with its arrays in place, and what its blocks come to.
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
    return PlacedLaunch(prepared, std::make_unique<LaunchMemory>(std::move(*memory)));
  }

  const LaunchedKernel& launched() const { return launched_; }
  Result<uint32_t> number_of(const BlockPosition& block) const { return block_number(block, launched_.shape.grid); }
  trace::Recorder recorder(uint32_t block) const {
    return trace::Recorder({launched_.name, launched_.shape.grid, launched_.shape.block, memory_->memory.allocations(),
                            launched_.facts.shared},
                           {{block}});
  }
  GridRun run_block(Selection selection, uint32_t block, const Control& control) const {
    selection.blocks = {block};
    GridRun run = run_grid(launched_, selection, control);
    run.sample = run.companions;
    run.sample.insert(std::ranges::lower_bound(run.sample, block), block);
    return run;
  }

  /// Counted, not verified.
  Result<RunResult> counted(GridRun run, const Control& control) const {
    if (cancelled(control)) return error("Cancelled.");
    std::vector<analysis::StoreRegion> stores = std::move(run.stores), loads = std::move(run.loads);
    Result<Report> report = report_of(launched_, std::move(run), control);
    if (!report) return report.errors();
    describe(*prepared_, *report);
    report->unproved = take_unproved(*prepared_, report->findings);
    report->not_verified = why_not_verified(*prepared_, *report);
    return RunResult{prepared_, launched_.facts, std::move(*report), std::move(stores), std::move(loads)};
  }

  /// And verified.
  Result<RunResult> result(GridRun run, const Control& control) const {
    Result<RunResult> result = counted(std::move(run), control);
    if (!result || result->report.not_verified) return result;
    const bool whole = result->report.counts.blocks.empty();
    Result<Verification> verified = verify_launch(*prepared_, *memory_, prepared_->request.seed, whole, control);
    if (cancelled(control)) return error("Cancelled.");
    if (!verified && !prepared_->reference) return verified.errors();
    if (!verified) {
      result->report.not_verified = Unverified::NoReference;
      result->report.reference_problem = verified.errors().front().message;
      return result;
    }
    Report& report = result->report;
    // Another block and grid, or something else than a product, may be what the kernel is written for.
    if (verified->elements == 0)
      report.not_verified = Unverified::NothingWritten;
    else if (verified->wrong > 0 && report.launch_guessed)
      report.not_verified = Unverified::LaunchGuessed;
    else if (verified->wrong > 0 && report.proposed && !prepared_->reference)
      report.not_verified = Unverified::ProductAssumed;
    else
      report.verified = std::move(*verified);
    return result;
  }

  LaunchMemory take_memory() { return std::move(*memory_); }

 private:
  PlacedLaunch(PreparedPointer prepared, std::unique_ptr<LaunchMemory> memory)
      : prepared_(std::move(prepared)), memory_(std::move(memory)), launched_(run::launched(*prepared_, *memory_)) {}

  PreparedPointer prepared_;
  std::unique_ptr<LaunchMemory> memory_;  ///< Stays in its place when this is moved.
  LaunchedKernel launched_;
};

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

kernel::Size smallest_size(const kernel::Kernel& kernel, const kernel::Settings& settings, const arch::Limits& limits) {
  const kernel::Size last = kernel::default_size(kernel.description);
  const auto least = [](int64_t wanted, int64_t most) { return std::min(wanted, most); };
  const kernel::Size in_a_row{least(70, last.m), 1030, least(37, last.k)};  // Where the description says its size.
  const bool is_cube = last.m == last.n && last.n == last.k;
  const kernel::Size odd = kernel.description.size && !is_cube ? in_a_row : kernel::Size{70, 66, 37};
  for (const kernel::Size& size : {odd, {70, 70, 70}, {64, 64, 64}, {128, 128, 128}})
    if (kernel::configure(kernel.description, settings, size, configuration_limits(limits))) return size;
  return last;
}

Result<std::shared_ptr<const TracedBlock>> trace_block(const PreparedPointer& prepared, const BlockPosition& block,
                                                       const Control& control) {
  Result<PlacedLaunch> launch = PlacedLaunch::place(prepared);
  if (!launch) return launch.errors();
  const Result<uint32_t> number = launch->number_of(block);
  if (!number) return number.errors();
  trace::Recorder recorder = launch->recorder(*number);
  trace::InstructionLog log;
  GridRun run = launch->run_block({.recorder = &recorder, .log = &log}, *number, control);
  Result<RunResult> counts = launch->result(std::move(run), control);
  if (!counts) return counts.errors();
  return std::make_shared<const TracedBlock>(std::move(*counts), *number, launch->take_memory(), recorder.take(),
                                             std::move(log));
}

Result<Report> count_block(const PreparedPointer& prepared, const BlockPosition& block, const Control& control) {
  const Result<PlacedLaunch> launch = PlacedLaunch::place(prepared);
  if (!launch) return launch.errors();
  const Result<uint32_t> number = launch->number_of(block);
  if (!number) return number.errors();
  trace::Recorder recorder = launch->recorder(*number);
  Result<RunResult> counts = launch->counted(launch->run_block({.recorder = &recorder}, *number, control), control);
  if (!counts) return counts.errors();
  counts->report.trace = summary_of(recorder.take(), position_in(counts->report.grid, *number));
  return std::move(counts->report);
}

Result<std::shared_ptr<const GridCounts>> count_grid(const PreparedPointer& prepared, const Control& control) {
  const Result<PlacedLaunch> launch = PlacedLaunch::place(prepared);
  if (!launch) return launch.errors();
  GridRun run = run_launch(launch->launched(), {.run = control.instruction_limit}, control);
  Result<RunResult> counts = launch->result(std::move(run), control);
  if (!counts) return counts.errors();
  return std::make_shared<const GridCounts>(GridCounts{std::move(*counts)});
}

Result<std::shared_ptr<const CheckResult>> check_blocks(const PreparedPointer& prepared,
                                                        const std::optional<BlockPosition>& block,
                                                        const Control& control) {
  const Result<PlacedLaunch> launch = PlacedLaunch::place(prepared);
  if (!launch) return launch.errors();
  const Result<uint32_t> number = block ? launch->number_of(*block) : Result<uint32_t>(0U);
  if (!number) return number.errors();
  GridRun run = block ? launch->run_block({.check = true}, *number, control)
                      : run_launch(launch->launched(), {.checked = Scope::kAll}, control);
  Result<RunResult> result = launch->result(std::move(run), control);
  if (!result) return result.errors();
  return std::make_shared<const CheckResult>(CheckResult{std::move(*result)});
}

Result<Report> make_report(const Request& request, compile::Compiler& compiler, const Control& control) {
  const Result<PreparedPointer> prepared = prepare(request, compiler, control.cancel);
  if (!prepared) return prepared.errors();
  const auto counted = count_grid(*prepared, control);
  if (!counted) return counted.errors();
  Report report = (*counted)->report;
  static_cast<void>(
      add_time(report, **prepared, control.cancel));  // The report has the time; clock_of() returns the clocks.
  return report;
}

Result<Report> make_check_report(const Request& request, compile::Compiler& compiler, const Control& control) {
  const Result<PreparedPointer> prepared = prepare(request, compiler, control.cancel);
  if (!prepared) return prepared.errors();
  const auto checked = check_blocks(*prepared, std::nullopt, control);
  if (!checked) return checked.errors();
  return (*checked)->report;
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

}  // namespace tilescope::run
