#pragma once

#include "arch/arch.h"
#include "predict/predict.h"
#include "run/report.h"

namespace tilescope::run {

/// What the launch asks of a device, by the blocks that were counted. Nothing where ptxas's registers are not known, so
/// neither is the occupancy, or the run did not end by itself.
std::optional<predict::Demand> demand_of(const Report& report);

/// The constants that ship, read once.
const Result<predict::Model>& prediction_model();

/// How long the launch of the report takes on the device; nothing where demand_of() or the model says nothing.
std::optional<predict::Predicted> predicted_of(const Report& report, const arch::Device& device);

}  // namespace tilescope::run
