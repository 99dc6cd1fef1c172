#pragma once

#include <set>
#include <string>
#include <vector>

#include "kernel/description.h"
#include "kernel/model.h"

namespace tilescope::kernel {

/// One way to become legal: new values, to be taken together.
struct Change {
  std::string name;
  int64_t value = 0;
};
using Changes = std::vector<Change>;

/// The ways nearest to the values in `model`, at most three, the best first: other sizes, and the fewest parameters, up
/// to three. "Near" counts doublings. Parameters in `must_change` hold values outside their lists; among equals, those
/// in `chosen` come first. The work is bounded; empty when nothing is found. The model's values are as before when it
/// returns.
std::vector<Changes> nearest_legal(Model& model, const Description& description,
                                   const std::set<std::string>& must_change, const std::set<std::string>& chosen);

/// "Nearest legal: TM = 8; or TN = 4." or that there is none.
std::string to_sentence(const std::vector<Changes>& ways);

}  // namespace tilescope::kernel
