#include "cli/launch_list.h"

#include <filesystem>
#include <memory>
#include <utility>

#include "base/arithmetic.h"
#include "base/file.h"

namespace tilescope::cli {
namespace {

session::LaunchLine line_of(const run::Report& report) {
  session::LaunchLine line;
  line.kernel = report.kernel;
  line.grid = report.grid;
  line.block = report.block;
  const analysis::PcCounts& memory = report.counts.memory;
  const uint64_t requests = memory.global_load.requests + memory.global_store.requests;
  if (requests) line.sectors = ratio(memory.global_load.sectors + memory.global_store.sectors, requests);
  if (report.predicted) line.seconds = report.predicted->seconds;
  line.findings = report.findings.size();
  line.stopped = report.stopped.has_value();
  return line;
}

}  // namespace

Result<std::monostate> show_launches(program::ProgramRun run, size_t shown, const std::string& program,
                                     window::Options& options) {
  session::LaunchList list{std::filesystem::path(program).filename().string(), {}, shown};
  for (const program::LaunchRecord& launch : run.launches) list.lines.push_back(line_of(launch.report));
  for (const auto& [index, captured] : run.captured) list.lines[index].kept = true;
  const auto captured = std::make_shared<const std::map<size_t, program::CapturedLaunch>>(std::move(run.captured));
  const auto open = [captured](size_t index) { return program::open_launch(captured->at(index)); };
  Result<kernel::Opened> opened = open(shown);
  if (!opened) return opened.errors();
  kernel::set_apart(opened->kernel, kernel::load_catalogue(data_folder() / "kernels"));
  options.state.inputs.kernel = opened->kernel.name;
  options.state.inputs.size = kernel::default_size(opened->kernel.description);
  options.own = std::move(*opened);
  options.launches = std::move(list);
  options.open_launch = open;
  return std::monostate{};
}

}  // namespace tilescope::cli
