#pragma once

#include <string>

#include "analysis/bound.h"

namespace tilescope::wording {

/// The time of a resource with its numbers, "5 FMAs / (10 SMs * 128 lanes * 1 GHz)"; or which figure is missing.
std::string formula(const analysis::Bound& bound, analysis::Resource resource);

}  // namespace tilescope::wording
