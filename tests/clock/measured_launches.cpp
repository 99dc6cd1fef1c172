#include "clock/measured_launches.h"

#include <chrono>
#include <fstream>
#include <numeric>
#include <sstream>

#include "base/file.h"
#include "built_compiler.h"
#include "run/run.h"

namespace tilescope::test {
namespace {

std::filesystem::path folder() { return data_folder() / "tests" / "clock"; }

std::vector<std::string> split(const std::string& line) {
  std::vector<std::string> parts;
  std::stringstream in(line);
  for (std::string part; std::getline(in, part, ',');) parts.push_back(part);
  return parts;
}

std::array<double, clock::kStalls> shares_of(std::array<double, clock::kStalls> clocks) {
  const double all = std::accumulate(clocks.begin(), clocks.end(), 0.0);
  for (double& c : clocks) c = all > 0 ? c / all : 0;
  return clocks;
}

}  // namespace

std::string MeasuredLaunch::name() const { return fmt::format("{}.{}.{}", kernel, preset, size); }

double MeasuredLaunch::operator[](const std::string& column) const {
  const auto at = columns.find(column);
  return at == columns.end() ? 0 : at->second;
}

bool MeasuredLaunch::is_of_the_ladder() const {
  return kernel.size() > 2 && std::isdigit(kernel[0]) && std::isdigit(kernel[1]) && kernel.substr(0, 2) <= "16";
}

std::array<double, clock::kStalls> MeasuredLaunch::stall_shares() const {
  std::array<double, clock::kStalls> clocks{};
  for (size_t i = 0; i < clock::kStalls; ++i)
    clocks[i] = (*this)[fmt::format("stalled_{}_per_issue", clock::to_string(static_cast<clock::Stall>(i)))];
  for (const char* other : {"gmma", "sleeping", "tex_throttle"})
    clocks[static_cast<size_t>(clock::Stall::Misc)] += (*this)[fmt::format("stalled_{}_per_issue", other)];
  return shares_of(clocks);
}

std::vector<MeasuredLaunch> read_measured_launches() {
  std::ifstream in(folder() / "data" / "h200_launches.csv");
  std::string line;
  std::getline(in, line);
  const std::vector<std::string> head = split(line);
  std::vector<MeasuredLaunch> launches;
  while (std::getline(in, line)) {
    const std::vector<std::string> parts = split(line);
    MeasuredLaunch launch;
    for (size_t i = 0; i < head.size() && i < parts.size(); ++i)
      launch.columns[head[i]] = std::strtod(parts[i].c_str(), nullptr);
    launch.kernel = parts.at(0);
    launch.preset = parts.at(1);
    launch.size = static_cast<int64_t>(launch["size"]);
    launch.is_fitted = launches.size() % 2 == 0;
    launches.push_back(std::move(launch));
  }
  return launches;
}

std::array<double, clock::kStalls> SimulatedLaunch::stall_shares() const { return shares_of(time.run.stalls); }

LaunchSimulator::LaunchSimulator() : compiler_(built_settings(compile::Choice::Nvrtc)) {
  for (const auto& of :
       {data_folder() / "kernels", data_folder() / "examples", folder() / "kernels", folder() / "hand_made"})
    for (kernel::Kernel& kernel : kernel::load_catalogue(of).kernels) kernels_.push_back(std::move(kernel));
}

Result<SimulatedLaunch> LaunchSimulator::simulate(const MeasuredLaunch& launch, const clock::SmModel& model,
                                                  uint64_t instructions) {
  run::Request request;
  for (const kernel::Kernel& kernel : kernels_)
    if (kernel.name == launch.kernel) request.kernel = kernel;
  if (request.kernel.name.empty()) return error(fmt::format("There is no kernel {}.", launch.kernel));
  if (launch.preset != "default") {
    const auto settings = kernel::preset_settings(request.kernel.description, launch.preset);
    if (!settings) return error(fmt::format("{} has no preset {}.", launch.kernel, launch.preset));
    request.settings = *settings;
  }
  request.size = {launch.size, launch.size, launch.size};
  const auto prepared = run::prepare(request, compiler_);
  if (!prepared) return prepared.errors();
  const auto begin = std::chrono::steady_clock::now();
  auto clock = run::clock_of(**prepared, request.seed, {.model = &model, .instructions = instructions});
  if (!clock) return clock.errors();
  SimulatedLaunch simulated{std::move(*clock)};
  const uint64_t warps = ((*prepared)->configuration.block.count() + arch::kWarpSize - 1) / arch::kWarpSize;
  simulated.schedulers = std::min<uint64_t>(arch::kSchedulers, warps * simulated.time.resident);
  simulated.wall = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  return simulated;
}

}  // namespace tilescope::test
