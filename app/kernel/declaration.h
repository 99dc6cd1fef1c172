#pragma once

#include <string>
#include <string_view>

#include "kernel/description.h"

namespace tilescope::kernel {

/// "__global__ void tile(const float *A, float *C, int M)": a kernel's declaration that takes the description's
/// arguments.
std::string declaration(const Description& description, std::string_view name);

}  // namespace tilescope::kernel
