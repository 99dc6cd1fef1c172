#pragma once

#include <optional>

#include "run/traced_block.h"
#include "session/clock_run.h"

/// Where the cursor's instruction is in a recording, and back. Machine instructions carry the line of PTX that ptxas
/// made them from; the n-th of a line's that a warp issues is of the execution of that line that is as far in its own.
namespace tilescope::session {

/// The step of the traced block's warp of the same number, at what the warp in that place issues or waits to issue.
/// Nullopt: there is no warp, or ptxas made the instruction from no line.
std::optional<analysis::StepRef> step_of(const ClockRun& run, const run::TracedBlock& traced, const ClockPlace& place);

/// Where the block that the slot of `near` holds at that time issues the step, or what the steps after it are made of.
/// Nullopt: the recording does not have it.
std::optional<ClockPlace> place_of(const ClockRun& run, const run::TracedBlock& traced, const analysis::StepRef& step,
                                   const ClockPlace& near);

/// Where the picture opens: at the start of the middle one of the SM's blocks, or of the last of the first round if
/// that is later, so that the SM is full.
ClockPlace opening_place(const clock::Recording& recording);

/// The place that many clocks on, in the same slot.
ClockPlace moved(const clock::Recording& recording, ClockPlace place, int64_t clocks);
/// Where the slot's warp issues next, or before; the same place if it does not.
ClockPlace moved_by_issues(const clock::Recording& recording, ClockPlace place, int count);

}  // namespace tilescope::session
