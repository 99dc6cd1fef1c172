#include "agent/cuda_driver.h"

#include <dlfcn.h>

#include <fmt/format.h>

namespace tilescope::agent {
namespace {

/// Empty without NVML.
std::string nvml_driver_version() {
  void* library = ::dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL);
  if (!library) return {};
  const auto start = reinterpret_cast<int (*)()>(::dlsym(library, "nvmlInit_v2"));
  const auto version = reinterpret_cast<int (*)(char*, unsigned)>(::dlsym(library, "nvmlSystemGetDriverVersion"));
  char text[96] = {};
  if (!start || !version || start() != 0 || version(text, sizeof text) != 0) return {};
  return text;
}

}  // namespace

std::string Driver::explain(CUresult result) const {
  const char *name = nullptr, *text = nullptr;
  error_name(result, &name);
  error_string(result, &text);
  return fmt::format("{} ({})", text ? text : "unknown error", name ? name : std::to_string(result));
}

Result<Driver> load_driver() {
  void* library = ::dlopen("libcuda.so.1", RTLD_NOW | RTLD_GLOBAL);
  if (!library)
    return error(fmt::format("No NVIDIA driver: {}. Install one, or start the agent on a machine that has a GPU.",
                             ::dlerror()));
  Driver driver;
  const char* missing = nullptr;
#define TILESCOPE_LOAD(member, symbol, declaration)                                       \
  driver.member = reinterpret_cast<decltype(driver.member)>(::dlsym(library, symbol)); \
  if (!driver.member) missing = symbol;
  TILESCOPE_DRIVER_FUNCTIONS(TILESCOPE_LOAD)
#undef TILESCOPE_LOAD
  if (missing) return error(fmt::format("The NVIDIA driver is too old: it has no {}. Install a newer one.", missing));
  driver.encode_tensor_map =
      reinterpret_cast<decltype(driver.encode_tensor_map)>(::dlsym(library, "cuTensorMapEncodeTiled"));
  if (const CUresult result = driver.init(0); result != CUDA_SUCCESS)
    return error(fmt::format("The NVIDIA driver does not start: {}.", driver.explain(result)));
  return driver;
}

std::string driver_version(const Driver& driver) {
  if (std::string version = nvml_driver_version(); !version.empty()) return version;
  int number = 0;
  driver.driver_version(&number);
  return fmt::format("CUDA {}.{}", number / 1000, number % 1000 / 10);
}

}  // namespace tilescope::agent
