#pragma once

#include "view/stage/stage_frame.h"

namespace tilescope::view {

/// The values that the instruction at `at` puts into shared memory, and their source in global memory, lane by lane;
/// empty for other instructions.
std::vector<Transfer> transfers_at(const run::TracedBlock& traced, const analysis::StepRef& at);

/// From near, the values moving from the inputs to the tiles: while the stage moves to a store they travel there, while
/// it moves back they return; at rest a line shows the path of the viewed lane.
void add_transfers(const StageFrame& frame, Picture& picture);

}  // namespace tilescope::view
