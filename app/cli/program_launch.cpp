#include "cli/program_launch.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/file.h"
#include "base/text.h"
#include "compile/nvcc.h"
#include "program/nvcc.h"
#include "run/prepare.h"
#include "source/tokens.h"

namespace tilescope::cli {
namespace {

constexpr size_t kLargestSource = size_t{4} << 20;
constexpr double kSecondsUnasked = 30;
constexpr double kSecondsForOthers = 10;  // A window is to open soon.

/// Runs the file's program up to the launch that `request` captures.
Result<program::ProgramRun> run_program_of(const KernelOptions& options, program::ProgramRequest request,
                                           const run::Control& control) {
  const Result<arch::Limits> limits = arch::find_limits(std::string_view(options.arch));
  if (!limits) return limits.errors();
  std::vector<std::string> nvcc;
  for (const std::string& folder : options.include) nvcc.push_back("-I" + folder);
  const Result<program::CompiledProgram> compiled =
      program::CompiledProgram::compile(options.kernel, arch::target_name(*limits), nvcc, &interrupted());
  if (!compiled) return compiled.errors();
  request.file = compiled->file();
  request.arguments = options.program.arguments;
  request.captured = options.program.number();
  request.machine.limits = *limits;
  request.machine.device = arch::device_of(*limits);
  request.captured_kernel = options.entry;
  request.only_to_captured = true;
  request.name = std::filesystem::path(options.kernel).replace_extension().string();
  std::string said;
  const auto say = [&said](const std::string& sentence) { said += sentence + "\n"; };
  Result<program::ProgramRun> run = program::run_program(request, control, {say, [] {}});
  if (!run) return run.errors();
  if (run->captured_index) return run;
  const std::string of_kernel = options.entry.empty() ? std::string() : " of " + options.entry;
  if (run->out_of_time)
    return error(Message("{} was stopped after {:.0f} seconds, before launch {}{}; it had made {}. With --launch {} it "
                         "runs for as long as that takes.",
                         options.kernel, request.seconds, request.captured, of_kernel, run->launches.size(),
                         request.captured));
  std::string why;
  if (run->launches.empty() && request.arguments.empty())
    why = " It got no arguments: if it needs some, give them behind --.";
  if (run->status != 0)
    why += fmt::format(" It ended with status {}; tilescope run shows what it prints.", run->status);
  if (!said.empty()) why += "\n" + said;
  if (run->launches.empty()) return error(Message("{} launched no kernel.{}", options.kernel, why));
  return error(Message("{} made no launch {}{}; it made {}.{}", options.kernel, request.captured, of_kernel,
                       run->launches.size(), why));
}

}  // namespace

bool has_program(const std::string& file) {
  if (!file.ends_with(".cu") || compile::find_nvcc().empty()) return false;
  const Result<std::string> text = read_file(file, kLargestSource);
  return text && source::has_main(*text);
}

Result<bool> asks_program(const std::string& file, const ProgramChoice& choice) {
  if (choice.arguments.empty() || has_program(file)) return choice.is_made();
  return error(fmt::format("{}: arguments are for the main() of a .cu file that nvcc compiles; {}.",
                           choice.arguments.front(),
                           compile::find_nvcc().empty() ? "there is no nvcc here" : "no such file is given"));
}

Result<ProgramLaunch> run_to_launch(const KernelOptions& options, const run::Control& control) {
  program::ProgramRequest request;
  request.machine.checking = program::Checking::None;
  // Where nobody asked for it the answer comes sooner.
  request.captured_checking = !options.program.is_made() ? program::Checking::Sample : program::Checking::All;
  if (!options.program.is_made()) request.seconds = kSecondsUnasked;
  Result<program::ProgramRun> run = run_program_of(options, std::move(request), control);
  if (!run) return run.errors();
  const size_t index = *run->captured_index;
  ProgramLaunch launch{std::move(run->launches[index].report), std::move(run->captured.at(index)),
                       std::move(run->launches[index].clock)};
  launch.report.title = fmt::format("launch {} of {}", options.program.number(),
                                    std::filesystem::path(options.kernel).filename().string());
  launch.report.compiled_by = "nvcc";
  if (launch.report.source.empty())
    if (const Result<std::string> text = read_file(launch.report.file, kLargestSource))
      launch.report.source = lines_of(*text);
  launch.report.not_verified = run::Unverified::NotSaid;
  return launch;
}

Result<program::ProgramRun> run_past_launch(const KernelOptions& options, const run::Control& control) {
  program::ProgramRequest request;
  request.captures_all = true;
  request.seconds_after = kSecondsForOthers;
  return run_program_of(options, std::move(request), control);
}

}  // namespace tilescope::cli
