#pragma once

#include <cstdint>
#include <string>

namespace tilescope::store {

/// A product of matrices of floats on this machine's CPU, measured here.
struct CpuProduct {
  std::string name;      ///< "plain loops", "OpenBLAS"
  unsigned threads = 1;  ///< Threads used.
  int64_t m = 0, n = 0, k = 0;
  double seconds = 0;  ///< Median of three.
  double gflops() const {
    return 2e-9 * static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(k) / seconds;
  }
};

}  // namespace tilescope::store
