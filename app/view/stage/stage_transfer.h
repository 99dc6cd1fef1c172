#pragma once

#include "view/stage/stage_frame.h"

namespace tilescope::view {

/// The values that the instruction at `at` puts into shared memory, and where in global memory they came from, lane by
/// lane; none for any other instruction.
std::vector<Transfer> transfers_at(const run::TracedBlock& scene, const analysis::StepRef& at);

/// From near, the values on their way from the inputs to the tiles: while the stage moves on to a store they travel
/// there, while it moves back from one they return; at rest a line shows the way of the lane that is looked at.
void add_transfers(const StageFrame& frame, Picture& picture);

}  // namespace tilescope::view
