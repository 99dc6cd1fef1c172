#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/memory.h"

namespace tilescope::session {

/// One launch of the user's program, and what it did.
struct LaunchLine {
  std::string kernel;  ///< "tile<16>"
  Dim3 grid, block;
  std::optional<double> sectors;  ///< Per request to global memory; nullopt: it made none.
  std::optional<double> seconds;  ///< Predicted.
  uint64_t findings = 0;
  bool stopped = false;  ///< It did not end by itself.
  bool kept = false;     ///< With its data, so that it can be opened.
};

/// The launches of the user's program, in order.
struct LaunchList {
  std::string program;  ///< "sum.cu"
  std::vector<LaunchLine> lines;
  std::optional<size_t> shown;  ///< The open one; nullopt: another kernel is.
};

}  // namespace tilescope::session
