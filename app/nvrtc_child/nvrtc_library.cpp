#include "nvrtc_child/nvrtc_library.h"

#include <dlfcn.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <system_error>

namespace tilescope::nvrtc_child {
namespace fs = std::filesystem;
namespace {

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

// The toolkit's folders, most specific first; of several versions the newest first.
std::vector<fs::path> toolkit_folders() {
  std::vector<fs::path> folders;
  for (const char* name : {"CUDA_HOME", "CUDA_PATH"})
    if (const std::string folder = environment(name); !folder.empty()) folders.emplace_back(folder);
  folders.insert(folders.end(), {"/usr/local/cuda", "/opt/cuda"});
  std::vector<fs::path> versions;
  std::error_code problem;
  for (const auto& entry : fs::directory_iterator("/usr/local", problem))
    if (entry.path().filename().string().starts_with("cuda-")) versions.push_back(entry.path());
  std::sort(versions.rbegin(), versions.rend());
  folders.insert(folders.end(), versions.begin(), versions.end());
  return folders;
}

std::vector<std::string> candidates() {
  std::vector<std::string> names{"libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so"};
  const std::vector<std::string> loader_names = names;
  for (const fs::path& folder : toolkit_folders())
    for (const char* library_folder : {"lib64", "lib"})
      for (const std::string& name : loader_names) names.push_back((folder / library_folder / name).string());
  return names;
}

template <class Function>
bool bind(void* handle, const char* name, Function& function) {
  function = reinterpret_cast<Function>(dlsym(handle, name));
  return function != nullptr;
}

bool bind_all(void* handle, Functions& call) {
#define TILESCOPE_BIND(name) bind(handle, #name, call.name)
  return TILESCOPE_BIND(nvrtcGetErrorString) && TILESCOPE_BIND(nvrtcVersion) &&
         TILESCOPE_BIND(nvrtcGetNumSupportedArchs) && TILESCOPE_BIND(nvrtcGetSupportedArchs) &&
         TILESCOPE_BIND(nvrtcCreateProgram) && TILESCOPE_BIND(nvrtcCompileProgram) && TILESCOPE_BIND(nvrtcGetPTXSize) &&
         TILESCOPE_BIND(nvrtcGetPTX) && TILESCOPE_BIND(nvrtcGetCUBINSize) && TILESCOPE_BIND(nvrtcGetCUBIN) &&
         TILESCOPE_BIND(nvrtcGetProgramLogSize) && TILESCOPE_BIND(nvrtcGetProgramLog) &&
         TILESCOPE_BIND(nvrtcAddNameExpression) && TILESCOPE_BIND(nvrtcGetLoweredName);
#undef TILESCOPE_BIND
}

std::string path_of(const Functions& call, const std::string& fallback) {
  Dl_info info{};
  if (dladdr(reinterpret_cast<void*>(call.nvrtcVersion), &info) == 0 || !info.dli_fname) return fallback;
  std::error_code problem;
  const fs::path path = fs::weakly_canonical(info.dli_fname, problem);
  return problem ? std::string(info.dli_fname) : path.string();
}

// The headers beside the library come first: those of another version may not fit it.
std::string find_include_folder(const fs::path& library) {
  std::vector<fs::path> folders{library.parent_path().parent_path() / "include"};
  for (const fs::path& toolkit : toolkit_folders()) folders.push_back(toolkit / "include");
  folders.emplace_back("/usr/include");
  std::error_code problem;
  for (const fs::path& folder : folders)
    if (fs::exists(folder / "cuda_fp16.h", problem)) return folder.string();
  return {};
}

std::string version_of(const Functions& call) {
  int major = 0, minor = 0;
  call.nvrtcVersion(&major, &minor);
  return std::to_string(major) + "." + std::to_string(minor);
}

// NVRTC opens its second library during its first compile, when no file may be opened any more. Without it NVRTC
// reports what is missing.
void load_builtins(const Library& library) {
  const fs::path path = fs::path(library.path).parent_path() / ("libnvrtc-builtins.so." + version_of(library.call));
  dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
}

std::variant<Library, std::string> load_one(const std::string& name) {
  void* handle = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!handle) return std::string(dlerror());
  Library library;
  if (!bind_all(handle, library.call)) return name + " lacks functions of NVRTC; version 12 or newer is needed";
  library.path = path_of(library.call, name);
  library.include_folder = find_include_folder(library.path);
  load_builtins(library);
  return library;
}

std::string architectures(const Functions& call) {
  int count = 0;
  if (call.nvrtcGetNumSupportedArchs(&count) != 0 || count <= 0 || count > 1000) return {};
  std::vector<int> numbers(static_cast<size_t>(count));
  if (call.nvrtcGetSupportedArchs(numbers.data()) != 0) return {};
  std::vector<std::string> names;
  for (int number : numbers) names.push_back("sm_" + std::to_string(number));
  return compile::join_lines(names);
}

}  // namespace

std::variant<Library, std::string> load_library(const std::string& wanted) {
  const std::string chosen = wanted.empty() ? environment("TILESCOPE_NVRTC") : wanted;
  if (!chosen.empty()) return load_one(chosen);
  std::string unusable;
  std::error_code problem;
  for (const std::string& name : candidates()) {
    auto library = load_one(name);
    if (std::holds_alternative<Library>(library)) return library;
    if (name.starts_with('/') && fs::exists(name, problem) && unusable.empty())
      unusable = std::get<std::string>(library);
  }
  if (!unusable.empty()) return unusable;
  return "libnvrtc.so is neither on the loader's path nor in $CUDA_HOME, /usr/local/cuda or /opt/cuda";
}

compile::Record describe(const Library& library) {
  std::error_code problem;
  const auto bytes = fs::file_size(library.path, problem);
  return {{"version", version_of(library.call)},
          {"library", library.path},
          {"include_folder", library.include_folder},
          {"architectures", architectures(library.call)},
          {"identity", problem ? library.path : std::to_string(bytes)}};
}

}  // namespace tilescope::nvrtc_child
