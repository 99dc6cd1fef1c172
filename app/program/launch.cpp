#include "program/launch.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <iterator>

#include "run/count.h"
#include "run/demand.h"
#include "run/run.h"

namespace tilescope::program {
namespace {
using emulator::Outcome;

/// Estimated warp instructions up to which racecheck and initcheck watch a whole launch.
constexpr uint64_t kCheckedInstructions = 20'000'000;
constexpr uint64_t kSampleBlocks = 16;
/// A driver maps memory in pieces of this many bytes: closer to an array a stray access hits no unmapped page.
constexpr uint64_t kDriverPage = uint64_t{2} << 20;
/// Assumed registers per thread without a cubin.
constexpr uint32_t kUsualRegisters = 32;

/// Names an allocation after the parameter of the kernel that points into it.
void name_after_parameters(const LoadedKernel& kernel, const LaunchShape& shape, analysis::LaunchFacts& facts) {
  const std::vector<uint32_t>& offsets = kernel.program->parameter_offsets();
  const std::vector<ptx::Variable>& parameters = kernel.program->function().parameters;
  for (size_t i = 0; i < offsets.size(); ++i) {
    uint64_t address = 0;
    if (parameters[i].bytes != sizeof address || offsets[i] + sizeof address > shape.parameters.size()) continue;
    std::memcpy(&address, shape.parameters.data() + offsets[i], sizeof address);
    for (auto& array : facts.global)
      if (array.allocation.contains(address) && array.allocation.name.starts_with("allocation"))
        array.allocation.name =
            i < kernel.parameters.size() ? kernel.parameters[i] : "argument" + std::to_string(i + 1);
  }
}

analysis::LaunchFacts facts_of(const LoadedKernel& kernel, const LaunchShape& shape, const DeviceMemory& memory) {
  analysis::LaunchFacts facts;
  facts.module = &kernel.program->module();
  facts.function = &kernel.program->function();
  facts.grid = shape.grid;
  facts.block = shape.block;
  facts.cluster = kernel.program->cluster();
  facts.global = memory.arrays();
  for (auto& array : facts.global) array.allocation.name = run::source_name(array.allocation.name);
  name_after_parameters(kernel, shape, facts);
  for (Allocation shared : kernel.program->shared_arrays()) {
    if (shared.bytes == 0) shared.bytes = shape.dynamic_shared_bytes;
    shared.name = run::source_name(shared.name);
    if (shared.shape.empty()) shared.shape = {shared.bytes / size_of(shared.element)};
    facts.shared.push_back(std::move(shared));
  }
  return facts;
}

std::vector<uint32_t> without(const std::vector<uint32_t>& all, const std::vector<uint32_t>& some) {
  std::vector<uint32_t> rest;
  std::set_difference(all.begin(), all.end(), some.begin(), some.end(), std::back_inserter(rest));
  return rest;
}

/// Adds what `blocks` did to `result`, unless it has failed already.
void run_more(run::GridJob job, std::vector<uint32_t> blocks, bool check, const run::Control& control,
              run::GridRun& result) {
  if (blocks.empty() || result.outcome != Outcome::Finished || result.out_of_memory) return;
  job.blocks = std::move(blocks);
  job.check = check;
  run::GridRun more = run::run_grid(job, control);
  result.out_of_time |= more.out_of_time;
  result.seconds_allowed = std::max(result.seconds_allowed, more.seconds_allowed);
  result.merge(std::move(more));
}

/// Every block, those in `checked` under all checkers.
run::GridRun run_all(const run::GridJob& job, Checking checking, const run::Control& control,
                     uint64_t& checked_blocks) {
  const std::vector<uint32_t> all = run::spread_blocks(job.launch->grid.count(), job.launch->grid.count());
  run::GridRun result(job);
  if (checking == Checking::None || run::runs_together(job)) {
    // All blocks run at once, so it is all of them or none.
    const bool in_clusters = !job.launch->cooperative && !job.program->is_cooperative();
    const bool checks =
        in_clusters && (checking == Checking::All || (checking != Checking::None && all.size() <= kSampleBlocks));
    run_more(job, all, checks, control, result);
    if (checks) checked_blocks = result.blocks_done;
    return result;
  }
  run_more(job, {0}, true, control, result);
  const uint64_t affordable = kCheckedInstructions / std::max<uint64_t>(1, run::warp_instructions(result.counts));
  const bool whole = checking == Checking::All || all.size() <= affordable;
  const std::vector<uint32_t> checked =
      whole ? all : run::spread_blocks(all.size(), std::clamp<uint64_t>(affordable, 3, kSampleBlocks));
  run_more(job, without(checked, {0}), true, control, result);
  checked_blocks = result.blocks_done;
  run_more(job, without(all, checked), false, control, result);
  return result;
}

std::vector<TouchedArray> touched_arrays(const run::GridRun& run, DeviceMemory& memory) {
  std::vector<TouchedArray> arrays;
  for (size_t i = 0; i < run.touched.size(); ++i) {
    if (!run.touched[i]) continue;
    const uint64_t base = memory.global().allocations()[i].base;
    arrays.push_back({base, memory.contents(base), (run.touched[i] & emulator::kTouchWritten) != 0});
  }
  return arrays;
}

bool is_repeatable(const run::GridRun& run, const LoadedKernel& kernel, const std::vector<TouchedArray>& touched) {
  return run.outcome == Outcome::Finished && run.findings.empty() && !kernel.program->runs_together() &&
         !run::calls_system(kernel.program->function()) &&
         std::none_of(touched.begin(), touched.end(), [](const auto& array) { return array.contents_before == 0; });
}

bool is_far(const analysis::Finding& finding) {
  return finding.space == Space::Global && (!finding.stray || finding.stray->distance >= kDriverPage);
}

/// What a GPU makes of it. An access just outside of an array meets memory that is mapped, so that nothing happens.
int32_t device_error(const run::GridRun& run) {
  if (run.outcome == Outcome::Deadlocked || run.outcome == Outcome::StepBudget || run.outcome == Outcome::Cancelled)
    return wire::LaunchTimeout;
  for (const analysis::Finding& finding : run.findings) {
    if (finding.kind == analysis::FindingKind::Trap) return finding.detail.empty() ? wire::LaunchFailure : wire::Assert;
    if (finding.kind == analysis::FindingKind::OutOfBounds && is_far(finding)) return wire::IllegalAddress;
    if (finding.kind == analysis::FindingKind::Misaligned) return wire::MisalignedAddress;
  }
  return run.outcome == Outcome::Trapped ? wire::LaunchFailure : wire::Success;
}

int hottest_line(const run::Counts& counts) {
  const auto hottest = std::max_element(counts.lines.begin(), counts.lines.end(), [](const auto& a, const auto& b) {
    return a.warp_instructions < b.warp_instructions;
  });
  return hottest == counts.lines.end() ? 0 : hottest->line;
}

run::Report report_of(const Machine& machine, const LoadedKernel& kernel, const LaunchShape& shape,
                      const analysis::LaunchFacts& facts, run::GridRun run, const run::Control& control) {
  run::Report report;
  report.kernel = kernel.name;
  report.file = kernel.file;
  report.arch = arch::target_name(machine.limits);
  report.grid = shape.grid;
  report.block = shape.block;
  report.resources.registers = kernel.registers;
  report.resources.shared_bytes = kernel.program->static_shared_bytes();
  report.shared_bytes = report.resources.shared_bytes + shape.dynamic_shared_bytes;
  report.cooperative = shape.cooperative || kernel.program->is_cooperative();
  if (kernel.registers)
    report.occupancy = occupancy_of(machine, kernel, shape.block.count(), shape.dynamic_shared_bytes);
  report.counts = run::count(run, facts, shape.grid.count());
  if (run.outcome != Outcome::Finished)
    report.stopped = run::Stop{run.outcome,         position_in(report.grid, run.failed_block),
                               report.file,         hottest_line(report.counts),
                               control.step_budget, run.seconds_allowed,
                               run.blocks_done,     shape.grid.count()};
  if (machine.device)
    run::add_prediction(report, {*kernel.program, kernel.machine ? &*kernel.machine : nullptr}, *machine.device, 0);
  report.findings = std::move(run.findings);
  report.printed = std::move(run.printed);
  if (report.has_finding()) report.source = kernel.source;
  // A program may launch thousands of times; these are large and not needed.
  report.counts.pcs.clear();
  report.counts.ptx_lines.clear();
  return report;
}

}  // namespace

analysis::Occupancy occupancy_of(const Machine& machine, const LoadedKernel& kernel, uint64_t threads,
                                 uint64_t dynamic_shared_bytes) {
  return analysis::occupancy(machine.limits, {threads, kernel.registers.value_or(kUsualRegisters),
                                              kernel.program->static_shared_bytes(), dynamic_shared_bytes});
}

int32_t refusal(const Machine& machine, const LoadedKernel& kernel, const LaunchShape& shape) {
  const arch::Limits& limits = machine.limits;
  const ptx::Function& function = kernel.program->function();
  const auto outside = [](const Dim3& extent, const Dim3& most) {
    return extent.count() == 0 || extent.x > most.x || extent.y > most.y || extent.z > most.z;
  };
  if (outside(shape.block, limits.max_block) || outside(shape.grid, limits.max_grid) ||
      shape.block.count() > limits.threads_per_block || shape.grid.count() > UINT32_MAX)
    return wire::InvalidConfiguration;
  const uint64_t most_threads = uint64_t{std::max(1U, function.max_threads[0])} *
                                std::max(1U, function.max_threads[1]) * std::max(1U, function.max_threads[2]);
  if (function.max_threads[0] && shape.block.count() > most_threads) return wire::InvalidValue;
  if (kernel.program->static_shared_bytes() + shape.dynamic_shared_bytes > limits.shared_per_block_opt_in)
    return wire::InvalidValue;
  const analysis::Occupancy occupancy = occupancy_of(machine, kernel, shape.block.count(), shape.dynamic_shared_bytes);
  if (occupancy.blocks_per_sm == 0) return wire::LaunchOutOfResources;
  const bool known = machine.device && machine.device->sms;
  if (shape.cooperative && known &&
      shape.grid.count() > occupancy.blocks_per_sm * static_cast<uint64_t>(machine.device->sms->value))
    return wire::CooperativeLaunchTooLarge;
  return wire::Success;
}

Result<LaunchEffect> launch(const Machine& machine, const LoadedKernel& kernel, const LaunchShape& shape,
                            DeviceMemory& memory, const run::Control& control) {
  const auto begin = std::chrono::steady_clock::now();
  memory.move_last(kernel.module->variables);
  const analysis::LaunchFacts facts = facts_of(kernel, shape, memory);
  emulator::Launch configured{shape.grid,
                              shape.block,
                              static_cast<uint32_t>(shape.dynamic_shared_bytes),
                              {shape.parameters.begin(), shape.parameters.end()}};
  configured.parameters.resize(kernel.program->parameter_bytes());
  run::GridJob job;
  job.program = kernel.program.get();
  job.launch = &configured;
  job.memory = &memory.global();
  job.facts = &facts;
  job.merge_plan = kernel.merge_plan;

  LaunchEffect effect;
  LaunchRecord& record = effect.record;
  run::GridRun run = run_all(job, machine.checking, control, record.checked_blocks);
  if (run.out_of_memory)
    return error(Message("There is too little memory to run the blocks of {}; choose a smaller problem.", kernel.name));
  if (record.checked_blocks < shape.grid.count())
    for (const analysis::StoreRegion& store : run.stores)
      memory.take_as_written(memory.global().allocations()[store.array].base);
  effect.touched = touched_arrays(run, memory);
  effect.repeatable = is_repeatable(run, kernel, effect.touched);
  for (const TouchedArray& array : effect.touched)
    if (array.written) memory.changed(array.base);
  record.device_error = device_error(run);
  record.report = report_of(machine, kernel, shape, facts, std::move(run), control);
  record.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  return effect;
}

}  // namespace tilescope::program
