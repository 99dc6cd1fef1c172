#include <cstdio>
#include <vector>

#include <fmt/format.h>

#include "base/arithmetic.h"
#include "base/file.h"
#include "cli/commands.h"
#include "cli/console.h"
#include "cli/kernel_options.h"
#include "cli/report_text.h"
#include "cli/scene_options.h"
#include "cli/stages.h"
#include "cli/text.h"
#include "run/run.h"
#include "store/measurement.h"
#include "wording/report_json.h"
#include "wording/stop.h"

namespace tilescope::cli {
namespace {
using run::Report;

struct PlayOptions {
  std::string size = "256";
  std::string arch = "sm_90";
  bool json = false;
};

struct Stage {
  std::string summary;
  Report report;
};

std::string ratio_text(uint64_t a, uint64_t b) { return b == 0 ? "-" : fmt::format("{:.1f}", ratio(a, b)); }

/// "16.5 (4.0)" if the ideal is missed, "4.0" if it is met.
std::string with_ideal(double actual, double ideal, uint64_t requests) {
  if (requests == 0) return "-";
  return actual > ideal + 0.05 ? fmt::format("{:.1f} ({:.1f})", actual, ideal) : fmt::format("{:.1f}", actual);
}

std::string sectors_text(const analysis::GlobalCounts& counts) {
  return with_ideal(counts.sectors_per_request(), counts.ideal_sectors_per_request(), counts.requests);
}

std::string wavefronts_text(const analysis::SharedCounts& counts) {
  return with_ideal(counts.wavefronts_per_request(), counts.ideal_wavefronts_per_request(), counts.requests);
}

std::vector<std::string> ladder_row(const Report& report) {
  const analysis::PcCounts& memory = report.counts.memory;
  const uint64_t elements = report.elements_counted();
  const uint64_t copied = memory.bulk_load.bytes / analysis::kBankBytes;
  return {report.kernel,
          sectors_text(memory.global_load),
          ratio_text(memory.global_load.words + copied, elements),
          wavefronts_text(memory.shared_load_merged),
          ratio_text(memory.shared_load.words, elements),
          report.counts.tensor_fma() > 0 ? "-" : ratio_text(report.counts.fma, memory.shared_load.words),
          report.occupancy ? fmt::format("{:.0f} %", report.occupancy->theoretical * 100) : "-",
          report.bound ? std::string(to_string(report.bound->second.limiting)) : "-",
          report.bound ? fmt::format("{:.0f}", report.bound->second.gflops) : "-"};
}

std::string ladder(const std::vector<Stage>& stages, const Style& style) {
  Table table({Align::Left, Align::Right, Align::Right, Align::Right, Align::Right, Align::Right, Align::Right,
               Align::Left, Align::Right});
  table.row({"", "sectors", "global", "wavefronts", "shared", "FMAs per", "", "", "GFLOPS"});
  table.row({"", "per global", "words per", "per shared", "words per", "shared", "", "the bound", "at"});
  table.row({style.bold("stage"), "load", "element", "load", "element", "word", "occupancy", "is", "most"});
  for (const Stage& stage : stages) table.row(ladder_row(stage.report));
  return table.text();
}

std::string verdict(const Report& report, const Style& style) {
  if (report.has_finding())
    return style.bad(fmt::format("something is wrong: tilescope trace {} says what", report.kernel));
  if (!report.verified) return fmt::format("C was not verified: {}", wording::unverified_text(report));
  return fmt::format("C is {}{}", style.good("right"), sample_text(report.counts));
}

std::string stage_text(const Stage& stage, const Style& style) {
  const Report& report = stage.report;
  const std::string params = report.params.empty() ? "" : store::params_text(report.params).append(": ");
  return fmt::format("{}  {}\n    {}\n    {}grid {}, block {}, {}\n\n", style.bold(report.kernel), report.title,
                     wrapped(stage.summary, 96, 4), params, to_string(report.grid), to_string(report.block),
                     verdict(report, style));
}

std::string closing(const Report& report) {
  const std::string bound =
      report.bound ? fmt::format(
                         "The bound is the least time that {} needs for the counted work, all of its units "
                         "overlapping perfectly.",
                         report.bound->first)
                   : "";
  const std::string legend = fmt::format(
      "{}, {}. Counts come from executing every kernel on the CPU; a word is 4 bytes, an element one of C. Shared "
      "loads are counted as ptxas merges them. In brackets the ideal, where a stage misses it. {}",
      kernel::size_text(report.extents, report.size), report.arch, bound);
  return fmt::format("\n{}\n{}\n", wrapped(legend, 100),
                     "tilescope trace NAME shows one stage line by line; tilescope kernels lists their parameters.");
}

/// The report of a stage with its default parameters.
Result<Report> play_stage(const kernel::Kernel& kernel, const kernel::Size& size, const PlayOptions& options,
                          compile::Compiler& compiler) {
  ProgressLine line(fmt::format("{}: ", kernel.name));
  run::Request request;
  request.kernel = kernel;
  request.size = size;
  request.arch = options.arch;
  return run::make_report(request, compiler, control_for(line));
}

std::string as_json(const std::vector<Stage>& stages) {
  nlohmann::ordered_json json{{"stages", nlohmann::ordered_json::array()}};
  for (const Stage& stage : stages) json["stages"].push_back(wording::to_json(stage.report));
  return to_text(json);
}

void add_play_options(CLI::App& command, PlayOptions& options) {
  command.add_option("--size", options.size, "256, or M=256,N=128,K=64");
  command.add_option("--arch", options.arch, "Compile for this architecture (default sm_90)");
  command.add_flag("--json", options.json, "One JSON object instead of text");
  add_compiler_option(command);
}

/// `tilescope play`, and tilescope without a command or a display: compiles and emulates the stages of the catalogue
/// one after another, prints a report of each and a comparison.
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
  const Stages taken = stages_at(catalogue, *size, options.arch);
  if (taken.legal.empty()) return fail(taken.skipped);
  warn(taken.skipped);
  for (const kernel::Kernel& kernel : taken.legal) {
    Result<Report> report = play_stage(kernel, *size, options, compiler);
    if (!report) {
      status = fail(report.errors());
      if (status == kInterrupted) return status;
      continue;
    }
    if (report->has_finding() && status == kFine) status = kFinding;
    stages.push_back({kernel.description.summary, std::move(*report)});
    if (!options.json && finish(stage_text(stages.back(), style), kFine) != kFine) return kBadInput;
  }
  if (options.json) return finish(as_json(stages), status);
  return stages.empty() ? status : finish(ladder(stages, style) + closing(stages.front().report), status);
}

}  // namespace

void add_play(CLI::App& app, Action& chosen) {
  add_command(app, chosen, "play",
              "Emulate the stages one after another and compare them (the default without a display)", add_play_options,
              run_play);
}

int run_default() {
  if (window::has_display()) return open_window({});
  std::fputs("There is no display for the window, so the stages run here; tilescope --help lists the commands.\n",
             stderr);
  return run_play({});
}

}  // namespace tilescope::cli
