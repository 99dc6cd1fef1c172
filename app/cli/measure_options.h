#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "cli/kernel_options.h"
#include "measure/measurer.h"

namespace tilescope::cli {

/// Options of the commands that measure.
struct MeasureOptions {
  protocol::MeasureOptions measure;
  std::vector<std::string> agents;  ///< Commands that start an agent; empty: from the settings.
  int device = 0;
  bool again = false;
  bool json = false;
};

/// Adds the options; those that say when to stop have nvbench's names.
void add_measure_options(CLI::App& command, MeasureOptions& options);

/// Makes these flags refuse options that matter only for measuring.
void exclude_measuring(CLI::App& command, const std::vector<std::string>& flags);

/// How to reach the agent that `command` starts; an empty command means the usual one.
measure::Settings agent_settings(const MeasureOptions& options, const std::string& command);
/// The same with the first command of --agent.
measure::Settings agent_settings(const MeasureOptions& options);

/// "0.3412 ms", "12.31 us"
std::string time_text(double seconds);

}  // namespace tilescope::cli
