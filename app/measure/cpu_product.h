#pragma once

#include <atomic>
#include <vector>

#include "kernel/configuration.h"
#include "store/cpu_product.h"

namespace tilescope::measure {

/// What this machine's CPU takes for a product, for the ladder's first rows: three plain loops in one thread, and
/// OpenBLAS on all cores where its library is installed. Of a larger size as much as takes a second or so. Takes
/// seconds; gives what is done when `cancel` is set.
std::vector<store::CpuProduct> measure_cpu(const kernel::Size& size, const std::atomic<bool>& cancel);

}  // namespace tilescope::measure
