#include "run/machine_block.h"

#include <vector>

#include "machine/fault.h"
#include "run/launch_memory.h"

namespace tilescope::run {

Result<MachineBlock> run_machine_block(const Prepared& prepared, uint32_t block, uint64_t seed,
                                       const Control& control) {
  auto code = machine_code(prepared);
  if (!code) return code.errors();
  if (prepared.is_cooperative() && !code->program->polls())
    return error("The machine code of one block cannot be executed: its blocks wait for one another.");
  auto memory = place_launch(prepared, seed);
  if (!memory) return memory.errors();
  MachineBlock result;
  result.code = std::move(*code);
  const machine::Program& program = *result.code.program;
  const size_t instructions = program.code().size();
  result.counts.warp_executions.resize(instructions);
  result.counts.thread_executions.resize(instructions);
  result.ptx_lines = sass::ptx_lines(prepared.build->compiled.cubin, prepared.program().function().name, instructions);

  const machine::PreparedLaunch launch(program, memory->launch, prepared.program().parameter_offsets(), memory->memory);
  const ClusterShape shape{memory->launch.grid, prepared.program().cluster()};
  const auto blocks = machine::blocks_of_cluster(launch, shape, shape.number_of(block));
  std::vector<machine::Block*> together;
  for (const auto& each : blocks) {
    if (prepared.is_cooperative()) each->end_polls();
    together.push_back(each.get());
  }
  std::vector<machine::Counts*> counts(together.size(), nullptr);
  counts[shape.rank_of(block)] = &result.counts;
  const machine::Outcome outcome = machine::run_blocks(together, control.step_budget * together.size(), counts);
  if (outcome == machine::Outcome::Finished) return result;
  for (const machine::Block* each : together)
    if (each->fault()) return machine::error_of(*each->fault(), &result.code.sources, &memory->memory);
  if (outcome == machine::Outcome::Deadlocked) return machine::error_of_deadlock();
  return error(
      "The machine code does not end within the steps that a block may take; set a higher limit with --steps.");
}

}  // namespace tilescope::run
