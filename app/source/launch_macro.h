#pragma once

#include <string>
#include <vector>

#include "source/headers.h"

namespace tilescope::source {

/// The text with the macros in place that launch a kernel, `#define RUN(k, n) k<<<n, 256>>>(...)`, and those that use
/// them. All else, other macros too, stays as it stands; so do the lines.
std::string expand_launch_macros(const std::string& text, const std::vector<File>& headers);

}  // namespace tilescope::source
