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
  size_t captured = 0;              ///< The launch to keep as it was before it ran, from 1; 0: none.
  std::filesystem::path stand_ins;  ///< The folder of libcudart.so.13; empty: beside the running program.
};

/// The result of running the program. Its own output is not captured.
struct ProgramRun {
  std::vector<LaunchRecord> launches;
  std::optional<CapturedLaunch> captured;
  std::vector<std::string> untraced;  ///< Calls of libraries that the CPU computed, each once.
  std::vector<std::string> unknown;   ///< Unsupported calls, each once.
  bool used_cuda = false;
  int status = 0;  ///< Its exit status, where `signal` is 0.
  int signal = 0;  ///< The signal that ended it, or 0.
};

/// An observer of the running program.
struct Listener {
  std::function<void(const std::string&)> say;  ///< Sentences for the user: a kernel that cannot run, a call unknown.
  std::function<void()> launched;               ///< After each launch.
};

/// Runs the program and every kernel that it launches. Errors: the program cannot be started, or
/// is not suitable: linked with the static CUDA runtime, built for another one.
Result<ProgramRun> run_program(const ProgramRequest& request, const run::Control& control, const Listener& listener);

/// The folder of the stand-ins of the running program.
std::filesystem::path stand_in_folder();

}  // namespace tilescope::program
