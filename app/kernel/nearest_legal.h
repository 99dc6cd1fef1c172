#pragma once

#include <set>
#include <string>
#include <vector>

#include "base/diagnostic.h"
#include "kernel/description.h"
#include "kernel/model.h"

namespace tilescope::kernel {

/// The ways nearest to the values in `model`, at most three, the best first: other sizes, and the fewest parameters, up
/// to three. "Near" counts doublings. Parameters in `must_change` hold values outside their lists; among equals, those
/// in `chosen` come first. The work is bounded; empty if nothing is found. The model's values are as before when it
/// returns.
std::vector<FixIt> nearest_legal(Model& model, const Description& description, const std::set<std::string>& must_change,
                                 const std::set<std::string>& chosen);

/// "Nearest legal: TM = 8; or TN = 4." or that there is none.
Message nearest_sentence(const std::vector<FixIt>& ways);

/// "BM = 128, BN = 128 and TM = 32"
Message settings_text(const FixIt& changes);

}  // namespace tilescope::kernel
