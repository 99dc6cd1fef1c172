#pragma once

#include "analysis/machine_time.h"
#include "arch/arch.h"
#include "emulator/emulator.h"
#include "predict/predict.h"
#include "run/report.h"

namespace tilescope::run {

/// The kernel that a report is of: its PTX, and its machine code where there is any (else null).
struct Code {
  const emulator::Program& program;
  const analysis::MachineKernel* machine = nullptr;
};

/// What the launch asks of a device, by the blocks that were counted. Nothing where ptxas's registers are not known, so
/// neither is the occupancy, or the run did not end by itself. How long a warp takes is read out of the machine code;
/// without, it follows from the PTX as it does on average over the kernels that ship.
std::optional<predict::Demand> demand_of(const Report& report, const Code& code);

/// The constants that ship, read once.
const Result<predict::Model>& prediction_model();

/// Adds to the report how long its launch takes on the device, or why that is not predicted; nothing where demand_of()
/// or the model says nothing. `dram_bytes`: the least that must cross DRAM; 0: not known.
void add_prediction(Report& report, const Code& code, const arch::Device& device, uint64_t dram_bytes);

}  // namespace tilescope::run
