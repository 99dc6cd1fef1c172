// tilescope-prebuild: compiles every kernel of the catalogue with its defaults and with each of its presets, for
// the default architecture also with every single slider value, and all runs of the lessons with what they are compared
// with, and writes assets/prebuilt/, from which a machine without NVRTC compiles. Run it when a kernel, its presets, a
// lesson's scenes or the fixed compiler options change: shipped PTX is found by a hash of those.

#include <cstdio>
#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "base/file.h"
#include "compile/compile.h"
#include "compile/prebuilt.h"
#include "kernel/catalogue.h"
#include "kernel/configuration.h"
#include "kernel/reach.h"
#include "kernel/reference.h"
#include "lesson/course.h"
#include "run/prepare.h"
#include "sass/cubin.h"

namespace tilescope {
namespace {

const std::string kDefault = "sm_90";  // Of every command, or sm_90a; the others get no slider values and no cubins.
constexpr uint32_t kCapabilities[] = {75, 80, 86, 89, 90};
// Macros do not depend on the size; this one is a multiple of every tile.
constexpr kernel::Size kSize{1024, 1024, 1024};

/// The architecture, the macros and the further options of a compile.
using Setting = std::tuple<std::string, std::vector<std::string>, std::vector<std::string>>;

/// The shipped settings of one file.
struct Shipment {
  kernel::Kernel kernel;
  std::set<Setting> settings;
};
using Shipments = std::map<std::string, Shipment>;  // By file.

void add(Shipments& shipments, const kernel::Kernel& kernel, const kernel::Settings& settings, const kernel::Size& size,
         const std::string& arch, Diagnostics& problems) {
  const auto configuration = kernel::configure(kernel.description, settings, size);
  if (!configuration) {
    problems.insert(problems.end(), configuration.errors().begin(), configuration.errors().end());
    return;
  }
  Shipment& shipment = shipments[kernel.file.string()];
  shipment.kernel = kernel;
  shipment.settings.emplace(kernel::compiled_arch(kernel.description, arch), configuration->macros,
                            configuration->options);
}

Shipments all_shipments(const std::filesystem::path& data, Diagnostics& problems) {
  const kernel::Catalogue catalogue = kernel::load_catalogue(data / "kernels");
  const lesson::Course course = lesson::load_course(data / "lessons", catalogue);
  problems = catalogue.problems;
  problems.insert(problems.end(), course.problems.begin(), course.problems.end());
  Shipments shipments;
  for (const kernel::Kernel& kernel : catalogue.kernels)
    for (const uint32_t capability : kCapabilities)
      for (const kernel::Settings& settings : kernel::preset_settings(kernel.description))
        if (kernel::has_instructions(kernel.description, capability))
          add(shipments, kernel, settings, kSize, "sm_" + std::to_string(capability), problems);
  for (const kernel::Kernel& kernel : catalogue.kernels)
    for (const kernel::Settings& settings : kernel::slider_settings(kernel.description))
      if (kernel::is_legal(kernel.description, settings, kSize))
        add(shipments, kernel, settings, kSize, kDefault, problems);
  for (const lesson::Lesson& each : course.lessons)
    for (const lesson::Scene& scene : lesson::all_scenes(each))
      add(shipments, *scene.kernel, scene.settings, scene.size, scene.arch, problems);
  return shipments;
}

compile::Request request_for(const kernel::Kernel& kernel, const Setting& setting) {
  run::Request request;
  request.kernel = kernel;
  kernel::Configuration configuration;
  std::tie(request.arch, configuration.macros, configuration.options) = setting;
  return run::compile_request(request, configuration);
}

Result<std::monostate> prebuild(compile::Compiler& compiler, const Shipment& shipment,
                                const std::filesystem::path& folder) {
  std::vector<compile::PrebuiltEntry> entries;
  std::vector<kernel::Kernel> kernels{shipment.kernel};
  if (shipment.kernel.description.reference) {
    Result<kernel::Kernel> reference = kernel::reference_kernel(shipment.kernel);
    if (!reference) return reference.errors();
    kernels.push_back(std::move(*reference));
  }
  const std::string cubin_arch = kernel::compiled_arch(shipment.kernel.description, kDefault);
  for (const Setting& setting : shipment.settings)
    for (const kernel::Kernel& kernel : kernels) {
      compile::Request request = request_for(kernel, setting);
      Result<compile::Output> output = compiler.compile(request);
      if (!output) return output.errors();
      output->cubin = request.arch == cubin_arch ? sass::without_ptx_text(output->cubin) : std::vector<uint8_t>();
      entries.push_back({std::move(request), std::move(*output)});
    }
  return compile::write_prebuilt(folder, entries);
}

int prebuild_all() {
  const std::filesystem::path data = data_folder();
  Diagnostics problems;
  compile::Settings settings;
  settings.choice = compile::Choice::Nvrtc;
  compile::Compiler compiler(settings);
  for (const auto& [file, shipment] : all_shipments(data, problems)) {
    const auto done = prebuild(compiler, shipment, data / "assets" / "prebuilt");
    if (!done) problems.insert(problems.end(), done.errors().begin(), done.errors().end());
    std::fprintf(stderr, "%s%s\n", shipment.kernel.name.c_str(), done ? "" : ": failed");
  }
  if (!problems.empty()) std::fprintf(stderr, "%s\n", to_string(problems).c_str());
  return has_errors(problems) ? 1 : 0;
}

}  // namespace
}  // namespace tilescope

int main() { return tilescope::prebuild_all(); }
