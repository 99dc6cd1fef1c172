#include "cli/program.h"

#include <algorithm>
#include <cstdio>

#include <fmt/format.h>
#include <unistd.h>
#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "base/file.h"
#include "cli/commands.h"
#include "cli/console.h"
#include "cli/launch_list.h"
#include "cli/option_checks.h"
#include "program/nvcc.h"
#include "run/prepare.h"
#include "window/window.h"

namespace tilescope::cli {
namespace {

struct ProgramOptions {
  std::string program;                 ///< A .cu file, or a program built by nvcc.
  std::vector<std::string> arguments;  ///< Of the program.
  std::vector<std::string> nvcc;       ///< Options for nvcc.
  std::string arch = "sm_90";
  std::string check = "sample";
  std::string json;  ///< A file, or - for stdout; empty: a table on stderr.
  int error_exitcode = 0;
  size_t window = 0;  ///< The launch to open the window on, from 1; 0: none.
  unsigned threads = 0;
};

constexpr int kSignalBase = 128;  // As a shell reports that a signal ended a program.

program::Checking checking_of(const std::string& name) {
  return name == "all" ? program::Checking::All : name == "none" ? program::Checking::None : program::Checking::Sample;
}

Result<program::Machine> machine_of(const ProgramOptions& options) {
  const Result<arch::Limits> limits = arch::find_limits(std::string_view(options.arch));
  if (!limits) return limits.errors();
  return program::Machine{*limits, arch::device_of(*limits), checking_of(options.check)};
}

int exit_status(const program::ProgramRun& run, int error_exitcode) {
  if (run.signal != 0) return kSignalBase + run.signal;
  const auto counts = [](const program::FailedCall& call) { return call.counts; };
  const bool found = std::any_of(run.failed.begin(), run.failed.end(), counts) || !run.refused.empty() ||
                     !run.unknown.empty() ||
                     std::any_of(run.launches.begin(), run.launches.end(),
                                 [](const auto& launch) { return !launch.report.is_clean(); });
  return run.status == 0 && found ? error_exitcode : run.status;
}

int report(const ProgramOptions& options, const program::ProgramRequest& request, const program::ProgramRun& run) {
  const int status = exit_status(run, options.error_exitcode);
  if (options.json.empty()) {
    std::fputs(program_text(run, request.machine, terminal_style(STDERR_FILENO)).c_str(), stderr);
    return status;
  }
  const std::string text = to_text(program_json(run, options.program, request));
  if (options.json == "-") return finish(text, status);
  const Result<std::monostate> written = write_file(options.json, text);
  if (!written) return fail(written.errors());
  std::fprintf(stderr, "tilescope: The report is in %s.\n", options.json.c_str());
  return status;
}

/// The window on the launch that was asked for, with the list of all; the program has ended.
int show_launch(const ProgramOptions& options, program::ProgramRun run) {
  if (!run.captured_index)
    return fail(fmt::format("--window {}: the program launched {}.", options.window,
                            run.launches.empty() ? "nothing" : fmt::format("{} times", run.launches.size())));
  const size_t first = *run.captured_index;
  window::Options shown;
  shown.state.arch = options.arch;
  shown.use_state = true;
  if (const auto listed = show_launches(std::move(run), first, options.program, shown); !listed)
    return fail(listed.errors());
  return window::run_window(shown);
}

int run_executable(const ProgramOptions& options, program::ProgramRequest request) {
  ProgressLine line("tilescope: ");
  run::Control control = control_for(line);
  control.threads = options.threads;
  control.seconds = 1e6;  // A launch may take long, but not a single block.
  const auto say = [&line](const std::string& sentence) {
    line.clear();
    std::fprintf(stderr, "tilescope: %s\n", sentence.c_str());
  };
  const auto after_launch = [&line] { line.clear(); };
  Result<program::ProgramRun> run = program::run_program(request, control, {say, after_launch});
  line.clear();
  if (!run) return fail(run.errors());
  const int status = report(options, request, *run);
  return options.window ? show_launch(options, std::move(*run)) : status;
}

void add_program_options(CLI::App& command, ProgramOptions& options) {
  command.add_option("program", options.program, "A .cu file with main(), or what nvcc -cudart shared made of one")
      ->required();
  command.add_option("arguments", options.arguments, "What the program gets; its options behind --");
  command.add_option("--nvcc", options.nvcc, "An option for nvcc, --nvcc=-I../common; may be repeated")
      ->allow_extra_args(false);
  command.add_option("--arch", options.arch, "The GPU to be (default sm_90)");
  command
      .add_option("--check", options.check,
                  "What racecheck and initcheck watch: none, sample (default: all blocks of a small launch, some of a "
                  "large one, a launch that repeats twice), all")
      ->check(CLI::IsMember({"none", "sample", "all"}));
  command
      .add_option("--error-exitcode", options.error_exitcode,
                  "Exit with this if there is a finding, a call that failed or is not known or a kernel that cannot "
                  "run, and the program "
                  "itself ended with 0")
      ->check(whole_number(0, 255));
  command.add_option("--threads", options.threads, "Threads to emulate with (default: one for each processor)")
      ->check(whole_number(1, 1024));
  command.add_flag(
      "--window{1}", options.window,
      "When the program has ended, open the window on its first launch, with a list of all; --window=3: on the third");
  command.add_option("--json", options.json, "Write one JSON object to this file, - for stdout, instead of the table");
  command.footer(
      "Arguments after -- go to the program. It runs as you, with your rights and your files: run only programs that "
      "you would run directly. The exit status is the program's own.");
}

/// `tilescope run`: runs the user's own program and executes its kernels here. The exit status is the program's own;
/// see docs/run.md.
int run_program_command(const ProgramOptions& options) {
  const Result<program::Machine> machine = machine_of(options);
  if (!machine) return fail(machine.errors());
  program::ProgramRequest request{options.program, options.arguments, *machine, options.window};
  request.captures_all = options.window > 0;
  if (request.file.extension() != ".cu" && !options.nvcc.empty())
    return fail("--nvcc is for a .cu file; " + options.program + " is compiled already.");
  if (request.file.extension() != ".cu") return run_executable(options, std::move(request));
  const Result<program::CompiledProgram> compiled = [&] {
    const ProgressLine line("tilescope: nvcc ");
    return program::CompiledProgram::compile(request.file, arch::target_name(machine->limits), options.nvcc,
                                             &interrupted());
  }();
  if (!compiled) return fail(compiled.errors());
  request.file = compiled->file();
  request.name = std::filesystem::path(options.program).replace_extension().string();
  return run_executable(options, std::move(request));
}

}  // namespace

void add_run(CLI::App& app, Action& chosen) {
  add_command(app, chosen, "run",
              "Run a CUDA program of yours without a GPU: its main(), its kernels emulated and checked",
              add_program_options, run_program_command);
}

}  // namespace tilescope::cli
