#pragma once

#include <string>

#include "analysis/occupancy.h"

namespace tilescope::wording {

/// Every limit that allows no more blocks than the first: "warps and registers".
std::string limiters(const analysis::Occupancy& occupancy);

/// "limited by registers (94 per thread, 256 threads): 2 blocks of 8 warps per SM, which holds 64"; or why such a block
/// cannot be launched.
std::string sentence(const analysis::Occupancy& occupancy);

}  // namespace tilescope::wording
