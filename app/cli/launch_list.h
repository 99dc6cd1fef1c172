#pragma once

#include <string>

#include "program/host.h"
#include "window/window.h"

namespace tilescope::cli {

/// Lets the window show the program's launches and open those that were captured; it begins with number `shown` of
/// `run.launches`. `program`: the user's file. Errors: that launch cannot be opened.
Result<std::monostate> show_launches(program::ProgramRun run, size_t shown, const std::string& program,
                                     window::Options& options);

}  // namespace tilescope::cli
