#include "run/report_of.h"

#include <algorithm>
#include <utility>

#include "run/count.h"

namespace tilescope::run {
namespace {

int hottest_line(const Counts& counts) {
  const auto hottest = std::max_element(counts.lines.begin(), counts.lines.end(), [](const auto& a, const auto& b) {
    return a.warp_instructions < b.warp_instructions;
  });
  return hottest == counts.lines.end() ? 0 : hottest->line;
}

}  // namespace

Result<Report> report_of(const LaunchedKernel& launch, GridRun run, const Control& control) {
  if (run.out_of_memory)
    return error(Message("There is too little memory to run the blocks of {}; choose a smaller size or fewer threads.",
                         launch.name));
  Report report;
  report.kernel = launch.name;
  report.file = launch.file;
  report.arch = arch::target_name(launch.limits);
  report.grid = launch.shape.grid;
  report.block = launch.shape.block;
  report.resources = launch.resources;
  report.shared_bytes = launch.resources.shared_bytes + launch.shape.dynamic_shared_bytes;
  report.cooperative = launch.is_cooperative() || !run.companions.empty();
  report.occupancy = launch.occupancy;
  report.counts = count(run, launch.facts, launch.blocks());
  report.counts.blocks = std::move(run.sample);
  if (run.outcome != emulator::Outcome::Finished)
    report.stopped = Stop{.outcome = run.outcome,
                          .block = position_in(report.grid, run.failed_block),
                          .file = report.file,
                          .line = hottest_line(report.counts),
                          .step_budget = control.step_budget,
                          .seconds = run.seconds_allowed,
                          .was_progressing = run.was_progressing,
                          .blocks_done = run.blocks_done,
                          .blocks_total = launch.blocks()};
  report.findings = std::move(run.findings);
  report.printed = std::move(run.printed);
  return report;
}

}  // namespace tilescope::run
