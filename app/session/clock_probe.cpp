#include "session/clock_probe.h"

#include <algorithm>
#include <utility>

#include "clock/recorder.h"
#include "run/launch_clock.h"
#include "run/machine_block.h"
#include "sass/decode.h"

namespace tilescope::session {
namespace {
using analysis::StepKind;
using sass::Opcode;

/// The same kinds as those of PTX; see analysis::kind_of().
StepKind kind_of(const sass::Instruction& instruction) {
  switch (instruction.opcode) {
    case Opcode::LDG:
    case Opcode::LD: return StepKind::LoadGlobal;
    case Opcode::LDGSTS:
    case Opcode::UBLKCP:
    case Opcode::UTMALDG: return StepKind::AsyncCopy;
    case Opcode::STS:
    case Opcode::STSM:
    case Opcode::ATOMS:
    case Opcode::ATOMS_POPC:
    case Opcode::ATOMS_CAS: return StepKind::StoreShared;
    case Opcode::LDS:
    case Opcode::LDSM: return StepKind::LoadShared;
    case Opcode::FFMA:
    case Opcode::DFMA:
    case Opcode::HFMA2:
    case Opcode::HMMA:
    case Opcode::IMMA:
    case Opcode::DMMA:
    case Opcode::HGMMA:
    case Opcode::HGMMA_R: return StepKind::Multiply;
    case Opcode::BAR:
    case Opcode::SYNCS_ARRIVE:
    case Opcode::SYNCS_PHASECHK:
    case Opcode::UCGABAR_WAIT: return StepKind::Barrier;
    case Opcode::STG:
    case Opcode::ST:
    case Opcode::ATOM:
    case Opcode::ATOM_FP:
    case Opcode::ATOM_CAS:
    case Opcode::ATOMG:
    case Opcode::ATOMG_CAS:
    case Opcode::ATOMG_FP:
    case Opcode::RED_FP:
    case Opcode::RED:
    case Opcode::UTMASTG: return StepKind::StoreGlobal;
    default: return StepKind::Other;
  }
}

std::vector<ClockInstruction> code_of(const run::MachineBlock& block) {
  const auto line = [](const sass::LineTable& lines, size_t pc) { return pc < lines.size() ? lines[pc].line : 0; };
  std::vector<ClockInstruction> code;
  for (size_t pc = 0; pc < block.code.program->code().size(); ++pc) {
    const sass::Instruction& instruction = block.code.program->code()[pc];
    const bool is_fma = instruction.pipe == sass::Pipe::Fma || instruction.pipe == sass::Pipe::FmaHeavy;
    code.push_back({sass::to_string(instruction), kind_of(instruction), is_fma, line(block.ptx_lines, pc),
                    line(block.code.sources, pc), block.counts.warp_executions[pc]});
  }
  return code;
}

void change(const WhatIf& what_if, clock::SmModel& model) {
  if (what_if.dram) model.dram = *what_if.dram;
  if (what_if.no_bank_conflicts) model.shared_conflicts = 0;
  if (what_if.free_barriers) model.barrier = model.barrier_warp = model.barrier_path = 0;
  if (what_if.no_register_conflicts) model.operand_window = 0;
}

}  // namespace

Result<std::shared_ptr<const ClockRun>> simulate(const run::Prepared& prepared, uint32_t block, const WhatIf& what_if) {
  Result<clock::SmModel> model = run::sm_model_of(prepared.device, prepared.limits);
  if (!model) return model.errors();
  change(what_if, *model);
  clock::Recorder recorder;
  const Result<run::LaunchClock> launch = run::clock_of(
      prepared, prepared.request.seed, {.model = &*model, .resident = what_if.resident, .observer = &recorder});
  if (!launch) return launch.errors();
  const Result<run::MachineBlock> alone = run::run_machine_block(prepared, block, prepared.request.seed, {});
  if (!alone) return alone.errors();

  const clock::LaunchTime& time = launch->time;
  auto made = std::make_shared<ClockRun>();
  made->what_if = what_if;
  const uint32_t warps =
      static_cast<uint32_t>((prepared.configuration.block.count() + machine::kLanes - 1) / machine::kLanes);
  made->recording = recorder.take(time.run, warps);
  made->code = code_of(*alone);
  for (size_t i = 0; i < clock::kStalls; ++i)
    made->stalls[i] = time.run.stalls[i] / static_cast<double>(std::max<uint64_t>(1, time.run.issued));
  made->seconds = time.seconds;
  made->clocks = time.clocks;
  made->issue_active = time.issue_active;
  made->reads = launch->reads;
  made->readers = launch->readers;
  made->fitting = launch->fitting;
  made->resident = time.resident;
  made->dram = static_cast<uint32_t>(model->dram);
  return std::shared_ptr<const ClockRun>(std::move(made));
}

void ClockProbe::take(const WhatIf& what_if, const Result<std::shared_ptr<const ClockRun>>& answer) {
  answered_ = what_if == what_if_;
  problems_ = answer ? Diagnostics{} : answer.errors();
  run_ = answer ? *answer : nullptr;
  if (what_if == WhatIf{}) unchanged_ = run_;
}

void ClockProbe::ask(const run::TracedBlock& traced, const WhatIf& what_if) {
  const bool same = prepared_ == traced.prepared && block_ == traced.block;
  if (same && what_if_ == what_if) return;
  if (!same) unchanged_.reset();
  prepared_ = traced.prepared;
  block_ = traced.block;
  what_if_ = what_if;
  answered_ = false;
  const bool needs_unchanged = !unchanged_ && !(what_if == WhatIf{});
  worker_.replace([this, prepared = prepared_, block = block_, what_if, needs_unchanged](const Worker::Turn& turn) {
    const auto run = [&](const WhatIf& changes) {
      auto answer = std::make_shared<Result<std::shared_ptr<const ClockRun>>>(simulate(*prepared, block, changes));
      turn.deliver([this, changes, answer] { take(changes, *answer); });
    };
    if (needs_unchanged) run({});
    if (!turn.cancel()) run(what_if);
  });
}

}  // namespace tilescope::session
