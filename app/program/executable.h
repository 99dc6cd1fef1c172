#pragma once

#include <filesystem>
#include <string_view>

#include "base/diagnostic.h"

namespace tilescope::program {

/// Why a program cannot be run here; empty if it can. Checks: not an executable of this machine, the static CUDA
/// runtime in it, a runtime of another version.
Diagnostics check_executable(const std::filesystem::path& file, std::string_view bytes);

}  // namespace tilescope::program
