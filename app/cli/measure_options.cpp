#include "cli/measure_options.h"

#include <sstream>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include "cli/option_checks.h"

namespace tilescope::cli {

void add_measure_options(CLI::App& command, MeasureOptions& options) {
  statistics::StoppingRule& stop = options.measure.stop;
  command.add_option("--min-samples", stop.min_samples, "Samples to take at least (default 10)")->check(whole_number());
  command.add_option("--min-time", stop.min_time, "Seconds of GPU time to sample at least (default 0.5)")
      ->check(number_between(0, 1e4));
  command
      .add_option("--max-noise", stop.max_noise,
                  "Standard deviation over mean to sample down to, as a part of 1 (default 0.005)")
      ->check(number_between(0, 1e4));
  command.add_option("--timeout", stop.timeout, "Seconds after which the samples so far must do (default 15)")
      ->check(number_between(0, 1e4));
  command
      .add_option(
          "--throttle-threshold", options.measure.throttle_threshold,
          "Drop samples whose clock is below this part of the highest (default 0.75; for tensor cores 0.8 times it)")
      ->check(number_between(0, 1));
  command.add_option("--launch-limit", options.measure.launch_limit, "Seconds that one launch may take (default 10)")
      ->check(number_between(0.01, 1e4));
  command.add_flag("--hot", options.measure.hot,
                   "Time windows of launches one after another, with what they leave in the L2 cache");
  command.add_option("--seed", options.measure.seed, "The same inputs each time: a whole number (default: others)")
      ->check(whole_number());
  command
      .add_option("--agent", options.agents,
                  "Command that starts an agent, for example \"ssh gpu-host tilescope-agent\"")
      ->allow_extra_args(false);
  command.add_option("--device", options.device, "Which of the agent's GPUs (default 0)")->check(whole_number(0, 999));
  command.add_flag("--again", options.again, "Measure also what the store has");
  command.add_flag("--json", options.json, "JSON instead of text");
}

void exclude_measuring(CLI::App& command, const std::vector<std::string>& flags) {
  for (const std::string& flag : flags)
    for (const char* option : {"--min-samples", "--min-time", "--max-noise", "--timeout", "--throttle-threshold",
                               "--launch-limit", "--hot", "--seed", "--agent", "--device", "--again"})
      command.get_option(flag)->excludes(option);
}

measure::Settings agent_settings(const MeasureOptions& options, const std::string& command) {
  measure::Settings settings;
  std::istringstream words(command);
  for (std::string word; words >> word;) settings.command.push_back(word);
  settings.device = options.device;
  return settings;
}

measure::Settings agent_settings(const MeasureOptions& options) {
  return agent_settings(options, options.agents.empty() ? "" : options.agents.front());
}

std::string time_text(double seconds) {
  if (seconds < 1e-3) return fmt::format("{:.2f} us", seconds * 1e6);
  if (seconds < 1) return fmt::format("{:.4g} ms", seconds * 1e3);
  return fmt::format("{:.4g} s", seconds);
}

}  // namespace tilescope::cli
