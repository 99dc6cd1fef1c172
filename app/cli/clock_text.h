#pragma once

#include <string>

#include <nlohmann/json.hpp>

#include "cli/text.h"
#include "run/launch_clock.h"

namespace tilescope::cli {

/// "Where warps wait": the simulated clocks of a launch, and of each state of its warps the share; or why they are not
/// known.
std::string clock_text(const Result<run::LaunchClock>& clock, const Style& style);
/// The same: `clock` of `trace --json`.
nlohmann::ordered_json clock_json(const Result<run::LaunchClock>& clock);

}  // namespace tilescope::cli
