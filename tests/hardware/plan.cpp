// Writes what launch.cu needs to run the catalogue on a GPU, and what the emulator counted for each launch:
//   hardware_plan FOLDER   ->   FOLDER/launches.txt, FOLDER/counted.csv, FOLDER/*.cubin
// A line of launches.txt: name cubin entry grid.xyz block.xyz dynamic-shared arguments...; an argument is
// "array:BYTES", "int:VALUE" or "float:VALUE".

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iostream>

#include <fmt/format.h>

#include "base/file.h"
#include "kernel/catalogue.h"
#include "run/run.h"

namespace fs = std::filesystem;
using namespace tilescope;

namespace {

std::string argument_text(const kernel::Configuration& configuration, const kernel::ArgumentValue& argument) {
  if (argument.array >= 0)
    return fmt::format("array:{}", configuration.arrays[static_cast<size_t>(argument.array)].bytes);
  if (argument.element == Element::F32) return fmt::format("float:{}", argument.real);
  return fmt::format("int:{}", argument.integer);
}

std::string launch_line(const std::string& name, const run::Prepared& prepared) {
  const kernel::Configuration& c = prepared.configuration;
  std::string line =
      fmt::format("{0} {0}.cubin {1} {2} {3} {4} {5} {6} {7} {8}", name, prepared.program().function().name, c.grid.x,
                  c.grid.y, c.grid.z, c.block.x, c.block.y, c.block.z, c.dynamic_shared_bytes);
  for (const kernel::ArgumentValue& argument : c.arguments) line += fmt::format(" {}", argument_text(c, argument));
  return line;
}

constexpr const char* kHeader =
    "name,fma,global_load_requests,global_load_sectors,global_store_requests,global_store_sectors,shared_load_requests,"
    "shared_load_wavefronts,shared_load_conflicts,shared_store_requests,shared_store_wavefronts,shared_store_"
    "conflicts\n";

std::string counted_line(const std::string& name, const run::Counts& counts) {
  const analysis::PcCounts& m = counts.memory;
  return fmt::format("{},{},{},{},{},{},{},{},{},{},{},{}\n", name, counts.fma, m.global_load.requests,
                     m.global_load.sectors, m.global_store.requests, m.global_store.sectors,
                     m.shared_load_merged.requests, m.shared_load_merged.wavefronts,
                     m.shared_load_merged.bank_conflicts, m.shared_store_merged.requests,
                     m.shared_store_merged.wavefronts, m.shared_store_merged.bank_conflicts);
}

struct Files {
  std::ofstream launches, counted;
};

void plan_one(const kernel::Kernel& kernel, const std::string& preset, const kernel::Settings& settings,
              const kernel::Size& size, compile::Compiler& compiler, const fs::path& folder, Files& files) {
  run::Request request;
  request.kernel = kernel;
  request.settings = settings;
  request.size = size;
  run::Control control;
  control.instruction_limit = ~uint64_t{0};
  const std::string name = fmt::format("{}.{}.{}x{}x{}", kernel.name, preset, size.m, size.n, size.k);
  const Result<run::PreparedPointer> prepared = run::prepare(request, compiler);
  if (!prepared) return;  // A size that this kernel does not take.
  const std::vector<kernel::ArgumentValue>& arguments = (*prepared)->configuration.arguments;
  if (std::any_of(arguments.begin(), arguments.end(),
                  [](const auto& argument) { return argument.tensor.has_value(); })) {
    std::cerr << name << ": takes a tensor map, which launch.cu does not make\n";
    return;
  }
  const Result<run::Report> report = run::make_report(request, compiler, control);
  if (!report || report->has_finding()) {
    std::cerr << name << ": " << (report ? "has findings" : to_string(report.errors())) << '\n';
    return;
  }
  files.launches << launch_line(name, **prepared) << '\n';
  files.counted << counted_line(name, report->counts);
  std::ofstream(folder / (name + ".cubin"), std::ios::binary)
      .write(reinterpret_cast<const char*>((*prepared)->build->compiled.cubin.data()),
             static_cast<std::streamsize>((*prepared)->build->compiled.cubin.size()));
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::cerr << "usage: hardware_plan FOLDER\n";
    return 2;
  }
  const fs::path folder = argv[1];
  fs::create_directories(folder);
  Files files{std::ofstream(folder / "launches.txt"), std::ofstream(folder / "counted.csv")};
  files.counted << kHeader;
  compile::Compiler compiler;
  const std::vector<kernel::Size> sizes{{256, 256, 256}, {384, 256, 128}, {257, 131, 67}};
  for (const kernel::Kernel& kernel : kernel::load_catalogue(data_folder() / "kernels").kernels)
    for (const kernel::Size& size : sizes) {
      plan_one(kernel, "default", {}, size, compiler, folder, files);
      for (const kernel::Preset& preset : kernel.description.presets) {
        const Result<kernel::Settings> settings = kernel::preset_settings(kernel.description, preset.name);
        if (settings) plan_one(kernel, preset.name, *settings, size, compiler, folder, files);
      }
    }
  return files.launches && files.counted ? 0 : 1;
}
