#pragma once

#include <vector>

#include "run/block_accesses.h"

namespace tilescope::run {

/// Fills in `stage_copies` of shared arrays whose first extent counts stages: three extents or more.
void find_stage_copies(const ptx::Function& function, const trace::Trace& trace, const analysis::Timeline& timeline,
                       std::vector<TracedArray>& arrays);

}  // namespace tilescope::run
