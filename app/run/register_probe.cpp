#include "run/register_probe.h"

#include <utility>

#include "run/launch_memory.h"

namespace tilescope::run {

namespace {

/// Instructions of a stretch: their registers take some 4 MB.
constexpr uint32_t kStretch = 4096;

analysis::StepRef stretch_of(const analysis::StepRef& at) { return {at.warp, at.step / kStretch * kStretch}; }

}  // namespace

Result<std::vector<Registers>> read_registers(const TracedBlock& traced, const analysis::StepRef& from, uint32_t count,
                                              const std::atomic<bool>* cancel) {
  Result<LaunchMemory> launch = place_launch(*traced.prepared, traced.request().seed);
  if (!launch) return launch.errors();
  emulator::RegisterWatch watch{traced.block, from.warp, from.step, count, {}};
  emulator::RunOptions options;
  options.cancel = cancel;
  options.watch = &watch;
  emulator::Machine machine(traced.prepared->program(), launch->launch, launch->memory);
  // Blocks that wait for one another must run together: alone, this one would wait forever.
  if (traced.prepared->runs_together())
    machine.run_together(std::vector<trace::Observer*>(launch->launch.grid.count()), options);
  else
    machine.run_block(traced.block, options);
  if (cancel && cancel->load()) return error("Cancelled.");
  if (watch.issued.empty()) return error("The run does not come to this instruction.");
  return std::move(watch.issued);
}

void RegisterProbe::ask(const std::shared_ptr<const TracedBlock>& traced, const analysis::StepRef& at) {
  if (asked_ == Question{traced, stretch_of(at)}) return;
  asked_ = {traced, stretch_of(at)};
  answered_ = {};  // No longer requested, and it may be large.
  registers_ = {};
  worker_.replace([this, question = asked_](const Worker::Turn& turn) {
    Result<std::vector<Registers>> read = read_registers(*question.traced, question.from, kStretch, &turn.cancel());
    auto registers = std::make_shared<std::vector<Registers>>(read ? std::move(*read) : std::vector<Registers>{});
    turn.deliver([this, question, registers] {
      answered_ = question;
      registers_ = std::move(*registers);
    });
  });
}

const Registers* RegisterProbe::registers(const TracedBlock* traced, const analysis::StepRef& at) const {
  if (answered_.traced.get() != traced || !(answered_.from == stretch_of(at))) return nullptr;
  const size_t index = at.step - answered_.from.step;
  return index < registers_.size() ? &registers_[index] : nullptr;
}

}  // namespace tilescope::run
