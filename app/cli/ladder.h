#pragma once

#include <string>

#include "cli/measure_options.h"

namespace tilescope::cli {

struct LadderCommand {
  std::string size = "4096";
  bool recorded = false;     ///< From the recordings that ship, without a GPU.
  bool predicted = false;    ///< From counts and a model, without a GPU.
  std::string gpu = "H200";  ///< That is predicted for.
  bool cpu = false;          ///< And what this machine's CPU takes.
  MeasureOptions options;
};

void add_ladder_command(CLI::App& command, LadderCommand& ladder);

/// `tilescope ladder`: all stages with their default parameters, beside cuBLAS.
int run_ladder(const LadderCommand& ladder);

}  // namespace tilescope::cli
