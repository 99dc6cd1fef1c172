#pragma once

#include <string>

#include "run/report.h"

namespace tilescope::wording {

/// Where the reader can allow a run more: in the window by a smaller size alone, in a program by a smaller problem.
enum class Advice : uint8_t { Window, CommandLine, Program };

/// "Block (0, 0) deadlocked: its threads wait for one another."
std::string stop_text(const run::Stop& stop, Advice advice);

/// "the run did not end by itself": why nothing of the report's was compared. It must have a `not_verified`.
std::string unverified_text(const run::Report& report);

}  // namespace tilescope::wording
