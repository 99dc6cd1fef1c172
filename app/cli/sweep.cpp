#include <algorithm>
#include <chrono>
#include <mutex>
#include <set>

#include <fmt/format.h>
#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "base/file.h"
#include "base/parallel.h"
#include "cli/commands.h"
#include "cli/console.h"
#include "cli/kernel_options.h"
#include "cli/measure_options.h"
#include "cli/measurement_text.h"
#include "cli/sweep_plan.h"
#include "cli/text.h"
#include "kernel/reach.h"
#include "run/hardware_counters.h"
#include "store/measurement.h"

namespace tilescope::cli {
namespace {
using std::chrono::steady_clock;
using store::Measurement;

struct SweepCommand {
  std::string kernel;                 ///< A number or name of the catalogue, a .cu file, or "all".
  std::vector<std::string> settings;  ///< "BM=32,64,128"
  std::string sizes = "4096";
  bool presets = false, sliders = false;
  std::string csv, json, counters;  ///< Files.
  MeasureOptions options;
};

Result<std::vector<kernel::Kernel>> chosen_kernels(const std::string& name) {
  if (name == "all") return kernel::load_catalogue(data_folder() / "kernels").kernels;
  KernelOptions options;
  options.kernel = name;
  const Result<kernel::Kernel> kernel = pick_kernel(options);
  if (!kernel) return kernel.errors();
  return std::vector<kernel::Kernel>{*kernel};
}

// Presets of all kernels come before slider values: an interrupted sweep then has every kernel.
Result<SweepPlan> make_plan(const SweepCommand& command) {
  const Result<std::vector<kernel::Size>> sizes = parse_sizes(command.sizes);
  if (!sizes) return sizes.errors();
  const Result<std::vector<kernel::Settings>> lists = parse_set_lists(command.settings);
  if (!lists) return lists.errors();
  const Result<std::vector<kernel::Kernel>> kernels = chosen_kernels(command.kernel);
  if (!kernels) return kernels.errors();
  SweepPlan plan;
  const bool presets = command.presets || command.sliders;
  for (const kernel::Kernel& each : *kernels)
    add_points(each, presets ? kernel::preset_settings(each.description) : *lists, *sizes, plan);
  if (!command.sliders) return plan;
  for (const kernel::Kernel& each : *kernels) add_points(each, kernel::slider_settings(each.description), *sizes, plan);
  return plan;
}

std::string duration_text(double seconds) {
  if (seconds < 90) return fmt::format("{:.0f} s", seconds);
  return seconds < 5400 ? fmt::format("{:.0f} min", seconds / 60) : fmt::format("{:.1f} h", seconds / 3600);
}

/// Each agent's measurer takes one point after another.
class Sweep {
 public:
  Sweep(const SweepCommand& command, SweepPlan plan)
      : command_(command), plan_(std::move(plan)), results_(plan_.points.size()) {}

  /// The errors of an agent that cannot be reached; failing points are in problems().
  Result<std::monostate> run() {
    std::vector<std::string> agents = command_.options.agents;
    if (agents.empty()) agents.emplace_back();
    for_each_on(static_cast<unsigned>(agents.size()), agents.size(), &interrupted(),
                [&](uint64_t number) { work(agents[number]); });
    line_.clear();
    if (!unreachable_.empty()) return unreachable_;
    return std::monostate{};
  }

  std::vector<Measurement> measurements() const {
    std::vector<Measurement> all;
    for (const std::optional<Measurement>& result : results_)
      if (result) all.push_back(*result);
    return all;
  }
  const Diagnostics& problems() const { return problems_; }
  /// What the store says.
  const Diagnostics& notes() const { return notes_; }
  /// Why some requested counters could not be read; empty if all were.
  const std::string& no_counters() const { return no_counters_; }
  size_t measured() const { return measured_; }
  size_t from_store() const { return done_ - measured_ - problems_.size(); }

 private:
  void work(const std::string& agent) {
    measure::Measurer measurer(agent_settings(command_.options, agent), runs_, store::default_store_file());
    const Result<protocol::DeviceFacts> device = measurer.device(&interrupted());
    if (!device) {
      const std::lock_guard lock(mutex_);
      unreachable_ = device.errors();
      return;
    }
    const Crew ahead(std::max(2U, processors()) - 2,
                     [this, capability = device->capability] { compile_ahead(capability); });
    while (!interrupted() && next_ < results_.size()) {
      const size_t at = next_.fetch_add(1);
      if (at < results_.size()) measure_point(measurer, at);
    }
    ahead_ = results_.size();
  }

  // A compile often takes longer than a measurement; the compiler's cache shares the results.
  void compile_ahead(uint32_t capability) {
    while (!interrupted()) {
      const size_t at = ahead_.fetch_add(1);
      if (at >= results_.size()) return;
      const SweepPoint& point = plan_.points[at];
      if (at > 0 && plan_.points[at - 1].settings == point.settings &&
          plan_.points[at - 1].kernel.name == point.kernel.name)
        continue;
      run::Request request = request_of(point);
      request.arch = fmt::format("sm_{}", capability);
      (void)runs_.prepare(request, &interrupted());
    }
  }

  void measure_point(measure::Measurer& measurer, size_t at) {
    const SweepPoint& point = plan_.points[at];
    measure::Job job{request_of(point), command_.options.measure, command_.options.again};
    if (!command_.counters.empty()) job.counters = run::hardware_counter_names();
    const auto start = steady_clock::now();
    const Result<measure::Measured> measured = measurer.measure(job, {.cancel = &interrupted()});
    const double seconds = std::chrono::duration<double>(steady_clock::now() - start).count();
    const std::lock_guard lock(mutex_);
    if (!measured && interrupted()) return;
    ++done_;
    if (measured) {
      results_[at] = measured->measurement;
      measure::add_new(measured->notes, notes_);
      if (!measured->measurement.no_counters.empty()) no_counters_ = measured->measurement.no_counters;
      if (!measured->from_store) ++measured_;
    } else {
      Diagnostic problem = measured.errors().front();
      problem.message = Message("{}: {}", name_of(point), problem.message);
      problems_.push_back(problem);
    }
    if (!measured || !measured->from_store) spent_ += seconds;
    show(point);
  }

  static run::Request request_of(const SweepPoint& point) { return {point.kernel, point.settings, point.size}; }

  static std::string name_of(const SweepPoint& point) {
    std::string name = point.kernel.name;
    for (const auto& [parameter, value] : point.settings) name += fmt::format(" {}={}", parameter, value);
    return fmt::format("{} at {}", name, point.size.m);
  }

  // Larger sizes take longer, so the rest is estimated from the points so far, except those of the store.
  void show(const SweepPoint& point) {
    const size_t worked = measured_ + problems_.size();
    const double left =
        worked == 0 ? 0 : spent_ / static_cast<double>(worked) * static_cast<double>(results_.size() - done_);
    const auto agents = static_cast<double>(std::max<size_t>(1, command_.options.agents.size()));
    line_.show(fmt::format("{}, about {} left", name_of(point), duration_text(left / agents)), done_, results_.size());
  }

  const SweepCommand& command_;
  SweepPlan plan_;
  compile::Compiler compiler_;
  run::RunCache runs_{compiler_};
  std::mutex mutex_;
  ProgressLine line_;
  std::atomic<size_t> next_ = 0, ahead_ = 0;
  std::vector<std::optional<Measurement>> results_;
  Diagnostics problems_, notes_, unreachable_;
  std::string no_counters_;
  size_t done_ = 0, measured_ = 0;
  double spent_ = 0;
};

std::string sweep_text(const std::vector<Measurement>& measurements) {
  Table table({Align::Left, Align::Left, Align::Right, Align::Right, Align::Right, Align::Right});
  table.row({"kernel", "", "size", "time", "GFLOPS", part_heading(measurements)});
  for (const Measurement& m : measurements)
    table.row({m.subject.kernel, store::params_text(m.subject.params), std::to_string(m.subject.m),
               time_text(m.seconds.median), gflops_text(m), part_text(m)});
  return table.text();
}

Diagnostic summary(const Sweep& sweep, uint64_t illegal) {
  Diagnostic result = error(fmt::format("{} measured, {} from the store, {} failed, {} combinations are not legal.",
                                        sweep.measured(), sweep.from_store(), sweep.problems().size(), illegal));
  result.severity = Severity::Note;
  return result;
}

int save(const std::string& file, const std::string& text) {
  if (file.empty()) return kFine;
  const Result<std::monostate> written = write_file(file, text);
  return written ? static_cast<int>(kFine) : fail(written.errors());
}

void add_sweep_command(CLI::App& command, SweepCommand& sweep) {
  command.add_option("kernel", sweep.kernel, "A number or name of the catalogue, a .cu file, or all")->required();
  command.add_option("--set", sweep.settings, "Values to combine, for example BM=32,64,128 BN=64")
      ->allow_extra_args(false);
  command.add_option("--size", sweep.sizes, "256..16384 (doubling) or 256,1000 (default 4096)");
  command.add_flag("--presets", sweep.presets, "The defaults and each preset");
  command.add_flag("--sliders", sweep.sliders, "What one slider reaches from the defaults and from each preset");
  command.add_option("--csv", sweep.csv, "Write the measurements to this file");
  command.add_option("--nvbench-json", sweep.json, "Write them to this file as nvbench's --json does");
  command.add_option("--counters", sweep.counters, "Read the GPU's counters, too, and write them to this file");
  add_measure_options(command, sweep.options);
  add_compiler_option(command);
}

/// `tilescope sweep`: every legal combination at every size; points in the store are not measured again, so a stopped
/// sweep continues where it was.
int run_sweep(const SweepCommand& command) {
  if ((command.sliders || command.presets) && !command.settings.empty())
    return fail("--presets and --sliders choose the values themselves: leave out --set.");
  Result<SweepPlan> plan = make_plan(command);
  if (!plan) return fail(plan.errors());
  const uint64_t illegal = plan->illegal;
  if (plan->points.empty()) return fail("None of these combinations is legal. tilescope kernels lists the parameters.");
  Sweep sweep(command, std::move(*plan));
  const Result<std::monostate> ran = sweep.run();
  const std::vector<Measurement> measurements = sweep.measurements();
  if (!ran && measurements.empty()) return fail(ran.errors());
  warn(sweep.notes());
  warn(sweep.problems());
  warn({summary(sweep, illegal)});
  int status = save(command.csv, store::to_csv(measurements));
  if (status == kFine) status = save(command.json, to_text(store::to_nvbench_json(measurements)));
  if (status == kFine && !command.counters.empty())
    status = save(command.counters, store::counters_to_csv(measurements));
  if (!sweep.no_counters().empty()) {
    warn({error(sweep.no_counters())});
    if (status == kFine) status = kFinding;
  }
  if (status == kFine && interrupted()) status = kInterrupted;
  if (status == kFine && !sweep.problems().empty()) status = kFinding;
  if (command.options.json) {
    nlohmann::ordered_json json = nlohmann::ordered_json::array();
    for (const Measurement& m : measurements) json.push_back(to_json(m));
    return finish(to_text(json), status);
  }
  return finish(command.csv.empty() && command.json.empty() ? sweep_text(measurements) : "", status);
}

}  // namespace

void add_sweep(CLI::App& app, Action& chosen) {
  add_command(app, chosen, "sweep", "Measure many parameter values and sizes", add_sweep_command, run_sweep);
}

}  // namespace tilescope::cli
