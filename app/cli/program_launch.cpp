#include "cli/program_launch.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/file.h"
#include "base/text.h"
#include "program/nvcc.h"
#include "run/prepare.h"
#include "source/tokens.h"

namespace tilescope::cli {
namespace {

constexpr size_t kLargestSource = size_t{4} << 20;

bool has_main(const std::string& text) {
  const source::Tokens tokens = source::tokenize(text);
  for (size_t i = 0; i + 1 < tokens.size(); ++i)
    if (source::text_of(text, tokens[i]) == "main" && source::text_of(text, tokens[i + 1]) == "(") return true;
  return false;
}

}  // namespace

bool has_program(const std::string& file) {
  if (!file.ends_with(".cu") || program::find_nvcc().empty()) return false;
  const Result<std::string> text = read_file(file, kLargestSource);
  return text && has_main(*text);
}

Result<ProgramLaunch> run_to_launch(const KernelOptions& options, size_t number, const run::Control& control) {
  const Result<arch::Limits> limits = arch::find_limits(std::string_view(options.arch));
  if (!limits) return limits.errors();
  std::vector<std::string> nvcc{"-lcublas", "-lcublasLt", "-lcurand"};  // Nobody can say which it needs.
  for (const std::string& folder : options.include) nvcc.push_back("-I" + folder);
  const Result<program::CompiledProgram> compiled =
      program::CompiledProgram::compile(options.kernel, arch::target_name(*limits), nvcc);
  if (!compiled) return compiled.errors();
  program::ProgramRequest request{
      compiled->file(), {}, {*limits, arch::device_of(*limits), program::Checking::None}, number};
  request.captured_kernel = options.entry;
  request.only_to_captured = true;
  request.name = std::filesystem::path(options.kernel).replace_extension().string();
  std::string said;
  const auto say = [&said](const std::string& sentence) { said += sentence + "\n"; };
  Result<program::ProgramRun> run = program::run_program(request, control, {say, [] {}});
  if (!run) return run.errors();
  if (!run->captured_index)
    return error(Message("{} made no launch {}{}; it made {}.{}", options.kernel, number,
                         options.entry.empty() ? std::string() : " of " + options.entry, run->launches.size(),
                         said.empty() ? said : "\n" + said));
  ProgramLaunch launch{std::move(run->launches[*run->captured_index].report), std::move(*run->captured)};
  launch.report.title =
      fmt::format("launch {} of {}", number, std::filesystem::path(options.kernel).filename().string());
  launch.report.compiled_by = "nvcc";
  if (launch.report.source.empty())
    if (const Result<std::string> text = read_file(launch.report.file, kLargestSource))
      launch.report.source = lines_of(*text);
  launch.report.not_verified = run::Unverified::NotSaid;
  return launch;
}

}  // namespace tilescope::cli
