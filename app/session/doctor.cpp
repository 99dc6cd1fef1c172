#include "session/doctor.h"

#include <cstdlib>
#include <fstream>
#include <sstream>

#include <dlfcn.h>
#include <fmt/format.h>
#include <unistd.h>

#include "base/file.h"
#include "base/process.h"

namespace tilescope::session {
namespace {
namespace fs = std::filesystem;

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

bool loads(const char* library) {
  void* handle = ::dlopen(library, RTLD_LAZY | RTLD_LOCAL);
  if (handle) ::dlclose(handle);
  return handle != nullptr;
}

fs::path find_program(const std::string& name) {
  const char* path = std::getenv("PATH");
  std::istringstream folders(path ? path : "");
  for (std::string folder; std::getline(folders, folder, ':');)
    if (const fs::path program = fs::path(folder) / name; ::access(program.c_str(), X_OK) == 0) return program;
  return {};
}

/// The output of a program; empty if it is not installed, fails, or takes over five seconds.
std::string output_of(const std::string& name, const std::vector<std::string>& arguments,
                      const std::atomic<bool>* cancel) {
  const fs::path program = find_program(name);
  if (program.empty()) return {};
  Result<ChildProcess> child = ChildProcess::start(program, arguments, {});
  if (!child) return {};
  const Patience patience{std::chrono::steady_clock::now() + std::chrono::seconds(5), cancel};
  std::string output;
  for (char c; output.size() < 65536 && child->receive(&c, 1, patience) == Transfer::Done;) output += c;
  const Exit exit = child->wait(patience);
  return exit.code == 0 && exit.signal == 0 ? output : std::string{};
}

Requirement examine_nvrtc(compile::Compiler& compiler, const std::atomic<bool>* cancel) {
  const Result<compile::Toolchain> toolchain = compiler.toolchain(cancel);
  if (!toolchain)
    return {"NVRTC", Health::Missing, text_of(toolchain.errors().front()),
            "Catalogue kernels run at their presets from prebuilt PTX; other values and your own kernels need the CUDA "
            "Toolkit or clang."};
  return {"NVRTC", Health::Good, toolchain->version + ", " + toolchain->library,
          "Any kernel and any parameter values can be compiled; no GPU is needed for that."};
}

Requirement examine_nvcc(compile::Compiler& compiler, const std::atomic<bool>* cancel) {
  const Result<compile::Toolchain> toolchain = compiler.nvcc(cancel);
  if (!toolchain)
    return {
        "nvcc", Health::Missing, text_of(toolchain.errors().front()),
        "NVRTC compiles your own kernels, whose shared memory it addresses in another way than nvcc does; tilescope "
        "run cannot compile programs."};
  return {"nvcc", Health::Good, toolchain->version + ", " + toolchain->library,
          "It compiles your own kernels, as where they will run, and programs for tilescope run."};
}

Requirement examine_clang(compile::Compiler& compiler, const std::atomic<bool>* cancel) {
  const Result<compile::Toolchain> toolchain = compiler.clang(cancel);
  if (!toolchain)
    return {
        "clang", Health::Missing, text_of(toolchain.errors().front()),
        "It compiles any kernel where there is no NVRTC; registers and spills, which only ptxas knows, stay unknown."};
  const std::string& newest = toolchain->architectures.back();
  return {
      "clang", Health::Good, toolchain->version + ", " + toolchain->library,
      fmt::format("Compiles any kernel where there is no NVRTC, for architectures up to {}, whose PTX newer ones run "
                  "too; registers and spills, which only ptxas knows, stay unknown.",
                  newest)};
}

Requirement examine_driver() {
  std::ifstream file("/proc/driver/nvidia/version");
  std::string line;
  std::getline(file, line);
  if (!line.empty()) return {"NVIDIA driver", Health::Good, line, "Kernels can be measured on this machine's GPU."};
  if (loads("libcuda.so.1"))
    return {"NVIDIA driver", Health::Limited, "libcuda.so.1 is here but no kernel module is loaded",
            "Nothing can be measured here; everything counted works."};
  return {"NVIDIA driver", Health::Missing, "no libcuda.so.1",
          "Nothing can be measured here; everything counted works, and recorded measurements are shown."};
}

Requirement examine_gpu(const std::atomic<bool>* cancel) {
  const std::string list =
      output_of("nvidia-smi", {"--query-gpu=name,compute_cap,memory.total", "--format=csv,noheader"}, cancel);
  if (list.empty())
    return {"GPU", Health::Missing, "none that nvidia-smi lists", "Counts come from the emulator, which needs none."};
  return {"GPU", Health::Good, first_line(list), "Its times can be put beside the counts."};
}

Requirement examine_opengl() {
  if (!loads("libGL.so.1"))
    return {"OpenGL", Health::Missing, "no libGL.so.1", "No window can open; the command line does everything else."};
  const bool display = std::getenv("DISPLAY") || std::getenv("WAYLAND_DISPLAY");
  if (!display)
    return {"OpenGL", Health::Limited, "libGL.so.1, but neither DISPLAY nor WAYLAND_DISPLAY is set",
            "No window can open from here; the command line does everything else."};
  return {"OpenGL", Health::Good, "libGL.so.1 and a display", "A window can open if the display offers OpenGL 3.3."};
}

Requirement examine_fonts(const std::atomic<bool>* cancel) {
  const std::string match = output_of("fc-match", {"-f", "%{family}, %{file}", "monospace"}, cancel);
  if (match.empty())
    return {"Fonts", Health::Missing, "fc-match finds none",
            "The window would fall back on its built-in font; apt-get install fontconfig fonts-dejavu-core."};
  return {"Fonts", Health::Good, match, "Text in the window is drawn with it."};
}

Requirement examine_cache() {
  const fs::path folder = cache_folder();
  const std::string without = "Every compile starts afresh, which costs about a tenth of a second each.";
  if (folder.empty()) return {"Cache", Health::Limited, "neither XDG_CACHE_HOME nor HOME is set", without};
  std::error_code problem;
  fs::create_directories(folder, problem);
  const fs::path probe = folder / fmt::format("probe.{}", ::getpid());
  const Result<std::monostate> written = write_file(probe, "probe");
  fs::remove(probe, problem);
  if (!written) return {"Cache", Health::Limited, first_line(to_string(written.errors())), without};
  return {"Cache", Health::Good, folder.string(), "A kernel compiles once for each set of values."};
}

Requirement examine_vectors() {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512f"))
    return {"Vector unit", Health::Good, "AVX-512", "The emulator runs 16 lanes in one operation."};
  if (__builtin_cpu_supports("avx2"))
    return {"Vector unit", Health::Good, "AVX2", "The emulator runs 8 lanes in one operation."};
  return {"Vector unit", Health::Limited, "SSE2",
          "The emulator runs 4 lanes in one operation; AVX2 would double that."};
#else
  return {"Vector unit", Health::Good, "that of the compiler's target", "The emulator uses what the build chose."};
#endif
}

}  // namespace

std::vector<Requirement> examine_machine(compile::Compiler& compiler, const std::atomic<bool>* cancel) {
  return {examine_nvrtc(compiler, cancel),
          examine_nvcc(compiler, cancel),
          examine_clang(compiler, cancel),
          examine_driver(),
          examine_gpu(cancel),
          examine_opengl(),
          examine_fonts(cancel),
          examine_cache(),
          examine_vectors()};
}

}  // namespace tilescope::session
