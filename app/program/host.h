#pragma once

#include <filesystem>
#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "program/captured_launch.h"
#include "program/launch.h"
#include "program/source_place.h"

/// A CUDA program with a `main` of its own, run on this machine without a GPU.
namespace tilescope::program {

struct ProgramRequest {
  std::filesystem::path file;          ///< The executable.
  std::vector<std::string> arguments;  ///< Without the program's name.
  Machine machine;
  size_t captured = 0;               ///< The launch to keep as it was before it ran, from 1; 0: none.
  std::string captured_kernel = {};  ///< Count launches of this kernel alone; empty: of all.
  /// Keep all launches, that one and as many others as a share of the free memory holds.
  bool captures_all = false;
  /// End the program after that launch. The program's output is discarded, it gets no
  /// input, and it may write no files.
  bool only_to_captured = false;
  std::optional<Checking> captured_checking = {};  ///< Of that launch, if not as of all.
  /// Wall time that the program may take up to that launch, and after it, for others to be seen.
  double seconds = std::numeric_limits<double>::infinity(), seconds_after = 0;
  std::filesystem::path stand_ins = {};  ///< The folder of libcudart.so.13; empty: beside the running program.
  std::string name = {};                 ///< What the program gets as its name; empty: the file.
};

/// A CUDA call or launch that returned an error; or what the program does wrong around its launches, without one.
struct FailedCall {
  std::string name;     ///< "cudaMemcpy", "kernel launch"
  int32_t error = 0;    ///< A cudaError_t.
  std::string reason;   ///< "a block of 2048 threads; the limit is 1024"; empty if unknown.
  std::string places;   ///< Where it was called, innermost first, a line "module\toffset" each.
  SourcePlace place;    ///< The same in the program's source.
  uint64_t count = 1;   ///< How often it failed there.
  bool counts = false;  ///< As a finding, for the exit status.
};

/// Allocations of one place in the program that it did not free.
struct NotFreed {
  std::string places;  ///< As in FailedCall.
  SourcePlace place;
  uint64_t arrays = 0, bytes = 0;
};

/// The result of running the program. Its own output is not captured.
struct ProgramRun {
  std::vector<LaunchRecord> launches;
  std::map<size_t, CapturedLaunch> captured;  ///< By the index in `launches`.
  std::optional<size_t> captured_index;       ///< Of the one that was asked for.
  std::vector<std::string> untraced;          ///< Calls of libraries that the CPU computed, each once.
  std::vector<std::string> unknown;           ///< Unsupported calls, each once.
  std::vector<FailedCall> failed;             ///< Each place once.
  std::vector<std::string> refused;           ///< Kernels that cannot run, each once.
  std::vector<NotFreed> not_freed;            ///< A few of its places are known.
  bool result_is_seen = false;  ///< Something came back to the host: a copy, shared memory, what a kernel printed.
  bool used_cuda = false;
  bool out_of_time = false;  ///< Before that launch.
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

/// "invalid argument" (cudaErrorInvalidValue)
std::string error_text(int32_t error);

/// The folder of the stand-ins of the running program.
std::filesystem::path stand_in_folder();

}  // namespace tilescope::program
