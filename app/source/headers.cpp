#include "source/headers.h"

#include <algorithm>
#include <array>
#include <optional>
#include <system_error>

#include "base/file.h"
#include "source/tokens.h"

namespace tilescope::source {
namespace fs = std::filesystem;
namespace {

constexpr size_t kMostHeaders = 64;
constexpr size_t kMostBytes = size_t{1} << 20;

constexpr std::array<std::string_view, 55> kDeviceHeaders{"cuda.h",
                                                          "cuda_runtime.h",
                                                          "cuda_runtime_api.h",
                                                          "cuda_fp16.h",
                                                          "cuda_fp16.hpp",
                                                          "cuda_bf16.h",
                                                          "cuda_bf16.hpp",
                                                          "cuda_fp8.h",
                                                          "cuda_fp8.hpp",
                                                          "cuda_fp6.h",
                                                          "cuda_fp4.h",
                                                          "cuda_pipeline.h",
                                                          "cuda_pipeline_primitives.h",
                                                          "cuda_pipeline_helpers.h",
                                                          "cuda_awbarrier.h",
                                                          "cuda_awbarrier_primitives.h",
                                                          "cuda_awbarrier_helpers.h",
                                                          "cuda_device_runtime_api.h",
                                                          "cuda_stdint.h",
                                                          "cooperative_groups.h",
                                                          "mma.h",
                                                          "curand_kernel.h",
                                                          "curand_mtgp32_kernel.h",
                                                          "cuComplex.h",
                                                          "common_functions.h",
                                                          "device_functions.h",
                                                          "device_double_functions.h",
                                                          "device_launch_parameters.h",
                                                          "device_types.h",
                                                          "driver_types.h",
                                                          "host_defines.h",
                                                          "host_config.h",
                                                          "library_types.h",
                                                          "math_constants.h",
                                                          "math_functions.h",
                                                          "vector_types.h",
                                                          "vector_functions.h",
                                                          "channel_descriptor.h",
                                                          "texture_types.h",
                                                          "texture_indirect_functions.h",
                                                          "surface_types.h",
                                                          "surface_indirect_functions.h",
                                                          "builtin_types.h",
                                                          "device_atomic_functions.h",
                                                          "nvfunctional",
                                                          "sm_20_atomic_functions.h",
                                                          "sm_20_intrinsics.h",
                                                          "sm_30_intrinsics.h",
                                                          "sm_32_atomic_functions.h",
                                                          "sm_32_intrinsics.h",
                                                          "sm_35_atomic_functions.h",
                                                          "sm_35_intrinsics.h",
                                                          "sm_60_atomic_functions.h",
                                                          "sm_61_intrinsics.h",
                                                          "cudaTypedefs.h"};
// "cudaTypedefs.h" and "cuda.h" declare what tensor maps need.

/// The one header of the CUDA Toolkit's samples with device code. Ours takes its place where it is missing.
constexpr const char* kVectorMath = "helper_math.h";

/// What the samples of the CUDA Toolkit share, for the host.
constexpr std::array<std::string_view, 10> kHelpers{
    "helper_cuda.h", "helper_functions.h", "helper_string.h",      "helper_timer.h",        "helper_image.h",
    "helper_gl.h",   "helper_cusolver.h",  "helper_cuda_drvapi.h", "helper_multiprocess.h", "nvrtc_helper.h"};

constexpr std::array<std::string_view, 9> kLibraryHeaders{
    "limits", "type_traits", "utility", "array", "tuple", "ratio", "functional", "numeric", "initializer_list"};

// Headers of the C++ library and the system with nothing for device code; and libraries that run their own kernels.
constexpr std::array<std::string_view, 79> kHostHeaders{"iostream",
                                                        "vector",
                                                        "string",
                                                        "algorithm",
                                                        "fstream",
                                                        "sstream",
                                                        "iomanip",
                                                        "map",
                                                        "unordered_map",
                                                        "set",
                                                        "unordered_set",
                                                        "chrono",
                                                        "random",
                                                        "memory",
                                                        "thread",
                                                        "mutex",
                                                        "atomic",
                                                        "future",
                                                        "condition_variable",
                                                        "exception",
                                                        "stdexcept",
                                                        "deque",
                                                        "list",
                                                        "queue",
                                                        "stack",
                                                        "iterator",
                                                        "ostream",
                                                        "istream",
                                                        "iosfwd",
                                                        "complex",
                                                        "valarray",
                                                        "bitset",
                                                        "optional",
                                                        "variant",
                                                        "any",
                                                        "string_view",
                                                        "filesystem",
                                                        "regex",
                                                        "locale",
                                                        "ctime",
                                                        "csignal",
                                                        "cerrno",
                                                        "cctype",
                                                        "cwchar",
                                                        "typeinfo",
                                                        "typeindex",
                                                        "new",
                                                        "format",
                                                        "span",
                                                        "system_error",
                                                        "time.h",
                                                        "unistd.h",
                                                        "errno.h",
                                                        "ctype.h",
                                                        "signal.h",
                                                        "getopt.h",
                                                        "malloc.h",
                                                        "memory.h",
                                                        "windows.h",
                                                        "omp.h",
                                                        "mpi.h",
                                                        "pthread.h",
                                                        "dlfcn.h",
                                                        "nvml.h",
                                                        "nccl.h",
                                                        "curand.h",
                                                        "cufft.h",
                                                        "nvrtc.h",
                                                        "cuda_profiler_api.h",
                                                        "cudaProfiler.h",
                                                        "cuda_gl_interop.h",
                                                        "io.h",
                                                        "inttypes.h",
                                                        "cinttypes",
                                                        "locale.h",
                                                        "sys/time.h",
                                                        "wchar.h",
                                                        "fenv.h",
                                                        "numbers"};
constexpr std::array<std::string_view, 18> kHostPrefixes{
    "cublas",  "cusparse", "cusolver", "cudnn",  "cutensor", "torch/", "ATen/",      "c10/",     "pybind11/",
    "thrust/", "sys/",     "boost/",   "opencv", "gtest/",   "nvtx3/", "nvToolsExt", "Python.h", "benchmark/"};

bool is_inside(const fs::path& file, const fs::path& folder) {
  std::error_code problem;
  const fs::path real = fs::canonical(file, problem), real_folder = fs::canonical(folder, problem);
  if (problem) return false;
  return std::mismatch(real_folder.begin(), real_folder.end(), real.begin(), real.end()).first == real_folder.end();
}

/// Whether the folder itself has the file, which the name leads up to, and it is called a header. A link may be
/// anything.
bool is_header_above(const fs::path& folder, const std::string& name) {
  constexpr std::array<std::string_view, 7> kEndings{".h", ".hh", ".hpp", ".cuh", ".inl", ".inc", ".cu"};
  const fs::path path = folder / name;
  std::error_code problem;
  return leads_up(name) && holds(kEndings, path.extension().string()) && !fs::is_symlink(path, problem);
}

/// Reads headers one after another, each once by the name that it is included by.
class HeaderReader {
 public:
  HeaderReader(fs::path folder, const std::vector<fs::path>& more_folders) : folder_(std::move(folder)) {
    if (folder_.empty()) folder_ = ".";
    folders_ = more_folders;
    folders_.insert(folders_.begin(), folder_);
  }

  std::vector<File> read(std::string_view text) {
    follow(text, folder_);
    for (size_t i = 0; i < found_.size(); ++i) {
      const std::string text_of_header = found_[i].text;  // `found_` grows.
      follow(text_of_header, found_[i].path.parent_path());
    }
    return std::move(found_);
  }

 private:
  void follow(std::string_view text, const fs::path& beside) {
    for (const Token& token : tokenize(text)) {
      if (token.kind != TokenKind::Directive || found_.size() >= kMostHeaders) continue;
      const std::string name(included_name(text_of(text, token)));
      const auto has_name = [&](const File& file) { return file.name == name; };
      if (name.empty() || std::any_of(found_.begin(), found_.end(), has_name)) continue;
      if (header_kind(name) == HeaderKind::Unknown) add(name, beside);
    }
  }

  void add(const std::string& name, const fs::path& beside) {
    std::vector<fs::path> folders = folders_;
    folders.insert(folders.begin(), beside);
    for (const fs::path& folder : folders) {
      const fs::path path = folder / name;
      const bool allowed = is_header_above(folder, name) ||
                           std::any_of(folders_.begin(), folders_.end(),
                                       [&](const fs::path& allowed_folder) { return is_inside(path, allowed_folder); });
      if (!allowed) continue;
      if (Result<std::string> text = read_file(path, kMostBytes); text) {
        found_.push_back({name, std::move(*text), path});
        return;
      }
    }
    if (fs::path(name).filename() != kVectorMath) return;
    const fs::path ours = data_folder() / "assets/cuda" / kVectorMath;
    if (Result<std::string> text = read_file(ours, kMostBytes); text) found_.push_back({name, std::move(*text), ours});
  }

  fs::path folder_;
  std::vector<fs::path> folders_;
  std::vector<File> found_;
};

}  // namespace

bool leads_up(std::string_view name) { return name.starts_with("../") || name.find("/../") != name.npos; }

std::string_view included_name(std::string_view directive) {
  const DirectiveParts parts = parts_of_directive(directive);
  if (parts.name != "include" || parts.rest.empty()) return {};
  const char open = parts.rest.front();
  if (open != '<' && open != '"') return {};
  const size_t end = parts.rest.find(open == '<' ? '>' : '"', 1);
  return end == parts.rest.npos ? std::string_view{} : parts.rest.substr(1, end - 1);
}

namespace {

/// Up to the include of that name, with an #endif for each #if that is open there; empty if it is not included.
std::optional<std::string> text_before(const std::string& text, const std::string& name) {
  size_t open = 0;
  for (const Token& token : tokenize(text)) {
    if (token.kind != TokenKind::Directive) continue;
    const std::string_view directive = text_of(text, token);
    const DirectiveParts parts = parts_of_directive(directive);
    if (parts.name.starts_with("if")) ++open;
    if (parts.name == "endif" && open > 0) --open;
    if (included_name(directive) != name) continue;
    std::string before = text.substr(0, token.begin) + "\n";
    for (; open > 0; --open) before += "#endif\n";
    return before;
  }
  return std::nullopt;
}

}  // namespace

std::string context_of(const std::string& text, const std::vector<File>& headers, size_t header) {
  if (auto direct = text_before(text, headers[header].name)) return *direct;
  for (size_t i = 0; i < header; ++i)  // Headers are in the order in which they are found: includers first.
    if (auto before = text_before(headers[i].text, headers[header].name)) return context_of(text, headers, i) + *before;
  return {};
}

HeaderKind header_kind(std::string_view name) {
  const auto begins = [&](std::string_view prefix) { return name.starts_with(prefix); };
  if (holds(kDeviceHeaders, name) || begins("cuda/") || begins("cooperative_groups/") || begins("nv/") ||
      begins("crt/"))
    return HeaderKind::Device;
  if (holds(kLibraryHeaders, name) || begins("cub/")) return HeaderKind::Library;
  if (holds(kHostHeaders, name) || holds(kHelpers, name) ||
      std::any_of(kHostPrefixes.begin(), kHostPrefixes.end(), begins))
    return HeaderKind::Host;
  return HeaderKind::Unknown;
}

std::vector<File> read_headers(std::string_view text, const fs::path& folder,
                               const std::vector<fs::path>& more_folders) {
  return HeaderReader(folder, more_folders).read(text);
}

}  // namespace tilescope::source
