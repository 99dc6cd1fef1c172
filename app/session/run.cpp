#include "session/run.h"

#include <algorithm>
#include <limits>
#include <sstream>

#include <fmt/format.h>

#include "base/file.h"
#include "base/words.h"
#include "session/count.h"
#include "session/launch_memory.h"
#include "session/scene.h"
#include "session/verify_launch.h"

namespace tilescope::session {
namespace {
using emulator::Outcome;

constexpr uint64_t kSampleBlocks = 16;

std::vector<uint32_t> all_blocks(uint64_t total) { return spread_blocks(total, total); }

/// Runs the first block, and from what it cost the others or a sample of them.
GridRun run_counted(GridJob job, const Request& request, const Control& control, Report& report) {
  const uint64_t total = report.grid.count();
  job.blocks = {0};
  GridRun result = run_grid(job, control);
  if (result.outcome != Outcome::Finished || total == 1) return result;
  const uint64_t affordable = request.instruction_limit / std::max<uint64_t>(1, warp_instructions(result.counts));
  if (total > affordable)
    report.counts.blocks = spread_blocks(total, std::clamp<uint64_t>(affordable, 3, kSampleBlocks));
  job.blocks = report.counts.blocks.empty() ? all_blocks(total) : report.counts.blocks;
  job.blocks.erase(job.blocks.begin());
  result.merge(run_grid(job, control));
  analysis::sort_findings(result.findings);
  return result;
}

std::string describe_block(const Dim3& grid, uint32_t block) { return to_string(position_in(grid, block)); }

int hottest_line(const Counts& counts) {
  const auto hottest = std::max_element(counts.lines.begin(), counts.lines.end(), [](const auto& a, const auto& b) {
    return a.warp_instructions < b.warp_instructions;
  });
  return hottest == counts.lines.end() ? 0 : hottest->line;
}

std::string describe_stop(const Request& request, const GridRun& run, const Report& report, const Control& control) {
  const std::string block = describe_block(report.grid, run.failed_block);
  const std::string place = fmt::format("{}:{}", request.kernel.file.filename().string(), hottest_line(report.counts));
  switch (run.outcome) {
    case Outcome::Finished: return {};
    case Outcome::Deadlocked: return tr_format("Block {} deadlocked: its threads wait for one another.", block);
    case Outcome::Trapped: return tr_format("Block {} ended in a trap.", block);
    case Outcome::StepBudget:
      return control.in_window
                 ? tr_format(
                       "Block {} issued {} warp instructions without coming to an end, most of them at {}: look "
                       "for an endless loop there; if there is none, choose a smaller K.",
                       block, control.step_budget, place)
                 : fmt::format(
                       "Block {} issued {} warp instructions without coming to an end, most of them at {}: "
                       "look for an endless loop there, or allow more with --max-instructions.",
                       block, control.step_budget, place);
    case Outcome::Cancelled:
      return control.in_window
                 ? tr_format(
                       "The time limit of {:g} s passed with {} of {} blocks done and block {} mostly at {}: "
                       "look for an endless loop there; if there is none, choose a smaller size.",
                       control.seconds, run.blocks_done, report.counts.blocks_total, block, place)
                 : fmt::format(
                       "The time limit of {:g} s passed with {} of {} blocks done and block {} mostly at {}: "
                       "look for an endless loop there, choose a smaller --size, or allow more with "
                       "--max-seconds.",
                       control.seconds, run.blocks_done, report.counts.blocks_total, block, place);
  }
  return {};
}

std::vector<std::string> lines_of(const std::string& text) {
  std::istringstream stream(text);
  std::vector<std::string> lines;
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

/// Why the trace does not show all that its block does; none when it does.
std::optional<Diagnostic> why_cut_off(const Scene& scene, const GridRun& run) {
  const std::string block = describe_block(scene.report.grid, scene.block);
  if (run.outcome == Outcome::StepBudget || run.outcome == Outcome::Cancelled)
    return error_at({scene.request.kernel.file.string(), hottest_line(scene.report.counts)},
                    tr_format("Block {} was stopped after {} warp instructions, most of them on this line. Look for "
                              "an endless loop here; if there is none, choose a smaller K.",
                              block, warp_instructions(run.counts)));
  if (scene.trace->dropped() == 0) return std::nullopt;
  return error(tr_format("Block {} has more than the {} records that a trace holds. Choose a smaller K.", block,
                         scene.trace->size()));
}

Report describe(const Request& request, const Prepared& prepared) {
  Report report;
  report.kernel = request.kernel.name;
  report.title = request.kernel.description.title;
  report.file = request.kernel.file.string();
  report.params = prepared.configuration.parameters;
  report.size = prepared.configuration.size;
  report.arch = target_name(prepared.limits);
  report.compiled_by = prepared.compiled.origin == compile::Origin::Prebuilt
                           ? tr_later("prebuilt PTX")
                           : fmt::format("NVRTC {}", prepared.compiled.nvrtc_version);
  report.grid = prepared.configuration.grid;
  report.block = prepared.configuration.block;
  report.shared_bytes = prepared.shared_bytes();
  report.resources.shared_bytes = prepared.program->static_shared_bytes();
  report.ptx = prepared.compiled.ptx;
  report.warnings = prepared.compiled.warnings;
  report.source = lines_of(request.kernel.source);
  report.memory_bytes = prepared.configuration.global_bytes;
  if (prepared.resources) {
    report.resources.registers = prepared.resources->registers;
    report.resources.spill_bytes = prepared.resources->spill_store_bytes + prepared.resources->spill_load_bytes;
    report.occupancy = analysis::occupancy(
        prepared.limits, {report.block.count(), prepared.resources->registers, prepared.program->static_shared_bytes(),
                          prepared.configuration.dynamic_shared_bytes, prepared.resources->barriers});
  }
  return report;
}

/// The block's linear number; an error when the grid has no such block.
Result<uint32_t> chosen_block(const Request& request, const Dim3& grid) {
  const auto [x, y] = *request.block;
  if (x < grid.x && y < grid.y) return y * grid.x + x;
  return error(tr_format("There is no block ({}, {}): the grid is {}, so x is at most {} and y at most {}.", x, y,
                         to_string(grid), grid.x - 1, grid.y - 1));
}

GridJob job_of(Scene& scene) {
  GridJob job;
  job.program = scene.prepared.program.get();
  job.launch = &scene.launch.launch;
  job.memory = &scene.launch.memory;
  job.facts = &scene.facts;
  job.merge_plan = scene.merge_plan;
  job.check = scene.request.check;
  return job;
}

/// Runs one block and records it.
GridRun run_traced(GridJob job, uint32_t block, const Control& control, Scene& scene) {
  const LaunchMemory& launch = scene.launch;
  trace::Recorder recorder({scene.request.kernel.name, launch.launch.grid, launch.launch.block,
                            launch.memory.allocations(), job.facts->shared},
                           {{block}});
  job.blocks = {block};
  job.recorder = &recorder;
  job.log = &scene.log;
  GridRun result = run_grid(job, control);
  scene.trace = recorder.take();
  scene.block = block;
  scene.timeline.emplace(scene.function(), *scene.trace, scene.log);
  scene.accesses = analysis::MergedAccesses(*scene.trace, *scene.merge_plan);
  scene.story.emplace(scene.function(), *scene.trace, *scene.timeline, scene.prepared.configuration);
  scene.report.trace = {position_in(scene.report.grid, block), scene.trace->size(), scene.trace->memory_bytes(),
                        scene.trace->dropped(), scene.trace->hash()};
  scene.report.counts.blocks = {block};
  return result;
}

Result<GridRun> run_job(GridJob job, const Control& control, Scene& scene) {
  const Request& request = scene.request;
  if (request.block) {
    const Result<uint32_t> block = chosen_block(request, scene.report.grid);
    if (!block) return block.errors();
    return run_traced(job, *block, control, scene);
  }
  if (!request.check) return run_counted(job, request, control, scene.report);
  job.blocks = all_blocks(scene.report.grid.count());
  return run_grid(job, control);
}

/// The first known device of the architecture; none when there is none.
std::optional<arch::Device> device_of(const arch::Limits& limits) {
  const Result<std::vector<arch::Device>> devices = arch::load_devices(data_folder() / "assets/devices.toml");
  if (!devices) return std::nullopt;
  for (const arch::Device& device : *devices)
    if (device.capability == limits.capability) return device;
  return std::nullopt;
}

/// The bound; none when not every block ran.
void add_bound(Scene& scene) {
  Report& report = scene.report;
  scene.device = device_of(scene.prepared.limits);
  if (!scene.device || report.counts.blocks_counted != report.counts.blocks_total) return;
  report.bound.emplace(scene.device->name,
                       analysis::bound(*scene.device, work_of(report.counts, scene.prepared.configuration)));
}

/// Puts what was counted and found into the report.
void complete(Report& report, const Request& request, const GridRun& run, const analysis::LaunchFacts& facts,
              const Control& control) {
  std::vector<uint32_t> sampled = std::move(report.counts.blocks);
  report.counts = count(run, facts, report.grid.count());
  report.counts.blocks = std::move(sampled);
  report.findings = run.findings;
  report.printed = run.printed;
  report.stopped = describe_stop(request, run, report, control);
}

void judge(Report& report, const Request& request, const Prepared& prepared, const LaunchMemory& launch,
           const Control& control) {
  const bool whole = report.counts.blocks.empty();
  report.not_verified = why_not_verified(prepared.configuration);
  if (!whole && prepared.program->blocks_interact())
    report.not_verified = tr("blocks work on one another's elements, and not all of them ran");
  if (report.not_verified.empty()) report.verified = verify_launch(prepared, launch, request.seed, whole, control);
}

/// The array that an access record's first active lane accesses; empty when it is none.
std::string array_of(const trace::Trace& trace, size_t record) {
  uint64_t addresses[trace::kLanes];
  trace.addresses(record, addresses);
  const Allocation* array = trace.header().find(trace.space(record), addresses[__builtin_ctz(trace.active(record))]);
  return array ? array->name : "";
}

}  // namespace

std::vector<uint32_t> spread_blocks(uint64_t total, uint64_t count) {
  const uint64_t number = std::min(total, count);
  std::vector<uint32_t> blocks(number);
  for (uint64_t i = 0; i < number; ++i)
    blocks[i] = static_cast<uint32_t>(number == 1 ? 0 : i * (total - 1) / (number - 1));
  return blocks;
}

kernel::Size smallest_size(const kernel::Kernel& kernel, const kernel::Settings& settings, const arch::Limits& limits) {
  const kernel::Size last{256, 256, 256};
  for (const kernel::Size& size : {kernel::Size{70, 66, 37}, {64, 64, 64}, {128, 128, 128}})
    if (kernel::configure(kernel.description, settings, size, configuration_limits(limits))) return size;
  return last;
}

Result<std::shared_ptr<const Scene>> make_scene(const Request& request, compile::Compiler& compiler,
                                                const Control& control) {
  Result<Prepared> prepared = prepare(request, compiler, control.cancel);
  if (!prepared) return prepared.errors();
  const auto scene = std::make_shared<Scene>(Scene{request, std::move(*prepared), {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, 0});
  Report& report = scene->report = describe(request, scene->prepared);
  const uint64_t total = report.grid.count();
  if (total > UINT32_MAX)
    return error(
        tr_format("The grid has {} blocks; at most {} can be numbered. Choose a smaller size.", total, UINT32_MAX));
  const kernel::Configuration& configuration = scene->prepared.configuration;
  if (const std::string problem = memory_problem(configuration, bytes_available()); !problem.empty())
    return error(problem);
  Result<LaunchMemory> launch = place_launch(scene->prepared, request.seed);
  if (!launch) return launch.errors();
  scene->launch = std::move(*launch);
  scene->facts = launch_facts(scene->prepared, scene->launch);

  const emulator::Program& program = *scene->prepared.program;
  scene->merge_plan = std::make_shared<analysis::MergePlan>(
      analysis::plan_load_merge(program.module(), program.function(), program.shared_arrays()));
  const Result<GridRun> done = run_job(job_of(*scene), control, *scene);
  if (!done) return done.errors();
  if (cancelled(control)) return error("Cancelled.");
  complete(report, request, *done, scene->facts, control);
  if (scene->trace && control.whole_trace)
    if (const auto problem = why_cut_off(*scene, *done)) return *problem;
  scene->stores = done->stores;
  add_bound(*scene);
  if (done->outcome == Outcome::Finished)
    judge(report, request, scene->prepared, scene->launch, control);
  else
    report.not_verified = tr("the run did not end by itself");
  if (cancelled(control)) return error("Cancelled.");
  return std::shared_ptr<const Scene>(scene);
}

Result<Report> run(const Request& request, compile::Compiler& compiler, const Control& control) {
  const Result<std::shared_ptr<const Scene>> scene = make_scene(request, compiler, control);
  if (!scene) return scene.errors();
  return (*scene)->report;
}

std::optional<analysis::Moment> find_access(const Scene& scene, int line, int occurrence, uint32_t warp,
                                            std::string_view array) {
  if (!scene.timeline || warp >= scene.timeline->warps()) return std::nullopt;
  std::string wanted(array);
  for (analysis::Moment at{warp, 0}; at.step < scene.timeline->steps(warp); ++at.step) {
    if (scene.facts.line_of(scene.timeline->pc(at)) != line) continue;
    const std::optional<uint32_t> record = scene.timeline->access(at);
    if (!record) continue;
    const std::string name = array_of(*scene.trace, *record);
    if (wanted.empty()) wanted = name;
    if (name == wanted && --occurrence == 0) return at;
  }
  return std::nullopt;
}

}  // namespace tilescope::session
