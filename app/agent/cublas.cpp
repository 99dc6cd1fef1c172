#include "agent/cublas.h"

#include <dlfcn.h>

#include <cstdlib>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace tilescope::agent {
namespace {

/// Where the libraries may be; the empty one is the loader's path.
std::vector<std::string> folders() {
  std::vector<std::string> result;
  if (const char* chosen = std::getenv("TILESCOPE_CUBLAS")) result.push_back(std::string(chosen) + "/");
  result.emplace_back();
  for (const char* variable : {"CUDA_HOME", "CUDA_PATH"})
    if (const char* home = std::getenv(variable)) result.push_back(std::string(home) + "/lib64/");
  result.emplace_back("/usr/local/cuda/lib64/");
  result.emplace_back("/opt/cuda/lib64/");
  return result;
}

struct Libraries {
  void *cublas = nullptr, *lt = nullptr;
};

// cuBLASLt first: cuBLAS needs it and may not find it by itself.
Libraries open_libraries() {
  for (const std::string& folder : folders()) {
    Libraries libraries;
    libraries.lt =
        ::dlopen(fmt::format("{}libcublasLt.so.{}", folder, CUBLAS_VER_MAJOR).c_str(), RTLD_NOW | RTLD_GLOBAL);
    if (!libraries.lt) continue;
    libraries.cublas =
        ::dlopen(fmt::format("{}libcublas.so.{}", folder, CUBLAS_VER_MAJOR).c_str(), RTLD_NOW | RTLD_GLOBAL);
    if (libraries.cublas) return libraries;
  }
  return {};
}

std::string read_version(const Cublas& cublas) {
  int major = 0, minor = 0, patch = 0;
  cublas.property(MAJOR_VERSION, &major);
  cublas.property(MINOR_VERSION, &minor);
  cublas.property(PATCH_LEVEL, &patch);
  return fmt::format("{}.{}.{}", major, minor, patch);
}

}  // namespace

Result<Cublas> load_cublas() {
  const Libraries libraries = open_libraries();
  if (!libraries.cublas)
    return error(fmt::format(
        "No cuBLAS {0}: libcublas.so.{0} and libcublasLt.so.{0} are neither on the loader's path nor in a CUDA "
        "folder. Install the CUDA Toolkit {0}, or set TILESCOPE_CUBLAS to the folder that has them.",
        CUBLAS_VER_MAJOR));
  Cublas cublas;
  std::vector<std::string> missing;
#define TILESCOPE_LOAD_FROM(library, member, symbol)                                      \
  cublas.member = reinterpret_cast<decltype(cublas.member)>(::dlsym(library, symbol)); \
  if (!cublas.member) missing.push_back(symbol);
#define TILESCOPE_LOAD(member, symbol, declaration) TILESCOPE_LOAD_FROM(libraries.cublas, member, symbol)
#define TILESCOPE_LOAD_LT(member, symbol, declaration) TILESCOPE_LOAD_FROM(libraries.lt, member, symbol)
  TILESCOPE_CUBLAS_FUNCTIONS(TILESCOPE_LOAD)
  TILESCOPE_CUBLASLT_FUNCTIONS(TILESCOPE_LOAD_LT)
  TILESCOPE_LOAD_FROM(libraries.cublas, gemm, "cublasGemmEx")
#undef TILESCOPE_LOAD_LT
#undef TILESCOPE_LOAD
#undef TILESCOPE_LOAD_FROM
  if (!missing.empty())
    return error(fmt::format("This cuBLAS lacks {}. Install another CUDA Toolkit {}.", fmt::join(missing, ", "),
                             CUBLAS_VER_MAJOR));
  cublas.version_text = read_version(cublas);
  return cublas;
}

}  // namespace tilescope::agent
