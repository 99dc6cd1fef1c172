#pragma once

#include <string>

#include "run/traced_block.h"
#include "session/clock_run.h"
#include "view/tooltip/tooltip.h"

/// What a warp of a simulated SM does, in words.
namespace tilescope::view {

/// "long scoreboard": Nsight Compute's name, to be translated.
std::string_view stall_word(clock::Stall state);
/// "what it needs comes from global or local memory": the same.
std::string_view stall_meaning(clock::Stall state);

/// The load that the warp in that place waits for, or issues; null if it does neither.
const clock::Recording::Arrival* load_at(const clock::Recording& recording, const session::ClockPlace& place);

/// What the warp in that place does, since when, and who issues meanwhile; empty where there is no warp.
TooltipText clock_tooltip(const session::ClockRun& run, const run::TracedBlock& traced,
                          const session::ClockPlace& place);

}  // namespace tilescope::view
