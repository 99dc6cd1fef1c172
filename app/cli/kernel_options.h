#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "run/grid_run.h"
#include "run/prepare.h"

namespace CLI {
class App;
}

namespace tilescope::cli {

/// What `trace` and `check` have in common: which kernel, with which values.
struct KernelOptions {
  std::string kernel;  ///< A number or name of the catalogue, or a .cu file.
  std::string like;    ///< The catalogue kernel whose description a file borrows.
  std::string preset;
  std::vector<std::string> settings;  ///< "BM=64"
  std::string size;                   ///< Empty: the command's own default.
  std::string arch = "sm_90";
  uint64_t seed = 1;
  uint64_t max_instructions = 0;  ///< 0: the session's own limits, as the next.
  double max_seconds = 0;
  unsigned threads = 0;
  bool json = false;
};

/// What --max-seconds takes.
constexpr double kLeastSeconds = 0.001, kMostSeconds = 1e6;

/// Which kernel, with which values.
void add_kernel_choice(CLI::App& command, KernelOptions& options);
/// The same with what the commands that emulate need besides.
void add_kernel_options(CLI::App& command, KernelOptions& options);

/// The request that the options describe. Without --size the size stays 256.
Result<run::Request> make_request(const KernelOptions& options);

/// Sets the limits that the options name.
void apply_limits(const KernelOptions& options, run::Control& control);

}  // namespace tilescope::cli
