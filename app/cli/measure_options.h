#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "cli/kernel_options.h"
#include "measure/measurer.h"
#include "store/store.h"

namespace tilescope::cli {

/// What the commands that measure have in common.
struct MeasureOptions {
  protocol::MeasureOptions measure;
  std::vector<std::string> agents;  ///< Commands that start an agent; empty: the settings' own.
  int device = 0;
  bool again = false;
  bool json = false;
};

/// Adds the options; the names of those that say when to stop are nvbench's.
void add_measure_options(CLI::App& command, MeasureOptions& options);

/// Has these flags refuse what only a measurement heeds.
void exclude_measuring(CLI::App& command, const std::vector<std::string>& flags);

/// How to reach the agent that `command` starts; an empty command is the usual one.
measure::Settings agent_settings(const MeasureOptions& options, const std::string& command);

/// The first command of --agent; empty when there is none.
std::string first_agent(const MeasureOptions& options);

/// The store of this machine. When there is none to be had, that is said on stderr and nothing is kept.
std::optional<store::Store> open_default_store();

/// "0.3412 ms", "12.31 us"
std::string time_text(double seconds);

}  // namespace tilescope::cli
