#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "run/grid_run.h"
#include "run/prepare.h"

namespace tilescope::run {

/// What all blocks of the launch do together, by hardware_counters(); zero where nothing is counted. Whole grids of a
/// few short M, N and K are counted, which leave the same parts of a tile at the edges, and carried on along each of
/// them: exact where a further tile, or a further step over k, does what the one before did. nullopt where that does
/// not hold: the grid does not grow with M and N, since few blocks share all tiles; blocks wait for one another.
/// nullopt, too, where a short launch is not legal, or does not end.
std::optional<std::vector<uint64_t>> grid_counters(const Prepared& prepared, compile::Compiler& compiler,
                                                   const Control& control);

}  // namespace tilescope::run
