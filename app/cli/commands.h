#pragma once

#include <functional>
#include <memory>

#include <CLI/CLI.hpp>

namespace tilescope::cli {

/// The chosen command; its result is the exit status.
using Action = std::function<int()>;

/// Adds a command with its options. When it is given, `chosen` becomes the function that runs it.
template <class Options>
void add_command(CLI::App& app, Action& chosen, const char* name, const char* about,
                 void (*add_options)(CLI::App&, Options&), int (*run)(const Options&)) {
  const auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand(name, about);
  add_options(*command, *options);
  command->callback([&chosen, options, run] { chosen = [options, run] { return run(*options); }; });
}

// The commands, in the order of --help.
void add_kernels(CLI::App& app, Action& chosen);
void add_trace(CLI::App& app, Action& chosen);
void add_check(CLI::App& app, Action& chosen);
void add_describe(CLI::App& app, Action& chosen);
void add_run(CLI::App& app, Action& chosen);
void add_measure(CLI::App& app, Action& chosen);
void add_sweep(CLI::App& app, Action& chosen);
void add_ladder(CLI::App& app, Action& chosen);
void add_tune(CLI::App& app, Action& chosen);
void add_doctor(CLI::App& app, Action& chosen);
void add_lesson(CLI::App& app, Action& chosen);
void add_grade(CLI::App& app, Action& chosen);
void add_window(CLI::App& app, Action& chosen);
void add_shot(CLI::App& app, Action& chosen);
void add_play(CLI::App& app, Action& chosen);
void add_manual(CLI::App& app, Action& chosen);
void add_completion(CLI::App& app, Action& chosen);

/// Without a command: the window; without a display the stages, one after another.
int run_default();

}  // namespace tilescope::cli
