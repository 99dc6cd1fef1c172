#include <fmt/format.h>
#include <CLI/CLI.hpp>
#include <algorithm>
#include <nlohmann/json.hpp>

#include "cli/commands.h"
#include "cli/console.h"
#include "cli/kernel_options.h"
#include "cli/measure_options.h"
#include "cli/text.h"
#include "run/counted_work.h"
#include "run/hardware_counters.h"
#include "store/measurement.h"
#include "wording/counters.h"

namespace tilescope::cli {
namespace {
using store::Measurement;
using wording::CounterLine;

struct MeasureCommand {
  KernelOptions kernel;
  MeasureOptions options;
  bool counters = false;  ///< Read hardware counters, too.
};

std::string size_line(const store::Subject& subject) {
  if (subject.m == subject.n && subject.n == subject.k) return fmt::format("M = N = K = {}", subject.m);
  return fmt::format("M = {}, N = {}, K = {}", subject.m, subject.n, subject.k);
}

std::string spread_text(const statistics::Quartiles& seconds) {
  return fmt::format("{} (quartiles {} to {})", time_text(seconds.median), time_text(seconds.low),
                     time_text(seconds.high));
}

std::string samples_text(const Measurement& m) {
  const std::string dropped = m.dropped ? fmt::format(", {} dropped: throttled", m.dropped) : "";
  return fmt::format("{}{}, noise {:.2f} %{}", m.samples, dropped, 100 * m.noise,
                     m.is_noisy ? ": above the limit to the end" : "");
}

std::string reference_text(const store::Reference& reference) {
  return fmt::format("{}: {}", reference.name, spread_text(reference.seconds));
}

std::string relative_text(const statistics::Interval& relative) {
  return fmt::format("{:.1f} % (99 % interval {:.1f} to {:.1f})", 100 * relative.median, 100 * relative.low,
                     100 * relative.high);
}

std::string measurement_text(const Measurement& m, bool from_store, const Style& style) {
  const store::Subject& subject = m.subject;
  Table table({Align::Left, Align::Left});
  table.row({"time", spread_text(m.seconds)});
  if (m.is_product()) table.row({"speed", fmt::format("{:.0f} GFLOPS", m.gflops)});
  if (m.reference) {
    table.row({m.is_product() ? "cuBLAS" : "beside", reference_text(*m.reference)});
    table.row({m.is_product() ? "of cuBLAS" : "of the copy", relative_text(m.reference->relative)});
  }
  table.row({"samples", samples_text(m)});
  table.row({"SM clock", m.clock_mhz > 0 ? fmt::format("{:.0f} MHz", m.clock_mhz) : "not known"});
  table.row(
      {to_string(m.provenance) == "measured" ? "measured" : "recorded",
       fmt::format("{}{}, {}, driver {}, {}{}", m.date, from_store ? " (kept; --again measures anew)" : "",
                   subject.device, m.driver, store::compiler_text(subject), subject.hot ? ", L2 cache hot" : "")});
  const std::string params = store::params_text(subject.params);
  return fmt::format("{}  {}{}{}\n{}", style.bold(subject.kernel), params, params.empty() ? "" : ", ",
                     size_line(subject), table.text(2));
}

void add_measure_command(CLI::App& command, MeasureCommand& measure) {
  add_kernel_choice(command, measure.kernel);
  add_compiler_option(command);
  add_measure_options(command, measure.options);
  command.add_flag("--counters", measure.counters, "Read the GPU's counters, too, and put what is counted beside them");
}

/// Counts without a fraction, ratios with one.
std::string hardware_text(const CounterLine& line) {
  return line.counted || line.hardware >= 1000 ? fmt::format("{:.0f}", line.hardware)
                                               : fmt::format("{:.2f}", line.hardware);
}

/// A table of the GPU's counts beside the emulator's; differences have a star and are explained below.
std::string counters_text(const std::vector<CounterLine>& lines) {
  Table table({Align::Left, Align::Right, Align::Left, Align::Right});
  table.row({"counter", "hardware", "", "counted"});
  std::vector<std::string> reasons;
  for (const CounterLine& line : lines) {
    table.row({line.meaning, hardware_text(line), line.why.empty() ? "" : "*",
               line.counted ? fmt::format("{:.0f}", *line.counted) : ""});
    if (!line.why.empty() && std::find(reasons.begin(), reasons.end(), line.why) == reasons.end())
      reasons.push_back(line.why);
  }
  std::string text = table.text(2);
  for (const std::string& reason : reasons) text += wrapped("* " + reason, kWidth, 2) + "\n";
  return text;
}

/// An array of objects: name, meaning, hardware, counted or null, and why they may differ or null.
nlohmann::ordered_json counters_json(const std::vector<CounterLine>& lines) {
  nlohmann::ordered_json all = nlohmann::ordered_json::array();
  for (const CounterLine& line : lines) {
    nlohmann::ordered_json json{{"name", line.name}, {"meaning", line.meaning}, {"hardware", line.hardware}};
    json["counted"] = line.counted ? nlohmann::ordered_json(*line.counted) : nlohmann::ordered_json();
    json["why"] = line.why.empty() ? nlohmann::ordered_json() : nlohmann::ordered_json(line.why);
    all.push_back(std::move(json));
  }
  return all;
}

/// The GPU's counts beside the emulator's of the same launch. Empty without counters.
std::vector<wording::CounterLine> counter_lines(const Measurement& measurement, const run::Request& request,
                                                run::RunCache& runs) {
  if (measurement.counters.empty()) return {};
  const Result<run::PreparedPointer> prepared = runs.prepare(request, &interrupted());
  const Result<run::CountedWork> counted = prepared ? run::count_work(**prepared, runs.compiler(), &interrupted())
                                                    : Result<run::CountedWork>(prepared.errors());
  if (!counted) warn(counted.errors());
  const bool is_whole = counted && counted->counters_are_whole;
  if (counted && !is_whole)
    warn({error("Not compared: one block was counted, whose share of the tiles is not that of every block.")});
  return wording::counter_lines(measurement.counters, is_whole ? counted->counters : std::vector<uint64_t>());
}

/// `tilescope measure`: one kernel on the GPU, checked and timed beside cuBLAS, or beside a copy of the same bytes.
int run_measure(const MeasureCommand& command) {
  KernelOptions kernel = command.kernel;
  if (kernel.size.empty()) kernel.size = "4096";
  Result<run::Request> request = make_request(kernel);
  if (!request) return fail(request.errors());
  compile::Compiler compiler;
  run::RunCache runs(compiler);
  measure::Measurer measurer(agent_settings(command.options), runs, store::default_store_file());
  measure::Job job{*request, command.options.measure, command.options.again};
  if (command.counters) job.counters = run::hardware_counter_names();
  ProgressLine line;
  const auto show = [&](const measure::Progress& progress) {
    line.show(to_string(progress.phase), progress.samples, job.options.stop.max_samples);
  };
  const Result<measure::Measured> measured = measurer.measure(job, {.cancel = &interrupted(), .progress = show});
  line.clear();
  if (!measured) return fail(measured.errors());
  warn(measured->notes);
  const Measurement& result = measured->measurement;
  if (!command.counters)
    return finish(command.options.json ? to_text(to_json(result))
                                       : measurement_text(result, measured->from_store, terminal_style()),
                  kFine);
  if (!result.no_counters.empty()) warn({error(result.no_counters)});
  if (const Result<protocol::DeviceFacts> device = measurer.device(&interrupted()))
    request->arch = fmt::format("sm_{}", device->capability);
  const std::vector<wording::CounterLine> lines = counter_lines(result, *request, runs);
  const int status = result.counters.empty() ? kFinding : kFine;
  if (!command.options.json)
    return finish(
        measurement_text(result, measured->from_store, terminal_style()) + (lines.empty() ? "" : counters_text(lines)),
        status);
  nlohmann::ordered_json json = to_json(result);
  json["counters"] = counters_json(lines);
  return finish(to_text(json), status);
}

}  // namespace

void add_measure(CLI::App& app, Action& chosen) {
  add_command(app, chosen, "measure",
              "Check one kernel on the GPU and time it beside cuBLAS, or beside a copy of the same bytes",
              add_measure_command, run_measure);
}

}  // namespace tilescope::cli
