#pragma once

#include <string>

#include "run/report.h"

namespace tilescope::wording {

/// What may differ from the user's own build, where another compiler than nvcc compiled a user's file that has shared
/// memory; else empty.
std::string instead_of_nvcc_text(const run::Report& report);

}  // namespace tilescope::wording
