#include "program/launch.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <iterator>

#include "run/launch.h"
#include "run/prepare.h"
#include "run/report_of.h"

namespace tilescope::program {
namespace {
using emulator::Outcome;

/// Estimated warp instructions up to which racecheck and initcheck watch a whole launch.
constexpr uint64_t kCheckedInstructions = 20'000'000;
/// A driver maps memory in pieces of this many bytes: closer to an array a stray access hits no unmapped page.
constexpr uint64_t kDriverPage = uint64_t{2} << 20;
/// Assumed registers per thread without a cubin.
constexpr uint32_t kUsualRegisters = 32;

/// Names an allocation after the parameter of the kernel that points into it, and notes those that point to the host's
/// memory.
void name_after_parameters(const LoadedKernel& kernel, const LaunchShape& shape, const DeviceMemory& memory,
                           analysis::LaunchFacts& facts) {
  const std::vector<uint32_t>& offsets = kernel.program->parameter_offsets();
  const std::vector<ptx::Variable>& parameters = kernel.program->function().parameters;
  for (size_t i = 0; i < offsets.size(); ++i) {
    uint64_t address = 0;
    if (parameters[i].bytes != sizeof address || offsets[i] + sizeof address > shape.parameters.size()) continue;
    std::memcpy(&address, shape.parameters.data() + offsets[i], sizeof address);
    const std::string name = i < kernel.parameters.size() ? kernel.parameters[i] : "argument" + std::to_string(i + 1);
    const auto is_unnamed = [&](const Allocation& allocation) {
      return allocation.contains(address) && allocation.name.starts_with("allocation");
    };
    for (auto& array : facts.global)
      if (is_unnamed(array.allocation)) array.allocation.name = name;
    for (auto& array : facts.freed)
      if (is_unnamed(array.allocation)) array.allocation.name = name;
    if (const uint64_t end = memory.end_of_host_memory(address)) facts.host.push_back({name, address, end});
  }
  std::sort(facts.host.begin(), facts.host.end(), [](const auto& a, const auto& b) { return a.begin > b.begin; });
}

analysis::LaunchFacts facts_of(const LoadedKernel& kernel, const LaunchShape& shape, DeviceMemory& memory) {
  analysis::LaunchFacts facts;
  facts.module = &kernel.program->module();
  facts.function = &kernel.program->function();
  facts.grid = shape.grid;
  facts.block = shape.block;
  facts.cluster = kernel.program->cluster();
  facts.global = memory.arrays();
  for (auto& array : facts.global) array.allocation.name = run::source_name(array.allocation.name);
  facts.freed = memory.freed_arrays(shape.parameters);
  name_after_parameters(kernel, shape, memory, facts);
  for (Allocation shared : kernel.program->shared_arrays()) {
    if (shared.bytes == 0) shared.bytes = shape.dynamic_shared_bytes;
    shared.name = run::source_name(shared.name);
    if (shared.shape.empty()) shared.shape = {shared.bytes / size_of(shared.element)};
    facts.shared.push_back(std::move(shared));
  }
  return facts;
}

run::LaunchedKernel launched(const Machine& machine, const LoadedKernel& kernel, const LaunchShape& shape,
                             DeviceMemory& memory) {
  run::LaunchedKernel launch{
      .name = kernel.name,
      .file = kernel.file,
      .program = kernel.program,
      .merge_plan = kernel.merge_plan,
      .shape = {shape.grid,
                shape.block,
                static_cast<uint32_t>(shape.dynamic_shared_bytes),
                {shape.parameters.begin(), shape.parameters.end()},
                shape.cooperative,
                machine.device && machine.device->sms ? static_cast<uint32_t>(machine.device->sms->value) : 0},
      .memory = &memory.global(),
      .facts = facts_of(kernel, shape, memory),
      .limits = machine.limits,
      .resources = {
          kernel.registers, kernel.program->static_shared_bytes(),
          kernel.machine_code ? run::spill_bytes(*kernel.machine_code, kernel.program->function()) : std::nullopt,
          std::nullopt}};
  launch.shape.parameters.resize(kernel.program->parameter_bytes());
  if (kernel.registers)
    launch.occupancy = occupancy_of(machine, kernel, shape.block.count(), shape.dynamic_shared_bytes);
  return launch;
}

uint64_t checked_instructions(Checking checking) {
  switch (checking) {
    case Checking::None: return 0;
    case Checking::Sample: return kCheckedInstructions;
    case Checking::All: return run::Scope::kAll;
  }
  return 0;
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

bool is_repeatable(const run::GridRun& run, const run::LaunchedKernel& launch,
                   const std::vector<TouchedArray>& touched) {
  return run.finished() && run.findings.empty() && !launch.runs_together() &&
         !run::calls_system(launch.program->function()) &&
         std::none_of(touched.begin(), touched.end(), [](const auto& array) { return array.is_shared(); });
}

bool is_far(const analysis::Finding& finding) {
  const bool is_freed = !finding.detail.empty();
  return finding.space == Space::Global && (!finding.stray || is_freed || finding.stray->distance >= kDriverPage);
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
    return wire::InvalidValue;
  const Dim3 cluster = kernel.program->cluster();
  if (shape.grid.x % cluster.x || shape.grid.y % cluster.y || shape.grid.z % cluster.z) return wire::InvalidClusterSize;
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
  memory.move_last(kernel.module->variables);
  const run::LaunchedKernel ready = launched(machine, kernel, shape, memory);
  std::shared_ptr<const Result<run::LaunchClock>> clock;
  if (machine.timing == Timing::Clocks)
    clock = std::make_shared<const Result<run::LaunchClock>>(
        kernel.machine_code ? run::clock_of(ready, *kernel.machine_code, machine.device, {.cancel = control.cancel})
                            : kernel.machine_code.errors());
  const auto begin = std::chrono::steady_clock::now();
  const run::Scope scope{.checked = checked_instructions(machine.checking), .accesses = machine.wants_accesses};
  run::GridRun run = run::run_launch(ready, scope, control);
  LaunchEffect effect;
  LaunchRecord& record = effect.record;
  record.checked_blocks = run.checked_blocks;
  if (record.checked_blocks < shape.grid.count())
    for (const analysis::StoreRegion& store : run.stores)
      memory.take_as_written(memory.global().allocations()[store.array].base);
  effect.touched = touched_arrays(run, memory);
  std::copy_if(effect.touched.begin(), effect.touched.end(), std::back_inserter(record.shared),
               [](const TouchedArray& array) { return array.is_shared(); });
  effect.repeatable = is_repeatable(run, ready, effect.touched);
  for (const TouchedArray& array : effect.touched)
    if (array.written) memory.changed(array.base);
  record.device_error = device_error(run);
  if (run.accessed)
    if (auto ranges = run.accessed->ranges())
      record.accessed = std::make_shared<const analysis::AccessedRanges>(std::move(*ranges));
  Result<run::Report> report = run::report_of(ready, std::move(run), control);
  if (!report) return report.errors();
  if (machine.timing != Timing::None)
    run::set_time(*report, clock && *clock ? &**clock : nullptr,
                  {*kernel.program, kernel.machine ? &*kernel.machine : nullptr}, machine.device);
  record.report = std::move(*report);
  if (!record.report.is_clean()) record.report.source = kernel.source;
  // A program may launch thousands of times; these are large and not needed.
  record.report.counts.pcs.clear();
  record.report.counts.ptx_lines.clear();
  record.clock = std::move(clock);
  record.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  return effect;
}

}  // namespace tilescope::program
