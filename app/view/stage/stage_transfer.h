#pragma once

#include "view/stage/stage_frame.h"

namespace tilescope::view {

/// The values that the instruction at `at` puts into shared memory, and their source in global memory, lane by lane;
/// empty for other instructions.
std::vector<Transfer> transfers_at(const run::TracedBlock& traced, const analysis::StepRef& at);

/// What the lane loads from global memory at `load` and stores into shared memory later in the same phase; empty for
/// other instructions.
std::vector<Transfer> later_transfers(const run::TracedBlock& traced, const analysis::StepRef& load, uint32_t lane);

/// From near, the values moving from the inputs to the tiles: while the stage moves to a store they travel there, while
/// it moves back they return; at rest a line shows the path of the viewed lane, at a load the one that its value will
/// take.
void add_transfers(const StageFrame& frame, Picture& picture);

}  // namespace tilescope::view
