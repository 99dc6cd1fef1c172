#include "cli/command_line.h"

#include <algorithm>
#include <cstdio>
#include <functional>
#include <new>
#include <sstream>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <CLI/CLI.hpp>

#include "base/nearest.h"
#include "cli/check.h"
#include "cli/console.h"
#include "cli/doctor.h"
#include "cli/grade.h"
#include "cli/kernels.h"
#include "cli/ladder.h"
#include "cli/lesson.h"
#include "cli/measure.h"
#include "cli/option_checks.h"
#include "cli/play.h"
#include "cli/program.h"
#include "cli/shot.h"
#include "cli/sweep.h"
#include "cli/trace.h"
#include "cli/tune.h"
#include "cli/window.h"

namespace tilescope::cli {
namespace {

/// All commands with what their options are read into.
struct Commands {
  CLI::App app{"Runs a CUDA matrix multiplication on the CPU and says what it does.", "tilescope"};
  bool json = false;
  TraceOptions trace;
  KernelOptions check;
  ProgramOptions program;
  PlayOptions play;
  SceneOptions window;
  ShotOptions shot;
  LessonOptions lesson;
  int (*lesson_command)(const LessonOptions&) = nullptr;
  GradeOptions grade;
  MeasureCommand measure;
  SweepCommand sweep;
  LadderCommand ladder;
  TuneCommand tune;
  std::function<int()> chosen;

  Commands();

 private:
  void add_window();
  int run_default() const;
};

Commands::Commands() {
  app.set_version_flag("--version", "tilescope " TILESCOPE_VERSION);
  app.footer("Data goes to stdout, messages to stderr. Exit status: 0 fine, 1 a finding, 2 usage or bad input.");
  chosen = [this] { return run_default(); };

  CLI::App* kernels = app.add_subcommand("kernels", "The catalogue with parameters, ranges and defaults");
  kernels->add_flag("--json", json, "One JSON object instead of text");
  kernels->callback([this] { chosen = [this] { return run_kernels(json); }; });

  CLI::App* trace_command = app.add_subcommand("trace", "Compile, emulate, verify and count one kernel");
  add_trace_options(*trace_command, trace);
  trace_command->callback([this] { chosen = [this] { return run_trace(trace); }; });

  CLI::App* check_command =
      app.add_subcommand("check", "Run memcheck, racecheck, initcheck and synccheck on one kernel");
  add_kernel_options(*check_command, check);
  check_command->callback([this] { chosen = [this] { return run_check(check); }; });

  CLI::App* program_command = app.add_subcommand(
      "run", "Run a CUDA program of yours without a GPU: its main(), its kernels emulated and checked");
  add_program_options(*program_command, program);
  program_command->callback([this] { chosen = [this] { return run_program_command(program); }; });

  CLI::App* measure_command = app.add_subcommand("measure", "Check one kernel on the GPU and time it beside cuBLAS");
  add_measure_command(*measure_command, measure);
  measure_command->callback([this] { chosen = [this] { return run_measure(measure); }; });

  CLI::App* sweep_command = app.add_subcommand("sweep", "Measure many parameter values and sizes");
  add_sweep_command(*sweep_command, sweep);
  sweep_command->callback([this] { chosen = [this] { return run_sweep(sweep); }; });

  CLI::App* ladder_command = app.add_subcommand("ladder", "Measure all stages and compare them with cuBLAS");
  add_ladder_command(*ladder_command, ladder);
  ladder_command->callback([this] { chosen = [this] { return run_ladder(ladder); }; });

  CLI::App* tune_command = app.add_subcommand("tune", "Find a kernel's fastest parameters on the GPU");
  add_tune_command(*tune_command, tune);
  tune_command->callback([this] { chosen = [this] { return run_tune(tune); }; });

  CLI::App* doctor = app.add_subcommand("doctor", "What is on this machine and what is not, and what that means");
  doctor->add_flag("--json", json, "One JSON object instead of text");
  doctor->callback([this] { chosen = [this] { return run_doctor(json); }; });

  CLI::App* lesson_app = app.add_subcommand("lesson", "The lessons: list, show, check, play, sheet, export, collect");
  add_lesson_commands(*lesson_app, lesson, lesson_command);
  lesson_app->callback([this] { chosen = [this] { return lesson_command(lesson); }; });

  CLI::App* grade_command = app.add_subcommand("grade", "Mark a kernel by the rules of a lesson");
  add_grade_options(*grade_command, grade);
  grade_command->callback([this] { chosen = [this] { return run_grade(grade); }; });

  add_window();
  CLI::App* play_command = app.add_subcommand(
      "play", "Emulate the stages one after another and compare them (the default without a display)");
  play_command->add_option("--size", play.size, "256, or M=256,N=128,K=64");
  play_command->add_option("--arch", play.arch, "Compile for this architecture (default sm_90)");
  play_command->add_flag("--json", play.json, "One JSON object instead of text");
  play_command->callback([this] { chosen = [this] { return run_play(play); }; });
}

void Commands::add_window() {
  CLI::App* window_command = app.add_subcommand("window", "Open the window (the default where there is a display)");
  add_scene_options(*window_command, window);
  window_command->callback([this] { chosen = [this] { return open_window(window); }; });

  CLI::App* shot_command = app.add_subcommand("shot", "Render the window into a PNG without showing it");
  add_shot_options(*shot_command, shot);
  shot_command->callback([this] { chosen = [this] { return run_shot(shot); }; });
}

int Commands::run_default() const {
  if (tilescope::window::has_display()) return open_window(window);
  std::fputs("There is no display for the window, so the stages run here; tilescope --help lists the commands.\n",
             stderr);
  return run_play(play);
}

std::vector<std::string> command_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* command : app.get_subcommands({})) names.push_back(command->get_name());
  return names;
}

std::string suggestion(const std::string& nearest) {
  return nearest.empty() ? "" : fmt::format(" Did you mean {}?", nearest);
}

/// The sentence for a first argument that is not a command; empty when it is one or is an option.
std::string unknown_command(const CLI::App& app, const std::vector<std::string>& arguments) {
  if (arguments.empty() || arguments.front().starts_with('-')) return {};
  const std::vector<std::string> names = command_names(app);
  if (std::find(names.begin(), names.end(), arguments.front()) != names.end()) return {};
  return fmt::format("There is no command {}.{} The commands are {}.", arguments.front(),
                     suggestion(nearest_name(arguments.front(), names)), fmt::join(names, ", "));
}

/// " Did you mean --size?" for the first long option that the chosen command does not have.
std::string nearest_option(const CLI::App& app, const std::vector<std::string>& arguments) {
  const std::vector<CLI::App*> chosen = app.get_subcommands();
  const CLI::App& command = chosen.empty() ? app : *chosen.front();
  std::vector<std::string> names;
  for (const CLI::Option* option : command.get_options())
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  for (const std::string& argument : arguments) {
    const std::string name = argument.substr(0, argument.find('='));
    if (name.starts_with("--") && std::find(names.begin(), names.end(), name) == names.end())
      return suggestion(nearest_name(name, names));
  }
  return {};
}

}  // namespace

int run(int argc, char** argv) {
  set_up_streams();
  Commands commands;
  std::vector<std::string> given(argv + 1, argv + argc);
  if (!given.empty() && given.front() == "run") commands.program.arguments = split_off_program_arguments(given);
  const std::vector<std::string> arguments = with_settings_apart(given);
  if (const std::string problem = empty_argument(arguments); !problem.empty()) return fail(problem);
  if (const std::string problem = unknown_command(commands.app, arguments); !problem.empty()) return fail(problem);
  try {
    commands.app.parse(
        std::vector<std::string>(arguments.rbegin(), arguments.rend()));  // CLI11 takes the last one first.
  } catch (const CLI::Success& help) {
    std::ostringstream text;
    commands.app.exit(help, text, text);
    return finish(text.str(), kFine);
  } catch (const CLI::ParseError& problem) {
    const bool program_arguments =
        !given.empty() && given.front() == "run" && dynamic_cast<const CLI::ExtrasError*>(&problem);
    return fail(fmt::format("{}.{}{} tilescope --help lists the options.", problem.what(),
                            nearest_option(commands.app, arguments),
                            program_arguments ? " What the program itself is to get stands behind --." : ""));
  }
  try {
    return commands.chosen();
  } catch (const std::bad_alloc&) {
    return fail("There is too little memory for this; choose a smaller --size or fewer --threads.");
  }
}

}  // namespace tilescope::cli
