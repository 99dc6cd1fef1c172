#pragma once

#include "cli/kernel_options.h"
#include "cli/measure_options.h"

namespace tilescope::cli {

struct MeasureCommand {
  KernelOptions kernel;
  MeasureOptions options;
};

void add_measure_command(CLI::App& command, MeasureCommand& measure);

/// `tilescope measure`: one kernel on the GPU, checked against cuBLAS and timed beside it.
int run_measure(const MeasureCommand& measure);

}  // namespace tilescope::cli
