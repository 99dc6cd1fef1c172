#if __has_include(<cupti_range_profiler.h>)

#include "agent/cupti.h"

#include <cuda.h>
#include <dlfcn.h>

#include <cstdlib>
#include <vector>

#include <fmt/format.h>

namespace tilescope::agent {
namespace {

constexpr int kMajor = CUDA_VERSION / 1000;

/// The files that it may be, the chosen one first.
std::vector<std::string> cupti_files() {
  if (const char* chosen = std::getenv("TILESCOPE_CUPTI")) return {chosen};
  const std::string name = fmt::format("libcupti.so.{}", kMajor);
  std::vector<std::string> files{name};
  std::vector<std::string> homes;
  for (const char* variable : {"CUDA_HOME", "CUDA_PATH"})
    if (const char* home = std::getenv(variable)) homes.emplace_back(home);
  homes.emplace_back("/usr/local/cuda");
  homes.emplace_back("/opt/cuda");
  for (const std::string& home : homes)
    for (const char* folder : {"/lib64/", "/extras/CUPTI/lib64/"}) files.push_back(home + folder + name);
  return files;
}

void* open_cupti() {
  for (const std::string& file : cupti_files())
    if (void* library = ::dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL)) return library;
  return nullptr;
}

}  // namespace

std::string Cupti::explain(CUptiResult result, const char* what) const {
  switch (result) {
    case CUPTI_ERROR_INSUFFICIENT_PRIVILEGES:
      return "The NVIDIA driver lets administrators alone read hardware counters. Run the agent as root, or have the "
             "driver loaded with NVreg_RestrictProfilingToAdminUsers=0: a line \"options nvidia "
             "NVreg_RestrictProfilingToAdminUsers=0\" in /etc/modprobe.d, then a restart.";
    case CUPTI_ERROR_VIRTUALIZED_DEVICE_INSUFFICIENT_PRIVILEGES:
      return "The GPU is a virtual one whose host keeps the hardware counters to itself. Ask for profiling to be "
             "enabled for this machine.";
    case CUPTI_ERROR_HARDWARE_BUSY:
      return "Another program has the GPU's hardware counters. Stop it (Nsight Compute, or DCGM: dcgmi profile "
             "--pause) and measure again.";
    default: break;
  }
  const char* text = nullptr;
  result_string(result, &text);
  return fmt::format("Hardware counters cannot be read: CUPTI failed at {} with {}.", what,
                     text ? text : std::to_string(result));
}

Result<Cupti> load_cupti() {
  void* library = open_cupti();
  if (!library)
    return error(
        fmt::format("No CUPTI {0}, which reads hardware counters: libcupti.so.{0} is neither on the loader's path nor "
                    "in a CUDA folder. Install the CUDA Toolkit {0}, or set TILESCOPE_CUPTI to the library's file.",
                    kMajor));
  Cupti cupti;
  const char* missing = nullptr;
#define TILESCOPE_LOAD(member, declaration)                                                \
  cupti.member = reinterpret_cast<decltype(cupti.member)>(::dlsym(library, #declaration)); \
  if (!cupti.member) missing = #declaration;
  TILESCOPE_CUPTI_FUNCTIONS(TILESCOPE_LOAD)
#undef TILESCOPE_LOAD
  if (missing) return error(fmt::format("This CUPTI has no {}. Install the CUDA Toolkit 13 or newer.", missing));
  return cupti;
}

}  // namespace tilescope::agent

#endif
