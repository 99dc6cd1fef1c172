#include "cli/kernel_options.h"

#include <cstdio>
#include <cstdlib>
#include <filesystem>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include "base/file.h"
#include "cli/option_checks.h"

namespace tilescope::cli {
namespace {

constexpr unsigned kMostThreads = 1024;

Result<kernel::Settings> collect_settings(const KernelOptions& options, const kernel::Description& description) {
  kernel::Settings settings;
  if (!options.preset.empty()) {
    Result<kernel::Settings> preset = kernel::preset_settings(description, options.preset);
    if (!preset) return preset.errors();
    settings = std::move(*preset);
  }
  for (const std::string& text : options.settings)
    if (const Result<std::monostate> added = kernel::add_setting(text, settings); !added) return added.errors();
  return settings;
}

/// The file, or the one of that path that comes with Tilescope: a lab sheet names
/// "lessons/09-bank-conflicts/bank_free.cu".
std::filesystem::path found_file(const std::filesystem::path& file) {
  std::error_code ignored;
  const std::filesystem::path shipped = data_folder() / file;
  return !std::filesystem::exists(file, ignored) && std::filesystem::exists(shipped, ignored) ? shipped : file;
}

}  // namespace

Result<kernel::Kernel> pick_kernel(const KernelOptions& options) {
  if (const auto folders = check_include_folders(options.include); !folders) return folders.errors();
  if (!names_a_file(options.kernel)) {
    if (!options.like.empty())
      return error("--like lends a description to a .cu file; " + options.kernel + " has its own.");
    if (!options.entry.empty() || !options.include.empty())
      return error((options.entry.empty() ? "--include" : "--entry") +
                   (" is for a .cu file; " + options.kernel + " is a kernel of the catalogue."));
    return kernel::find_kernel(kernel::load_catalogue(data_folder() / "kernels"), options.kernel);
  }
  const kernel::OpenWith with{options.entry, {options.include.begin(), options.include.end()}};
  const std::filesystem::path file = found_file(options.kernel);
  if (!options.like.empty()) {
    const Result<kernel::Kernel> lender =
        kernel::find_kernel(kernel::load_catalogue(data_folder() / "kernels"), options.like);
    if (!lender) return lender.errors();
    return kernel::open_like(file, *lender, with);
  }
  Result<kernel::Opened> opened = kernel::open_file(file, with);
  if (!opened) return opened.errors();
  tell_assumed(*opened);
  return std::move(opened->kernel);
}

Result<std::monostate> check_include_folders(const std::vector<std::string>& folders) {
  for (const std::string& folder : folders) {
    std::error_code problem;
    if (!std::filesystem::is_directory(folder, problem))
      return error(fmt::format("--include {}: there is no such folder.", folder));
  }
  return std::monostate{};
}

bool names_a_file(const std::string& text) {
  return text.find('/') != std::string::npos || kernel::is_kernel_file(text);
}

void tell_assumed(const kernel::Opened& opened) {
  if (!opened.form) return;
  const std::string name = opened.kernel.file.filename().string();
  std::string text = fmt::format("{} has no description. Assumed:\n", name);
  for (const Message& clause : opened.assumed) text += fmt::format("  {}\n", clause.text());
  text += fmt::format("tilescope describe {} --save writes it down, to be changed.\n", opened.kernel.file.string());
  std::fputs(text.c_str(), stderr);
}

void add_compiler_option(CLI::App& command) {
  command
      .add_option_function<std::string>(
          "--compiler", [](const std::string& name) { ::setenv("TILESCOPE_COMPILER", name.c_str(), 1); },
          "Who compiles: nvrtc, prebuilt (the PTX that ships), clang or nvcc; by default the first of them that can, "
          "and "
          "nvcc first for a file of your own")
      ->check(CLI::IsMember({"nvrtc", "prebuilt", "clang", "nvcc"}));
}

void add_file_options(CLI::App& command, std::string& entry, std::vector<std::string>& include) {
  command.add_option("--entry", entry, "Which kernel of a .cu file, of a template with its arguments: \"tile<16>\"")
      ->check(kernel_name());
  command.add_option("--include", include, "A folder where the .cu file's own headers are")->allow_extra_args(false);
}

void add_program_choice(CLI::App& command, ProgramChoice& choice) {
  command
      .add_option(
          "--launch", choice.launch,
          "Of a .cu file with a main(): compile it with nvcc, run it up to this launch, from 1, and take block, "
          "grid, arguments and data from there; with --entry of that kernel alone")
      ->check(whole_number(1));
  command.add_option("arguments", choice.arguments,
                     "What the file's main() gets, its options behind --; then --launch is 1 unless it is given");
}

void add_kernel_choice(CLI::App& command, KernelOptions& options) {
  command
      .add_option("kernel", options.kernel,
                  "A number or name of the catalogue, or a .cu file, such as lessons/09-bank-conflicts/bank_free.cu")
      ->required();
  command.add_option("--set", options.settings, "Parameter values, for example BM=64 BN=64")->allow_extra_args(false);
  add_file_options(command, options.entry, options.include);
  command.add_option("--preset", options.preset, "Settings that the description names");
  command.add_option("--size", options.size, "256, or M=256,N=128,K=64; those that are not named stay as they are");
  command.add_option("--like", options.like, "Describe the .cu file as this catalogue kernel is described");
}

void add_kernel_options(CLI::App& command, KernelOptions& options) {
  add_kernel_choice(command, options);
  add_compiler_option(command);
  command.add_option("--arch", options.arch, "Compile for this architecture (default sm_90)");
  command.add_option("--seed", options.seed, "Other inputs: a whole number (default 1)")->check(whole_number());
  command.add_option("--threads", options.threads, "Threads that emulate (default: one for each processor)")
      ->check(whole_number(1, kMostThreads));
  command.add_option("--max-instructions", options.max_instructions, "Warp instructions that one block may issue")
      ->check(whole_number(1));
  command
      .add_option("--max-seconds", options.max_seconds,
                  "Wall time that the emulation may take (default 300, and 20 without a block coming to its end)")
      ->check(number_between(kLeastSeconds, kMostSeconds));
  add_program_choice(command, options.program);
  command.add_flag("--json", options.json, "One JSON object (docs/json.md) instead of text");
}

Result<run::Request> make_request(const KernelOptions& options) {
  Result<kernel::Kernel> kernel = pick_kernel(options);
  if (!kernel) return kernel.errors();
  Result<kernel::Settings> settings = collect_settings(options, kernel->description);
  if (!settings) return settings.errors();
  run::Request request;
  request.kernel = std::move(*kernel);
  request.settings = std::move(*settings);
  request.arch = options.arch;
  request.seed = options.seed;
  request.size = kernel::default_size(request.kernel.description);
  if (options.size.empty()) return request;
  const Result<kernel::Size> size = kernel::parse_size(options.size, request.size);
  if (!size) return size.errors();
  request.size = *size;
  return request;
}

void apply_limits(const KernelOptions& options, run::Control& control) {
  control.threads = options.threads;
  if (options.max_instructions) control.step_budget = options.max_instructions;
  if (options.max_seconds > 0) control.seconds = control.block_seconds = options.max_seconds;
}

}  // namespace tilescope::cli
