#pragma once

#include "analysis/machine_time.h"
#include "arch/arch.h"
#include "emulator/emulator.h"
#include "predict/predict.h"
#include "run/report.h"

namespace tilescope::run {

/// The kernel of a report: its PTX, and its machine code, or null.
struct Code {
  const emulator::Program& program;
  const analysis::MachineKernel* machine = nullptr;
};

/// The launch's demand, from the counted blocks. Nullopt if ptxas's registers, and so the occupancy, are unknown, or
/// the run did not end by itself. How long a warp takes is read out of the machine code; without, it follows from the
/// PTX as it does on average over the kernels that ship.
std::optional<predict::Demand> demand_of(const Report& report, const Code& code);

/// The constants that ship, read once.
const Result<predict::Model>& prediction_model();

/// Adds to the report how long its launch takes on the device, or why that is not predicted; nothing if demand_of() or
/// the model has no result. `dram_bytes`: the least traffic of DRAM; 0: unknown.
void add_prediction(Report& report, const Code& code, const arch::Device& device, uint64_t dram_bytes = 0);

}  // namespace tilescope::run
