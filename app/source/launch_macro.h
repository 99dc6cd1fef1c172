#pragma once

#include <string>
#include <vector>

#include "source/headers.h"

namespace tilescope::source {

/// The text with macros expanded that launch a kernel, `#define RUN(k, n) k<<<n, 256>>>(...)`, and those that use them.
/// Everything else, including other macros and the line numbers, is unchanged.
std::string expand_launch_macros(const std::string& text, const std::vector<File>& headers);

}  // namespace tilescope::source
