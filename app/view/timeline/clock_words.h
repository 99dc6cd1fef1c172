#pragma once

#include <string>

#include "session/clock_run.h"
#include "view/tooltip/tooltip.h"

/// What a warp of a simulated SM does, in words.
namespace tilescope::view {

/// "what it needs comes from global or local memory", to be translated.
std::string_view stall_meaning(clock::Stall state);

/// The units whose use is shown: issue slots, FMA pipe or tensor cores where these are used, data path, L2.
constexpr size_t kClockUnits = 4, kMathUnit = 1;
/// "data path", to be translated, and what its use is of.
std::string_view unit_word(const clock::Recording& recording, size_t unit);
std::string_view unit_meaning(const clock::Recording& recording, size_t unit);

/// The load that the warp in that place waits for, or issues; null if it does neither.
const clock::Recording::Arrival* load_at(const clock::Recording& recording, const session::ClockPlace& place);

/// The clock in which the slot's warp of that block begins; the end of the block if it does not.
int32_t start_of(const clock::Recording& recording, const clock::Recording::Resident& block, uint32_t slot);

/// What the warp in that place does, since when, and who issues meanwhile, or when it begins or has ended; empty where
/// there is no block.
TooltipText clock_tooltip(const session::ClockRun& run, const std::string& source, const session::ClockPlace& place);
/// What that reason means, and how much of a warp's time it is.
TooltipText reason_tooltip(const session::ClockRun& run, clock::Stall reason);

}  // namespace tilescope::view
