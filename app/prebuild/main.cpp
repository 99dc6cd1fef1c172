// tilescope-prebuild: compiles every kernel of the catalogue with its defaults and with each of its presets, and writes
// assets/prebuilt/, from which a machine without NVRTC compiles. Run it when a kernel, its presets or the fixed
// compiler options change: what ships is found by a hash of those.

#include <cstdio>
#include <filesystem>
#include <string>
#include <vector>

#include "base/file.h"
#include "compile/compile.h"
#include "compile/prebuilt.h"
#include "kernel/catalogue.h"
#include "kernel/configuration.h"

namespace tilescope {
namespace {

constexpr const char* kArchitectures[] = {"sm_75", "sm_80", "sm_86", "sm_89", "sm_90"};
// Macros do not depend on the size; this one is a multiple of every tile.
constexpr kernel::Size kSize{1024, 1024, 1024};

std::vector<kernel::Settings> shipped_settings(const kernel::Description& description) {
  std::vector<kernel::Settings> all{{}};
  for (const kernel::Preset& preset : description.presets)
    if (auto settings = kernel::preset_settings(description, preset.name)) all.push_back(std::move(*settings));
  return all;
}

Result<compile::Request> request_for(const kernel::Kernel& kernel, const kernel::Settings& settings,
                                     const std::string& arch) {
  const auto configuration = kernel::configure(kernel.description, settings, kSize);
  if (!configuration) return configuration.errors();
  compile::Request request;
  request.source = kernel.source;
  request.file_name = kernel.file.string();
  request.arch = arch;
  for (const std::string& macro : configuration->macros) request.macros.push_back(compile::parse_macro(macro));
  return request;
}

Result<std::monostate> prebuild(compile::Compiler& compiler, const kernel::Kernel& kernel, const std::string& arch,
                                const std::filesystem::path& folder) {
  std::vector<compile::PrebuiltEntry> entries;
  for (const kernel::Settings& settings : shipped_settings(kernel.description)) {
    auto request = request_for(kernel, settings, arch);
    if (!request) return request.errors();
    auto output = compiler.compile(*request);
    if (!output) return output.errors();
    if (output->origin == compile::Origin::Prebuilt) return error("NVRTC is not usable here; install the CUDA Toolkit.");
    entries.push_back({std::move(*request), std::move(*output)});
  }
  return compile::write_prebuilt(folder, entries);
}

int run() {
  const std::filesystem::path data = data_folder();
  const kernel::Catalogue catalogue = kernel::load_catalogue(data / "kernels");
  Diagnostics problems = catalogue.problems;
  compile::Compiler compiler;
  for (const kernel::Kernel& kernel : catalogue.kernels)
    for (const char* arch : kArchitectures) {
      const auto done = prebuild(compiler, kernel, arch, data / "assets" / "prebuilt");
      if (!done) problems.insert(problems.end(), done.errors().begin(), done.errors().end());
      std::fprintf(stderr, "%s %s%s\n", kernel.name.c_str(), arch, done ? "" : ": failed");
    }
  if (!problems.empty()) std::fprintf(stderr, "%s\n", to_string(problems).c_str());
  return has_errors(problems) ? 1 : 0;
}

}  // namespace
}  // namespace tilescope

int main() { return tilescope::run(); }
