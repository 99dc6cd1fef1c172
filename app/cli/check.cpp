#include <cstdio>

#include <fmt/format.h>

#include "cli/commands.h"
#include "cli/console.h"
#include "cli/kernel_options.h"
#include "cli/report_text.h"
#include "run/run.h"
#include "wording/report_json.h"

namespace tilescope::cli {
namespace {

/// `tilescope check`: runs the four checkers over a whole grid. `options.size` may be empty: a small size is chosen.
int run_check(const KernelOptions& options) {
  Result<run::Request> request = make_request(options);
  if (!request) return fail(request.errors());
  if (options.size.empty()) {
    const Result<arch::Limits> limits = arch::find_limits(std::string_view(options.arch));
    if (!limits) return fail(limits.errors());
    request->size = run::smallest_size(request->kernel, request->settings, *limits);
  }
  compile::Compiler compiler;
  ProgressLine line;
  run::Control control = control_for(line);
  apply_limits(options, control);
  const Result<run::Report> report = run::make_check_report(*request, compiler, control);
  line.clear();
  if (!report) return fail(report.errors());
  warn(report->warnings);
  const bool is_guessed = options.like.empty() && !kernel::has_description(request->kernel);
  if (report->has_finding() && options.size.empty() && is_guessed) {
    const auto [m, n, k] = kernel::default_size(request->kernel.description);
    std::fputs(fmt::format("Checked at M={} N={} K={}, which tiles seldom divide, with what is assumed above; if the "
                           "kernel is meant for multiples of its tile, check it with --size M={},N={},K={}.\n",
                           report->size.m, report->size.n, report->size.k, m, n, k)
                   .c_str(),
               stderr);
  }
  const std::string text = options.json ? to_text(wording::to_json(*report)) : check_text(*report, terminal_style());
  return finish(text, report->has_finding() ? kFinding : kFine);
}

}  // namespace

void add_check(CLI::App& app, Action& chosen) {
  add_command(app, chosen, "check", "Run memcheck, racecheck, initcheck and synccheck on one kernel",
              add_kernel_options, run_check);
}

}  // namespace tilescope::cli
