#pragma once

#include <string>
#include <vector>

#include "cli/measure_options.h"

namespace tilescope::cli {

struct SweepCommand {
  std::string kernel;                 ///< A number or name of the catalogue, or "all".
  std::vector<std::string> settings;  ///< "BM=32,64,128"
  std::string sizes = "4096";
  bool presets = false, sliders = false;
  std::string csv, json;  ///< Files.
  MeasureOptions options;
};

void add_sweep_command(CLI::App& command, SweepCommand& sweep);

/// `tilescope sweep`: every legal combination at every size; what the store has is not measured again, so a sweep that
/// was stopped goes on where it was.
int run_sweep(const SweepCommand& sweep);

}  // namespace tilescope::cli
