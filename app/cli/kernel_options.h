#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "kernel/open_file.h"
#include "run/grid_run.h"
#include "run/prepare.h"

namespace CLI {
class App;
}

namespace tilescope::cli {

/// A launch of a .cu file's own program.
struct ProgramChoice {
  size_t launch = 0;                   ///< From 1; the program is run up to there. 0: none.
  std::vector<std::string> arguments;  ///< Of the program.
  bool is_made() const { return launch > 0 || !arguments.empty(); }
  size_t number() const { return launch > 0 ? launch : 1; }
};

/// Options of `trace` and `check`: which kernel, with which values.
struct KernelOptions {
  std::string kernel;                ///< A number or name of the catalogue, or a .cu file.
  std::string entry;                 ///< Of a file with several kernels or a template: "tile<16>".
  std::vector<std::string> include;  ///< Folders of the author's headers.
  std::string like;                  ///< The catalogue kernel whose description a file uses.
  std::string preset;
  std::vector<std::string> settings;  ///< "BM=64"
  std::string size;                   ///< Empty: the command's own default.
  std::string arch = "sm_90";
  uint64_t seed = 1;
  uint64_t max_instructions = 0;  ///< 0: the session's limit; likewise the next.
  double max_seconds = 0;
  unsigned threads = 0;
  ProgramChoice program;
  bool json = false;
};

/// What --max-seconds takes.
constexpr double kLeastSeconds = 0.001, kMostSeconds = 1e6;

/// --compiler: sets $TILESCOPE_COMPILER, which every compiler of this process obeys.
void add_compiler_option(CLI::App& command);

/// --entry and --include, for a .cu file.
void add_file_options(CLI::App& command, std::string& entry, std::vector<std::string>& include);

/// --launch and the program's arguments, behind all other positional ones.
void add_program_choice(CLI::App& command, ProgramChoice& choice);

/// Which kernel, with which values.
void add_kernel_choice(CLI::App& command, KernelOptions& options);
/// The same with the further options of commands that emulate.
void add_kernel_options(CLI::App& command, KernelOptions& options);

/// The kernel that the options choose: of the catalogue, or of a file.
Result<kernel::Kernel> pick_kernel(const KernelOptions& options);

/// The request of the options. Without --size the size is 256.
Result<run::Request> make_request(const KernelOptions& options);

/// Prints on stderr the assumptions about a file without a description.
void tell_assumed(const kernel::Opened& opened);

/// An error if one of them is not a folder.
Result<std::monostate> check_include_folders(const std::vector<std::string>& folders);

/// Whether the text is a file's name and not one of the catalogue.
bool names_a_file(const std::string& text);

/// Sets the limits in the options.
void apply_limits(const KernelOptions& options, run::Control& control);

}  // namespace tilescope::cli
