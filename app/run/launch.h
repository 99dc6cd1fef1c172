#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "run/grid_run.h"

namespace tilescope::run {

/// Linear numbers of `count` blocks of `total`: the first, the last and others spread evenly between; all where there
/// are no more.
std::vector<uint32_t> spread_blocks(uint64_t total, uint64_t count);
std::vector<uint32_t> all_blocks(uint64_t total);

/// How much of a launch is run, and how much of that is checked by racecheck and initcheck: all up to such a cost_of(),
/// estimated from the first block. Beyond that it is 3 to 16 sample blocks.
struct Scope {
  static constexpr uint64_t kAll = std::numeric_limits<uint64_t>::max();
  uint64_t run = kAll;
  uint64_t checked = 0;   ///< 0: nothing is checked by these two.
  bool accesses = false;  ///< As in Selection.
};

/// Runs a launch, or a sample of it. Blocks that run together are all run, and all checked or none. The checkers see
/// the blocks that they watch one after another.
GridRun run_launch(const LaunchedKernel& launch, const Scope& scope, const Control& control);

}  // namespace tilescope::run
