#pragma once

#include <atomic>
#include <vector>

#include "kernel/configuration.h"
#include "store/cpu_product.h"

namespace tilescope::measure {

/// Times a product on this machine's CPU, for the ladder's first rows: three plain loops in one thread, and OpenBLAS on
/// all cores if its library is installed. At larger sizes only a part that takes a second or so. Takes seconds; returns
/// what is done if `cancel` is set.
std::vector<store::CpuProduct> measure_cpu(const kernel::Size& size, const std::atomic<bool>& cancel);

}  // namespace tilescope::measure
