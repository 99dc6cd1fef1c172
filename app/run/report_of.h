#pragma once

#include "base/result.h"
#include "run/grid_run.h"
#include "run/launched_kernel.h"
#include "run/report.h"

namespace tilescope::run {

/// What a launch did: counts, findings, how it ended, the time that is predicted. What only a description says is left
/// out: parameters, verification, bound. Error: too little memory to run the blocks.
Result<Report> report_of(const LaunchedKernel& launch, GridRun run, const Control& control);

}  // namespace tilescope::run
