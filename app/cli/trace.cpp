#include <charconv>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include "cli/clock_text.h"
#include "cli/commands.h"
#include "cli/console.h"
#include "cli/kernel_options.h"
#include "cli/machine_text.h"
#include "cli/program_launch.h"
#include "cli/report_text.h"
#include "run/run.h"
#include "wording/report_json.h"

namespace tilescope::cli {
namespace {

struct TraceOptions {
  KernelOptions kernel;
  std::string block;  ///< "x,y,z"; empty: the whole grid.
  bool ptx = false;
  bool machine = false;
};

/// "2", "2,1" or "2,1,0"; missing numbers are 0.
Result<run::BlockPosition> parse_block(const std::string& text) {
  run::BlockPosition block;
  const char *at = text.data(), *const end = at + text.size();
  for (uint32_t* number : {&block.x, &block.y, &block.z}) {
    const auto [rest, problem] = std::from_chars(at, end, *number);
    if (problem != std::errc{}) break;
    if (rest == end) return block;
    if (*rest != ',') break;
    at = rest + 1;
  }
  return error(fmt::format("--block {}: expected the block's position, for example --block 1,0.", text));
}

std::string as_json(const run::Report& report, bool with_ptx, const run::MachineBlock* machine,
                    const Result<run::LaunchClock>* clock) {
  nlohmann::ordered_json json = wording::to_json(report);
  if (clock) json["clock"] = clock_json(*clock);
  if (with_ptx) json["ptx"] = report.ptx;
  if (machine) json["machine_code"] = machine_json(*machine);
  return to_text(json);
}

/// The machine code of the block, executed.
Result<run::MachineBlock> machine_block(const run::Prepared& prepared, const run::BlockPosition& at,
                                        const run::Control& control) {
  const Dim3& grid = prepared.configuration.grid;
  return run::run_machine_block(prepared, at.x + grid.x * (at.y + grid.y * at.z), prepared.request.seed, control);
}

/// Of the block at that position, or of the whole grid.
Result<run::Report> report_on(const run::PreparedPointer& prepared, const std::optional<run::BlockPosition>& position,
                              const run::Control& control) {
  if (position) {
    const auto traced = run::trace_block(prepared, *position, control);
    if (!traced) return traced.errors();
    return (*traced)->report;
  }
  const auto counted = run::count_grid(prepared, control);
  if (!counted) return counted.errors();
  return (*counted)->report;
}

void add_trace_options(CLI::App& command, TraceOptions& options) {
  add_kernel_options(command, options.kernel);
  command.add_option("--block", options.block, "Run and record this block alone: x,y or x,y,z");
  command.add_flag("--ptx", options.ptx, "Show the PTX with how often each instruction ran");
  command.add_flag("--machine", options.machine,
                   "Show ptxas's machine code of one block, --block or the first, with how often each instruction ran");
}

/// A launch that the program itself makes.
int trace_program(const TraceOptions& options) {
  if (!options.block.empty() || options.machine)
    return fail("--block and --machine are for a kernel alone, --launch is for one that the program launches.");
  ProgressLine line;
  run::Control control = control_for(line);
  apply_limits(options.kernel, control);
  const Result<ProgramLaunch> launch = run_to_launch(options.kernel, control);
  line.clear();
  if (!launch) return fail(launch.errors());
  const Style style = terminal_style();
  const std::string text = options.kernel.json ? as_json(launch->report, options.ptx, nullptr, launch->clock.get())
                                               : report_text(launch->report, style) +
                                                     (launch->clock ? clock_text(*launch->clock, style) : "") +
                                                     (options.ptx ? ptx_text(launch->report, style) : "");
  return finish(text, launch->report.has_finding() ? kFinding : kFine);
}

/// `tilescope trace`: runs a kernel and reports what it did.
int run_trace(const TraceOptions& options) {
  const Result<bool> of_program = asks_program(options.kernel.kernel, options.kernel.program);
  if (!of_program) return fail(of_program.errors());
  if (*of_program) return trace_program(options);
  Result<run::Request> request = make_request(options.kernel);
  if (!request) return fail(request.errors());
  std::optional<run::BlockPosition> position;
  if (!options.block.empty()) {
    const Result<run::BlockPosition> block = parse_block(options.block);
    if (!block) return fail(block.errors());
    position = *block;
  }
  compile::Compiler compiler;
  ProgressLine line;
  run::Control control = control_for(line);
  apply_limits(options.kernel, control);
  const Result<run::PreparedPointer> prepared = run::prepare(*request, compiler, control.cancel);
  if (!prepared) return fail(prepared.errors());
  Result<run::Report> report = report_on(*prepared, position, control);
  line.clear();
  if (!report) return fail(report.errors());
  warn(report->warnings);
  const Style style = terminal_style();
  std::optional<run::MachineBlock> machine;
  if (options.machine) {
    Result<run::MachineBlock> ran = machine_block(**prepared, position.value_or(run::BlockPosition{}), control);
    if (!ran) return fail(ran.errors());
    machine = std::move(*ran);
  }
  std::optional<Result<run::LaunchClock>> clock;
  if (!position) clock = run::add_time(*report, **prepared, control.cancel);
  std::string text = options.kernel.json
                         ? as_json(*report, options.ptx, machine ? &*machine : nullptr, clock ? &*clock : nullptr)
                         : report_text(*report, style) + (clock ? clock_text(*clock, style) : "") +
                               (options.ptx ? ptx_text(*report, style) : "");
  if (machine && !options.kernel.json) text += machine_text(*machine, style);
  return finish(text, report->has_finding() ? kFinding : kFine);
}

}  // namespace

void add_trace(CLI::App& app, Action& chosen) {
  add_command(app, chosen, "trace", "Compile, emulate, verify and count one kernel", add_trace_options, run_trace);
}

}  // namespace tilescope::cli
