#pragma once

#include <string>

#include "cli/kernel_options.h"

namespace tilescope::cli {

struct TraceOptions {
  KernelOptions kernel;
  std::string block;  ///< "x,y"; empty: the whole grid.
  bool ptx = false;
};

void add_trace_options(CLI::App& command, TraceOptions& options);

/// `tilescope trace`: runs a kernel and reports what it did.
int run_trace(const TraceOptions& options);

}  // namespace tilescope::cli
