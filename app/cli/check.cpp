#include <algorithm>
#include <cstdio>
#include <optional>

#include <fmt/format.h>

#include "cli/commands.h"
#include "cli/console.h"
#include "cli/kernel_options.h"
#include "cli/program_launch.h"
#include "cli/report_text.h"
#include "run/run.h"
#include "run/unproved.h"
#include "wording/report_json.h"

namespace tilescope::cli {
namespace {

/// For a launch that nobody asked for: one that is assumed, in a file whose program can be run instead, and else.
constexpr double kShortGuessSeconds = 5, kGuessSeconds = 20;

/// Of a file that describes nothing: what goes wrong at an odd size with whole tiles too.
Result<std::monostate> confirm(run::Report& report, run::Request request, compile::Compiler& compiler,
                               const run::Control& control) {
  constexpr int64_t kWhole = 128, kWholeRow = 1024;
  const kernel::Size last = kernel::default_size(request.kernel.description);
  const kernel::Size row{std::min(last.m, kWhole), std::min(last.n, kWholeRow), std::min(last.k, kWhole)};
  request.size = request.kernel.description.size ? row : kernel::Size{kWhole, kWhole, kWhole};
  if (!run::configure(request)) request.size = last;
  const Result<run::Report> whole = run::make_check_report(request, compiler, control);
  if (!whole) return whole.errors();
  run::keep_what_whole_tiles_show(report, *whole);
  return std::monostate{};
}

int finish_report(const run::Report& found, const KernelOptions& options) {
  const std::string text = options.json ? to_text(wording::to_json(found)) : check_text(found, terminal_style());
  return finish(text, found.has_finding() ? kFinding : kFine);
}

/// A launch that the program itself makes, the first by default; `why` it is run.
Result<ProgramLaunch> ask_program(const KernelOptions& options, const std::string& why) {
  ProgressLine line;
  run::Control control = control_for(line);
  apply_limits(options, control);
  if (!options.program.is_made() && options.max_seconds == 0) control.seconds = kGuessSeconds;
  std::fprintf(stderr, "%s\n", why.c_str());
  return run_to_launch(options, control);
}

int check_program(const KernelOptions& options, const std::string& why) {
  const Result<ProgramLaunch> launch = ask_program(options, why);
  return launch ? finish_report(launch->report, options) : fail(launch.errors());
}

/// Whether nothing can be said because of what was assumed.
bool is_undecided(const run::Report& report) {
  return report.findings.empty() &&
         (!report.unproved.empty() || report.not_verified == run::Unverified::ProductAssumed ||
          report.not_verified == run::Unverified::LaunchGuessed || report.stopped);
}

/// `tilescope check`: runs the four checkers over a whole grid. `options.size` may be empty: a small size is chosen.
int run_check(const KernelOptions& options) {
  const Result<bool> of_program = asks_program(options.kernel, options.program);
  if (!of_program) return fail(of_program.errors());
  if (*of_program)
    return check_program(options, fmt::format("The program is run up to launch {}; tilescope run checks all of them.",
                                              options.program.number()));
  const bool may_ask = options.like.empty() && options.size.empty() && has_program(options.kernel);
  Result<run::Request> request = make_request(options);
  if (!request && may_ask) {
    warn(request.errors());
    return check_program(options, "So the program is run up to its first launch.");
  }
  if (!request) return fail(request.errors());
  if (options.size.empty()) {
    const Result<arch::Limits> limits = arch::find_limits(std::string_view(options.arch));
    if (!limits) return fail(limits.errors());
    request->size = run::smallest_size(request->kernel, request->settings, *limits);
  }
  compile::Compiler compiler;
  std::optional<ProgressLine> line(std::in_place);
  run::Control control = control_for(*line);
  apply_limits(options, control);
  const bool is_odd_guess = options.size.empty() && request->kernel.description.proposed;
  if (request->kernel.description.proposed && options.max_seconds == 0)
    control.seconds = may_ask ? kShortGuessSeconds : kGuessSeconds;
  Result<run::Report> report = run::make_check_report(*request, compiler, control);
  if (report && is_odd_guess && !report->findings.empty())
    if (const auto confirmed = confirm(*report, *request, compiler, control); !confirmed)
      return fail(confirmed.errors());
  line.reset();  // The program, if it is run, has its own.
  if (may_ask && request->kernel.description.proposed && (!report || is_undecided(*report))) {
    if (!report) warn(report.errors());
    KernelOptions of_kernel = options;
    const std::string& entry = request->kernel.description.entry;
    if (of_kernel.entry.empty()) of_kernel.entry = entry.substr(0, entry.find('<'));
    const Result<ProgramLaunch> launch = ask_program(
        of_kernel, "What is assumed above does not hold, so the program is run up to its first launch of the kernel.");
    if (launch) return finish_report(launch->report, options);
    warn(launch.errors());
  }
  if (!report) return fail(report.errors());
  warn(report->warnings);
  return finish_report(*report, options);
}

}  // namespace

void add_check(CLI::App& app, Action& chosen) {
  add_command(app, chosen, "check", "Run memcheck, racecheck, initcheck and synccheck on one kernel",
              add_kernel_options, run_check);
}

}  // namespace tilescope::cli
