#pragma once

#include <string>
#include <vector>

#include "cli/text.h"
#include "program/host.h"

namespace CLI {
class App;
}

namespace tilescope::cli {

struct ProgramOptions {
  std::string program;                 ///< A .cu file, or what nvcc made of one.
  std::vector<std::string> arguments;  ///< Of the program: what stands behind --.
  std::vector<std::string> nvcc;       ///< Options for nvcc.
  std::string arch = "sm_90";
  std::string check = "sample";
  std::string json;  ///< A file, or - for stdout; empty: a table on stderr.
  int error_exitcode = 0;
  unsigned threads = 0;
};

void add_program_options(CLI::App& command, ProgramOptions& options);

/// `tilescope run`: the user's own program, its kernels executed here. Returns the program's own exit status; see
/// docs/run.md.
int run_program_command(const ProgramOptions& options);

/// What stands behind the first -- of `arguments`, which then ends before it.
std::vector<std::string> split_off_program_arguments(std::vector<std::string>& arguments);

/// A table with a row for all launches of one kernel with one grid and block, then the findings.
std::string program_text(const program::ProgramRun& run, const program::Machine& machine, const Style& style);
/// The object that docs/json.md describes.
nlohmann::ordered_json program_json(const program::ProgramRun& run, const program::ProgramRequest& request);

}  // namespace tilescope::cli
