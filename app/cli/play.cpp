#include "cli/play.h"

#include <vector>

#include <fmt/format.h>

#include "base/file.h"
#include "cli/console.h"
#include "cli/report_text.h"
#include "cli/text.h"
#include "session/report_json.h"
#include "session/run.h"

namespace tilescope::cli {
namespace {
using session::Report;

struct Stage {
  std::string summary;
  Report report;
};

double ratio(uint64_t a, uint64_t b) { return b == 0 ? 0 : static_cast<double>(a) / static_cast<double>(b); }

std::string ratio_text(uint64_t a, uint64_t b) { return b == 0 ? "-" : fmt::format("{:.1f}", ratio(a, b)); }

std::vector<std::string> ladder_row(const Report& report) {
  const analysis::PcCounts& memory = report.counts.memory;
  const uint64_t elements = report.counts.blocks_counted == report.counts.blocks_total
                                ? static_cast<uint64_t>(report.size.m * report.size.n)
                                : (report.verified ? report.verified->elements : 0);
  return {report.kernel,
          ratio_text(memory.global_load.sectors, memory.global_load.requests),
          ratio_text(memory.global_load.words, elements),
          ratio_text(memory.shared_load_merged.wavefronts, memory.shared_load_merged.requests),
          ratio_text(memory.shared_load.words, elements),
          ratio_text(report.counts.fma, memory.shared_load.words),
          report.occupancy ? fmt::format("{:.0f} %", report.occupancy->theoretical * 100) : "-",
          report.bound ? std::string(to_string(report.bound->second.limiting)) : "-",
          report.bound ? fmt::format("{:.0f}", report.bound->second.gflops) : "-"};
}

std::string ladder(const std::vector<Stage>& stages, const Style& style) {
  Table table({Align::Left, Align::Right, Align::Right, Align::Right, Align::Right, Align::Right, Align::Right,
               Align::Left, Align::Right});
  table.row({"", "sectors", "global", "wavefronts", "shared", "FMA per", "", "", "GFLOPS"});
  table.row({"", "a global", "words an", "a shared", "words an", "shared", "", "the bound", "at that"});
  table.row({style.bold("stage"), "load", "element", "load", "element", "word", "occupancy", "is", "bound"});
  for (const Stage& stage : stages) table.row(ladder_row(stage.report));
  return table.text();
}

std::string stage_text(const Stage& stage, const Style& style) {
  const Report& report = stage.report;
  std::string text = style.bold(report.kernel) + "  " + report.title + '\n';
  text += "    " + wrapped(stage.summary, 96, 4) + '\n';
  text += fmt::format("    {}{}grid {}, block {}, {}\n", params_text(report), report.params.empty() ? "" : ": ",
                      to_string(report.grid), to_string(report.block),
                      report.has_finding()
                          ? style.bad("something is wrong: tilescope trace " + report.kernel + " says what")
                      : report.verified ? "C is " + style.good("right")
                                        : "C was not verified: " + report.not_verified);
  return text + '\n';
}

std::string closing(const Report& report) {
  return "\n" +
         wrapped(
             fmt::format("{}, {}. Counts come from executing every kernel on the CPU; a word is 4 bytes, an element "
                         "one of C. Ideal for 32 lanes that read 4 bytes each: 4 sectors, 1 wavefront. {}",
                         size_text(report.size), report.arch,
                         report.bound ? "The bound is the least time that " + report.bound->first +
                                            " needs for the counted work, all units overlapping perfectly."
                                      : ""),
             100) +
         "\n" +
         wrapped("tilescope trace NAME shows one stage line by line; tilescope kernels lists their parameters.", 100) +
         "\n";
}

}  // namespace

int run_play(const PlayOptions& options) {
  const Result<kernel::Size> size = kernel::parse_size(options.size);
  if (!size) return fail(size.errors());
  const kernel::Catalogue catalogue = kernel::load_catalogue(data_folder() / "kernels");
  warn(catalogue.problems);
  if (catalogue.kernels.empty()) return fail("No kernels in " + (data_folder() / "kernels").string() + ".");
  const Style style = terminal_style();
  compile::Compiler compiler;
  std::vector<Stage> stages;
  int status = kFine;
  for (const kernel::Kernel& kernel : catalogue.kernels) {
    ProgressLine line(kernel.name + ": ");
    session::Request request;
    request.kernel = kernel;
    request.size = *size;
    request.arch = options.arch;
    Result<Report> report = session::run(request, compiler, control_for(line));
    line.clear();
    if (interrupted()) return fail(Diagnostics{});
    if (!report) {
      warn(report.errors());
      status = kBadInput;
      continue;
    }
    if (report->has_finding() && status == kFine) status = kFinding;
    stages.push_back({kernel.description.summary, std::move(*report)});
    if (!options.json && finish(stage_text(stages.back(), style), kFine) != kFine) return kBadInput;
  }
  if (stages.empty()) return status;
  if (!options.json) return finish(ladder(stages, style) + closing(stages.front().report), status);
  nlohmann::ordered_json json{{"stages", nlohmann::ordered_json::array()}};
  for (const Stage& stage : stages) json["stages"].push_back(session::to_json(stage.report));
  return finish(json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n", status);
}

}  // namespace tilescope::cli
