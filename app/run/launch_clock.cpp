#include "run/launch_clock.h"

#include <algorithm>

#include "base/file.h"
#include "run/launch_memory.h"
#include "run/machine_block.h"

namespace tilescope::run {
namespace {

constexpr uint32_t kSimulatedCapability = 90;

}  // namespace

Result<clock::SmModel> sm_model_of(const Prepared& prepared) {
  if (!prepared.device || prepared.device->capability != kSimulatedCapability)
    return error(Message("The clocks of {} are not known.", arch::target_name(prepared.limits)));
  return clock::load_sm_model(data_folder() / "assets" / "sm.toml");
}

Result<LaunchClock> clock_of(const Prepared& prepared, uint64_t seed, const ClockSetup& setup) {
  const Result<clock::SmModel> model = sm_model_of(prepared);
  if (!model) return model.errors();
  if (!prepared.device->sms || !prepared.device->clock_hz || !prepared.occupancy)
    return error(Message("Without ptxas's registers it is not known how many blocks an SM holds."));
  if (prepared.runs_together())
    return error(Message("The clocks of blocks that wait for one another are not known: one SM alone is simulated."));
  auto program = machine_program(prepared);
  if (!program) return program.errors();
  auto memory = place_launch(prepared, seed);
  if (!memory) return memory.errors();

  clock::TimedLaunch launch;
  launch.program = program->get();
  launch.launch = &memory->launch;
  launch.memory = &memory->memory;
  launch.parameter_offsets = prepared.program().parameter_offsets();
  const uint32_t fitting = prepared.occupancy->blocks_per_sm;
  launch.resident = setup.resident > 0 ? std::min(setup.resident, fitting) : fitting;
  launch.shared_bytes_per_block = prepared.occupancy->shared_bytes_per_block;
  launch.carveouts = prepared.limits.carveouts;
  launch.sms = static_cast<uint32_t>(prepared.device->sms->value);
  launch.clock_hz = prepared.device->clock_hz->value;
  launch.instructions = setup.instructions;
  auto time = clock::time_of(setup.model ? *setup.model : *model, launch, setup.observer);
  if (!time) return time.errors();

  LaunchClock result;
  result.device = prepared.device->name;
  result.program = *program;
  result.fitting = fitting;
  result.scale = time->block_instructions * static_cast<double>(memory->launch.grid.count()) /
                 static_cast<double>(time->run.issued);
  result.time = std::move(*time);
  return result;
}

}  // namespace tilescope::run
