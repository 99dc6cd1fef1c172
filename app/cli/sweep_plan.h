#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "kernel/catalogue.h"
#include "kernel/configuration.h"

namespace tilescope::cli {

/// A kernel with settings to measure.
struct SweepPoint {
  kernel::Kernel kernel;
  kernel::Settings settings;
  kernel::Size size;
};

struct SweepPlan {
  std::vector<SweepPoint> points;  ///< In the order in which they are measured.
  uint64_t illegal = 0;            ///< Combinations that a kernel does not allow.
};

/// "256..16384" (doubling), "256,512,1000", "M=256,N=128,K=64".
Result<std::vector<kernel::Size>> parse_sizes(const std::string& text);

/// Every combination of the values in "BM=32,64,128", "BN=64", ...; a single empty one for no texts.
Result<std::vector<kernel::Settings>> parse_set_lists(const std::vector<std::string>& texts);

/// All legal pairs of settings and sizes, each once.
void add_points(const kernel::Kernel& kernel, const std::vector<kernel::Settings>& settings,
                const std::vector<kernel::Size>& sizes, SweepPlan& plan);

}  // namespace tilescope::cli
