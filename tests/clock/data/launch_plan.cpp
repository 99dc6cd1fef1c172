// Writes the launches that a GPU is measured on, for measure_launches.cu:
//   launch_plan FOLDER KERNELS-FOLDER   ->   FOLDER/launches.txt, FOLDER/*.cubin
// Every stage at its defaults and presets at 1024, 2048 and 4096, the kernels of KERNELS-FOLDER at 1024 and 2048, and
// the examples. A launch is a few lines of text: a name, a cubin, the shape, the arrays, the arguments.

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <map>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/file.h"
#include "kernel/catalogue.h"
#include "kernel/open_file.h"
#include "run/launch_memory.h"
#include "run/run.h"

namespace fs = std::filesystem;
using namespace tilescope;

namespace {

struct Plan {
  fs::path folder;
  std::ofstream launches;
  compile::Compiler compiler;
  std::map<std::vector<std::byte>, std::string> cubins;
};

std::string tensor_text(const kernel::TensorMapValue& tensor) {
  const TensorMap& m = tensor.map;
  return fmt::format("tensor {} {} {} {} {} {} {} {} {} {}", tensor.array, static_cast<int>(m.element),
                     int{m.rounds_to_tf32}, int{m.fills_with_nan}, m.dimensions, static_cast<int>(m.swizzle),
                     fmt::join(m.extent, " "), fmt::join(m.stride, " "), fmt::join(m.box, " "), fmt::join(m.step, " "));
}

std::string argument_text(const kernel::ArgumentValue& argument) {
  if (argument.tensor) return tensor_text(*argument.tensor);
  if (argument.array >= 0) return fmt::format("array {}", argument.array);
  if (argument.element == Element::F32) return fmt::format("float {}", argument.real);
  if (argument.element == Element::F64) return fmt::format("double {}", argument.real);
  return fmt::format("int {} {}", size_of(argument.element), argument.integer);
}

void add(Plan& plan, const kernel::Kernel& kernel, const std::string& preset, const kernel::Settings& settings,
         const kernel::Size& size) {
  run::Request request;
  request.kernel = kernel;
  request.settings = settings;
  request.size = size;
  const auto prepared = run::prepare(request, plan.compiler);
  if (!prepared) {
    std::cerr << kernel.name << ' ' << preset << ' ' << size.m << ": " << to_string(prepared.errors()) << '\n';
    return;
  }
  const run::Prepared& p = **prepared;
  const kernel::Configuration& c = p.configuration;
  const auto& cubin = p.build->compiled.cubin;
  std::vector<std::byte> bytes(reinterpret_cast<const std::byte*>(cubin.data()),
                               reinterpret_cast<const std::byte*>(cubin.data()) + cubin.size());
  auto [at, fresh] = plan.cubins.try_emplace(bytes, fmt::format("{}.{}.cubin", kernel.name, plan.cubins.size()));
  if (fresh)
    std::ofstream(plan.folder / at->second, std::ios::binary)
        .write(reinterpret_cast<const char*>(cubin.data()), static_cast<std::streamsize>(cubin.size()));
  plan.launches << fmt::format("launch {} {} {} {} {}\n", kernel.name, preset, size.m, at->second,
                               p.program().function().name);
  std::string parameters;
  for (const auto& [name, value] : c.parameters)
    parameters += fmt::format("{}{}={}", parameters.empty() ? "" : ";", name, value);
  plan.launches << "parameters " << parameters << '\n';
  plan.launches << fmt::format("shape {} {} {} {} {} {} {} {}\n", c.grid.x, c.grid.y, c.grid.z, c.block.x, c.block.y,
                               c.block.z, c.dynamic_shared_bytes, int{c.cooperative});
  for (const auto& array : c.arrays)
    plan.launches << fmt::format("allocation {} {} {} {} {}\n", array.name,
                                 array.space == Space::Global ? array.bytes : 0, static_cast<int>(array.element),
                                 array.role == kernel::Role::Output && !array.initial ? 0 : 1,
                                 array.initial ? fmt::format("{}", *array.initial) : "-");
  for (const auto& argument : c.arguments) plan.launches << argument_text(argument) << '\n';
  plan.launches << "end\n";
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) return 2;
  Plan plan;
  plan.folder = argv[1];
  fs::create_directories(plan.folder);
  plan.launches.open(plan.folder / "launches.txt");
  for (const kernel::Kernel& kernel : kernel::load_catalogue(data_folder() / "kernels").kernels)
    for (const uint64_t n : {1024, 2048, 4096}) {
      const auto u = static_cast<decltype(kernel::Size::m)>(n);
      add(plan, kernel, "default", {}, {u, u, u});
      for (const kernel::Preset& preset : kernel.description.presets) {
        const auto settings = kernel::preset_settings(kernel.description, preset.name);
        if (settings) add(plan, kernel, preset.name, *settings, {u, u, u});
      }
    }
  for (const kernel::Kernel& kernel : kernel::load_catalogue(argv[2]).kernels)
    for (const int64_t n : {1024, 2048}) {
      const auto u = static_cast<decltype(kernel::Size::m)>(n);
      add(plan, kernel, "default", {}, {u, u, u});
    }
  for (const kernel::Kernel& kernel : kernel::load_catalogue(data_folder() / "examples").kernels) {
    const auto big = static_cast<decltype(kernel::Size::m)>(2048);
    add(plan, kernel, "default", {}, {big, big, big});
  }
  return 0;
}
