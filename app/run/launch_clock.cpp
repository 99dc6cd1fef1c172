#include "run/launch_clock.h"

#include "base/file.h"
#include "run/launch_memory.h"
#include "run/machine_block.h"

namespace tilescope::run {
namespace {

constexpr uint32_t kSimulatedCapability = 90;

const Result<clock::SmModel>& sm_model() {
  static const Result<clock::SmModel> model = clock::load_sm_model(data_folder() / "assets" / "sm.toml");
  return model;
}

/// Why this launch cannot be simulated; empty if it can.
std::string obstacle(const Prepared& prepared) {
  if (!prepared.device || prepared.device->capability != kSimulatedCapability)
    return "The clocks of an SM are known for sm_90 alone.";
  if (!prepared.device->sms || !prepared.device->clock_hz || !prepared.occupancy)
    return "Without ptxas's registers it is not known how many blocks an SM holds.";
  if (prepared.runs_together())
    return "Blocks that wait for one another are not simulated: one SM stands for all of them.";
  return {};
}

}  // namespace

Result<LaunchClock> clock_of(const Prepared& prepared, uint64_t seed, clock::SmObserver* observer) {
  if (std::string why = obstacle(prepared); !why.empty()) return error(std::move(why));
  if (!sm_model()) return sm_model().errors();
  auto program = machine_program(prepared);
  if (!program) return program.errors();
  auto memory = place_launch(prepared, seed);
  if (!memory) return memory.errors();

  clock::TimedLaunch launch;
  launch.program = program->get();
  launch.launch = &memory->launch;
  launch.memory = &memory->memory;
  launch.parameter_offsets = prepared.program().parameter_offsets();
  launch.resident = prepared.occupancy->blocks_per_sm;
  launch.shared_bytes_per_block = prepared.occupancy->shared_bytes_per_block;
  launch.carveouts = prepared.limits.carveouts;
  launch.sms = static_cast<uint32_t>(prepared.device->sms->value);
  launch.clock_hz = prepared.device->clock_hz->value;
  auto time = clock::time_of(*sm_model(), launch, observer);
  if (!time) return time.errors();

  LaunchClock result;
  result.device = prepared.device->name;
  result.program = *program;
  result.bytes_scale = time->block_instructions * static_cast<double>(memory->launch.grid.count()) /
                       static_cast<double>(time->run.issued);
  result.time = std::move(*time);
  return result;
}

}  // namespace tilescope::run
