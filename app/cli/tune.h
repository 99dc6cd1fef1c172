#pragma once

#include <optional>
#include <string>

#include "cli/measure_options.h"

namespace tilescope::cli {

struct TuneCommand {
  std::string kernel;
  std::string size = "4096";
  std::optional<double> seconds;  ///< That may pass; none: as usual.
  bool predicted = false;         ///< By counts and a model, without a GPU.
  std::string gpu = "H200";       ///< That is predicted for.
  MeasureOptions options;
};

void add_tune_command(CLI::App& command, TuneCommand& tune);

/// `tilescope tune`: the fastest parameters of a kernel on this GPU.
int run_tune(const TuneCommand& tune);

}  // namespace tilescope::cli
