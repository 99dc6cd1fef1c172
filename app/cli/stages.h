#pragma once

#include <string>
#include <vector>

#include "kernel/catalogue.h"
#include "kernel/configuration.h"

namespace tilescope::cli {

/// The catalogue's kernels that run at a size with their defaults, in its order.
struct Stages {
  std::vector<kernel::Kernel> legal;
  Diagnostics skipped;  ///< A note for each of the others: why it does not support the size or the architecture.
};
Stages stages_at(const kernel::Catalogue& catalogue, const kernel::Size& size, const std::string& arch);

}  // namespace tilescope::cli
