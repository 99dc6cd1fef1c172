#pragma once

#include "run/grid_run.h"
#include "run/report.h"

namespace tilescope::run {

/// Sums of a run, by line of the source too. `total` is the number of blocks in the grid.
Counts count(const GridRun& run, const analysis::LaunchFacts& facts, uint64_t total);

/// The work of a whole launch, for the bound. The traffic of L2 and DRAM is the least possible: every input once,
/// every output once; how much of the rest L1 and L2 catch is unknown.
analysis::Work work_of(const Counts& counts, const kernel::Configuration& configuration);

/// The least traffic of DRAM: every input read once, every output written once.
uint64_t dram_bytes(const kernel::Configuration& configuration);

/// All warp instructions that were issued.
uint64_t warp_instructions(const emulator::Counts& counts);

}  // namespace tilescope::run
