#pragma once

#include "run/grid_run.h"
#include "run/report.h"

namespace tilescope::run {

/// Sums of a run, by line of the source too. `total` is the number of blocks in the grid.
Counts count(const GridRun& run, const analysis::LaunchFacts& facts, uint64_t total);

/// Sectors of global memory that a launch requests; one for each word of an atomic, which reads and writes it.
struct GlobalSectors {
  uint64_t read = 0, written = 0;
};
constexpr GlobalSectors kAllSectors{UINT64_MAX / arch::kSectorBytes, UINT64_MAX / arch::kSectorBytes};
GlobalSectors global_sectors(const analysis::PcCounts& counts);

/// The work of a whole launch, whose counts these are, for the bound. The traffic of L2 and DRAM is the least possible;
/// how much of the rest L1 and L2 catch is unknown.
analysis::Work work_of(const Counts& counts, const kernel::Configuration& configuration);

/// The least traffic of DRAM: every input read once, every output written once, or as much of them as is requested.
uint64_t dram_bytes(const kernel::Configuration& configuration, const GlobalSectors& requested = kAllSectors);
/// Sets that traffic, of L2 too.
void set_least_traffic(analysis::Work& work, const kernel::Configuration& configuration,
                       const GlobalSectors& requested);

/// What the emulator has to do, in warp instructions: a product of tensor cores counts as its multiply-adds, 32 to one.
uint64_t cost_of(const emulator::Counts& counts, const ptx::Function& function);

}  // namespace tilescope::run
