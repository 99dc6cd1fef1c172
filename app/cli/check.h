#pragma once

#include "cli/kernel_options.h"

namespace tilescope::cli {

/// `tilescope check`: runs the four checkers over a whole grid. `options.size` may be empty: a small size is chosen.
int run_check(const KernelOptions& options);

}  // namespace tilescope::cli
