#include <cstdio>

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
  if (report->has_finding() && options.size.empty() && is_guessed)
    std::fprintf(
        stderr,
        "Checked at M=%lld N=%lld K=%lld, which tiles seldom divide, with what is assumed above; if the kernel is "
        "meant for multiples of its tile, check it with --size 256.\n",
        static_cast<long long>(report->size.m), static_cast<long long>(report->size.n),
        static_cast<long long>(report->size.k));
  const std::string text = options.json ? to_text(wording::to_json(*report)) : check_text(*report, terminal_style());
  return finish(text, report->has_finding() ? kFinding : kFine);
}

}  // namespace

void add_check(CLI::App& app, Action& chosen) {
  add_command(app, chosen, "check", "Run memcheck, racecheck, initcheck and synccheck on one kernel",
              add_kernel_options, run_check);
}

}  // namespace tilescope::cli
