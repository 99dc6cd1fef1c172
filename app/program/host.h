#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "program/captured_launch.h"
#include "program/launch.h"

/// A CUDA program with a `main` of its own, run on this machine without a GPU.
namespace tilescope::program {

struct ProgramRequest {
  std::filesystem::path file;          ///< The executable.
  std::vector<std::string> arguments;  ///< Without the program's name.
  Machine machine;
  size_t captured = 0;              ///< The launch to keep as it stood before it ran, from 1; 0: none.
  std::filesystem::path stand_ins;  ///< The folder of libcudart.so.13; empty: beside the running program.
};

/// What the program did. The program's own output went where it sends it.
struct ProgramRun {
  std::vector<LaunchRecord> launches;
  std::optional<CapturedLaunch> captured;
  std::vector<std::string> untraced;  ///< Calls of libraries that the CPU computed, each once.
  std::vector<std::string> unknown;   ///< Calls that had no answer, each once.
  bool used_cuda = false;
  int status = 0;  ///< Its exit status, where `signal` is 0.
  int signal = 0;  ///< What ended it; 0 for none.
};

/// Who follows the program while it runs.
struct Listener {
  std::function<void(const std::string&)> say;  ///< Sentences for the user: a kernel that cannot run, a call unknown.
  std::function<void()> launched;               ///< After each launch.
};

/// Runs the program and every kernel that it launches. Errors: the program cannot be started, or is none that can be
/// run so: linked with the static CUDA runtime, built for another one.
Result<ProgramRun> run_program(const ProgramRequest& request, const run::Control& control, const Listener& listener);

/// The folder with the stand-ins of the running program.
std::filesystem::path stand_in_folder();

}  // namespace tilescope::program
