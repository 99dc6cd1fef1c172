#pragma once

#include <string>
#include <vector>

#include "store/measurement.h"

namespace tilescope::cli {

/// "31300.5"; "-" for what is no matrix product.
std::string gflops_text(const store::Measurement& measurement);
/// "59.8 %" of what it was timed beside; "-" if it was not.
std::string part_text(const store::Measurement& measurement);
/// The heading of a column of part_text(): "of cuBLAS", or "of a copy" where no product is among them.
std::string part_heading(const std::vector<store::Measurement>& measurements);

}  // namespace tilescope::cli
