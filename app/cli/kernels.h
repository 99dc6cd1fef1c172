#pragma once

namespace tilescope::cli {

/// `tilescope kernels`: the catalogue with parameters, ranges and defaults.
int run_kernels(bool json);

}  // namespace tilescope::cli
