#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "kernel/configuration.h"

/// What this machine's CPU takes for the same product, for the ladder's first rows.
namespace tilescope::cli {

/// A product of matrices of floats, measured here.
struct CpuProduct {
  std::string name;      ///< "plain loops", "OpenBLAS"
  unsigned threads = 1;  ///< That may work on it.
  kernel::Size size;     ///< What was multiplied: the ladder's size, or as much of it as takes a second or so.
  double seconds = 0;    ///< Median of three.
  double gflops() const;
};

/// Three plain loops in one thread, and OpenBLAS on all cores where its library is installed.
std::vector<CpuProduct> measure_cpu(const kernel::Size& size);

/// Cells of the ladder's table: name, what was multiplied, ms, GFLOPS.
std::vector<std::string> cpu_row(const CpuProduct& product);
nlohmann::ordered_json to_json(const CpuProduct& product);

}  // namespace tilescope::cli
