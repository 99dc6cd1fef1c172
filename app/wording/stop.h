#pragma once

#include <string>

#include "run/report.h"

namespace tilescope::wording {

/// How the reader can avoid a limit: in the window only by a smaller size, in a program by a smaller problem; what is
/// graded has its sizes and its limit of instructions from the lesson.
enum class Advice : uint8_t { Window, CommandLine, Program, Grade };

/// "Block (0, 0) deadlocked: its threads wait for one another."
std::string stop_text(const run::Stop& stop, Advice advice);

/// "the run did not end by itself": why the result was not compared. The report must have a `not_verified`.
std::string unverified_text(const run::Report& report);

}  // namespace tilescope::wording
