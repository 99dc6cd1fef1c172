#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"

namespace tilescope::program {

/// nvcc in PATH, $CUDA_HOME/bin, or the newest of /usr/local/cuda*/bin; empty where there is none.
std::filesystem::path find_nvcc();

/// A program that nvcc compiled, in a folder of its own that goes with it.
class CompiledProgram {
 public:
  /// Compiles `source` with the shared CUDA runtime, with lines, and with PTX and machine code for `arch` ("sm_90").
  /// `options` go to nvcc as they are; what nvcc says goes to stderr. Errors: no nvcc; nvcc failed.
  static Result<CompiledProgram> compile(const std::filesystem::path& source, const std::string& arch,
                                         const std::vector<std::string>& options);
  CompiledProgram(CompiledProgram&& other) noexcept : folder_(std::exchange(other.folder_, {})) {}
  CompiledProgram& operator=(CompiledProgram&&) = delete;
  ~CompiledProgram();

  std::filesystem::path file() const { return folder_ / "program"; }

 private:
  explicit CompiledProgram(std::filesystem::path folder) : folder_(std::move(folder)) {}
  std::filesystem::path folder_;
};

}  // namespace tilescope::program
