#include "cli/command_line.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <new>
#include <sstream>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <CLI/CLI.hpp>

#include "base/nearest.h"
#include "cli/commands.h"
#include "cli/console.h"
#include "cli/kernel_options.h"
#include "cli/option_checks.h"
#include "compile/compile.h"
#include "window/window.h"

namespace tilescope::cli {
namespace {

constexpr auto kCommands = {add_kernels, add_trace,  add_check, add_describe, add_run,       add_measure,
                            add_sweep,   add_ladder, add_tune,  add_doctor,   add_lesson,    add_grade,
                            add_window,  add_shot,   add_play,  add_manual,   add_completion};

std::vector<std::string> command_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* command : app.get_subcommands({})) names.push_back(command->get_name());
  return names;
}

std::string suggestion(const std::string& nearest) {
  return nearest.empty() ? "" : fmt::format(" Did you mean {}?", nearest);
}

/// FILE.cu alone is `window FILE.cu`, or without a display `trace FILE.cu`; `help COMMAND` is `COMMAND --help`, and -V
/// is --version.
std::vector<std::string> spelled_out(std::vector<std::string> arguments) {
  if (arguments.empty()) return arguments;
  std::string& first = arguments.front();
  if (names_a_file(first))
    arguments.insert(arguments.begin(), window::has_display() ? "window" : "trace");
  else if (first == "-V")
    first = "--version";
  else if (first == "help" && arguments.size() == 1)
    first = "--help";
  else if (first == "help") {
    arguments.erase(arguments.begin());
    arguments.insert(arguments.begin() + 1, "--help");
  }
  return arguments;
}

/// The sentence for a first argument that is not a command; empty for a command or an option.
std::string unknown_command(const CLI::App& app, const std::vector<std::string>& arguments) {
  if (arguments.empty() || arguments.front().starts_with('-')) return {};
  const std::vector<std::string> names = command_names(app);
  if (std::find(names.begin(), names.end(), arguments.front()) != names.end()) return {};
  return fmt::format("There is no command {}.{} The commands are {}.", arguments.front(),
                     suggestion(nearest_name(arguments.front(), names)), fmt::join(names, ", "));
}

/// The sentence for an invalid $TILESCOPE_COMPILER; empty if it is valid or not set.
std::string unknown_compiler() {
  const char* chosen = std::getenv("TILESCOPE_COMPILER");
  if (!chosen || compile::parse_choice(chosen)) return {};
  return fmt::format("TILESCOPE_COMPILER is \"{}\"; it may be nvrtc, prebuilt, clang or nvcc, or not be set.", chosen);
}

/// That of the arguments, "lesson show", or all of tilescope.
const CLI::App& chosen_command(const CLI::App& app) {
  const std::vector<CLI::App*> chosen = app.get_subcommands();
  return chosen.empty() ? app : chosen_command(*chosen.front());
}

/// "tilescope lesson show"
std::string name_of(const CLI::App& command) {
  const CLI::App* const parent = command.get_parent();
  return parent ? fmt::format("{} {}", name_of(*parent), command.get_name()) : command.get_name();
}

/// " Did you mean --size?" for the first long option that the chosen command does not have.
std::string nearest_option(const CLI::App& app, const std::vector<std::string>& arguments) {
  std::vector<std::string> names;
  for (const CLI::Option* option : chosen_command(app).get_options())
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  for (const std::string& argument : arguments) {
    const std::string name = argument.substr(0, argument.find('='));
    if (name.starts_with("--") && std::find(names.begin(), names.end(), name) == names.end())
      return suggestion(nearest_name(name, names));
  }
  return {};
}

/// CLI11's "Could not convert: --width = abc" in words like those of the other refusals.
std::string sentence_of(const CLI::ParseError& problem) {
  constexpr std::string_view kBefore = "Could not convert: ", kBetween = " = ";
  const std::string words = problem.what();
  const size_t between = words.find(kBetween);
  if (!words.starts_with(kBefore) || between == std::string::npos) return words + ".";
  return fmt::format("{}: {} is not a number.", words.substr(kBefore.size(), between - kBefore.size()),
                     words.substr(between + kBetween.size()));
}

/// Takes -- and everything after it from the arguments of `run`, to pass them to the user's program.
std::vector<std::string> split_off_program_arguments(std::vector<std::string>& arguments) {
  if (arguments.empty() || arguments.front() != "run") return {};
  const auto at = std::find(arguments.begin(), arguments.end(), "--");
  std::vector<std::string> rest(at, arguments.end());
  arguments.erase(at, arguments.end());
  return rest;
}

/// Whether the result goes to stdout as JSON. `run` writes its object to a file, unless that is -.
bool wants_json(const std::vector<std::string>& arguments) {
  const bool of_program = !arguments.empty() && arguments.front() == "run";
  for (size_t i = 0; i < arguments.size() && arguments[i] != "--"; ++i) {
    if (arguments[i] == "--json" && (!of_program || (i + 1 < arguments.size() && arguments[i + 1] == "-"))) return true;
    if (arguments[i] == "--json=-") return true;
  }
  return false;
}

int run_command(int argc, char** argv) {
  CLI::App app{"Runs a CUDA matrix multiplication on the CPU and says what it does.", "tilescope"};
  app.set_version_flag("--version", "tilescope " TILESCOPE_VERSION);
  app.footer("Data goes to stdout, messages to stderr. Exit status: 0 fine, 1 a finding, 2 usage or bad input.");
  Action chosen = run_default;
  for (const auto add : kCommands) add(app, chosen);
  std::vector<std::string> given(argv + 1, argv + argc);
  const std::vector<std::string> of_program = split_off_program_arguments(given);
  std::vector<std::string> arguments = spelled_out(with_settings_apart(given));
  if (const std::string problem = empty_argument(arguments); !problem.empty()) return fail(problem);
  if (const std::string problem = unknown_command(app, arguments); !problem.empty()) return fail(problem);
  if (const std::string problem = unknown_compiler(); !problem.empty()) return fail(problem);
  arguments.insert(arguments.end(), of_program.begin(), of_program.end());
  try {
    app.parse(std::vector<std::string>(arguments.rbegin(), arguments.rend()));  // CLI11 expects the last one first.
  } catch (const CLI::Success& help) {
    std::ostringstream text;
    app.exit(help, text, text);
    return finish(text.str(), kFine);
  } catch (const CLI::ParseError& problem) {
    const bool program_arguments =
        !given.empty() && given.front() == "run" && dynamic_cast<const CLI::ExtrasError*>(&problem);
    return fail(fmt::format("{}{}{} {} --help lists the options.", sentence_of(problem), nearest_option(app, arguments),
                            program_arguments ? " Arguments for the program itself come after --." : "",
                            name_of(chosen_command(app))));
  }
  try {
    return chosen();
  } catch (const std::bad_alloc&) {
    return fail("There is too little memory for this; choose a smaller --size or fewer --threads.");
  }
}

}  // namespace

int run(int argc, char** argv) {
  set_up_streams();
  const int status = run_command(argc, argv);
  return wants_json({argv + 1, argv + argc}) ? finish_in_json(status) : status;
}

}  // namespace tilescope::cli
