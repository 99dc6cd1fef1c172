#pragma once

#include <sys/types.h>

#include <atomic>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"

namespace tilescope::program {

/// A program compiled by nvcc, in its own folder, which is removed with it.
class CompiledProgram {
 public:
  /// Compiles `source` with the shared CUDA runtime, with lines, and with PTX and machine code for `arch` ("sm_90").
  /// `options` are passed to nvcc unchanged; nvcc's output goes to stderr. Errors: no nvcc; nvcc failed; cancelled.
  static Result<CompiledProgram> compile(const std::filesystem::path& source, const std::string& arch,
                                         const std::vector<std::string>& options, const std::atomic<bool>* cancel);
  CompiledProgram(CompiledProgram&& other) noexcept
      : folder_(std::exchange(other.folder_, {})),
        watcher_(std::exchange(other.watcher_, -1)),
        alive_(std::exchange(other.alive_, -1)) {}
  CompiledProgram& operator=(CompiledProgram&&) = delete;
  ~CompiledProgram();

  std::filesystem::path file() const { return folder_ / "program"; }

 private:
  explicit CompiledProgram(std::filesystem::path folder) : folder_(std::move(folder)) {}
  void watch_folder();

  std::filesystem::path folder_;
  pid_t watcher_ = -1;
  int alive_ = -1;  ///< The pipe from which the watcher reads which process group compiles.
};

}  // namespace tilescope::program
