#include <algorithm>
#include <chrono>
#include <limits>
#include <optional>
#include <utility>

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
#include "cli/option_checks.h"
#include "cli/predicted.h"
#include "cli/text.h"
#include "cli/tune_search.h"
#include "store/measurement.h"

namespace tilescope::cli {
namespace {
using std::chrono::steady_clock;
using store::Measurement;

struct TuneCommand {
  std::string kernel;
  std::string size = "4096";
  std::optional<double> seconds;  ///< The time limit; nullopt: the default.
  bool predicted = false;         ///< By counts and a model, without a GPU.
  std::string gpu = "H200";       ///< That is predicted for.
  MeasureOptions options;
};

constexpr size_t kFinalists = 5;
constexpr size_t kMostShown = 10;         // Of predicted ones.
constexpr double kBeforeMeasuring = 0.1;  // Share of the time: the first candidates are not the best.
constexpr double kSeconds = 300, kPredictedSeconds = 60;

struct Tally {
  uint64_t combinations = 0;
  size_t legal = 0, examined = 0, launchable = 0, beaten_by_bound = 0, tried = 0, out_of_time = 0;
};

std::string parameters_text(const kernel::Settings& settings) {
  std::string text;
  for (const auto& [name, value] : settings) text += fmt::format("{}{}={}", text.empty() ? "" : " ", name, value);
  return text;
}

std::string left_text(steady_clock::time_point until) {
  const double left = std::chrono::duration<double>(until - steady_clock::now()).count();
  return left > 0 ? fmt::format("at most {:.0f} s left", left) : std::string("time is up");
}

std::string examined_text(const Examination::Progress& progress) {
  return fmt::format("{} of {} combinations counted", progress.examined, progress.total);
}

/// Until all are examined, the time is up, or Ctrl+C.
void watch(Examination& examination, ProgressLine& line, steady_clock::time_point until) {
  while (!interrupted() && steady_clock::now() < until) {
    const Examination::Progress progress = examination.progress();
    std::string text = fmt::format("{}, {}", examined_text(progress), left_text(until));
    if (progress.best && progress.best->has_gap()) return;
    if (progress.best && progress.best->predicted)
      text += fmt::format("; best so far {} predicted, {}", time_text(progress.best->seconds()),
                          parameters_text(progress.best->settings));
    if (progress.examined > 0) line.say(text);
    if (progress.done()) return;
    examination.wait();
  }
}

/// Measures the most promising examined candidates, as long as there is time.
class Contest {
 public:
  Contest(const TuneCommand& command, const Search& search, measure::Measurer& measurer)
      : command_(command), search_(search), measurer_(measurer) {
    quick_ = command.options.measure;
    quick_.stop.min_samples = std::min<size_t>(quick_.stop.min_samples, 5);
    quick_.stop.min_time = std::min(quick_.stop.min_time, 0.02);
    quick_.stop.timeout = std::min(quick_.stop.timeout, 1.0);
  }

  void run(Examination& examination, Tally& tally, steady_clock::time_point until) {
    ProgressLine line(search_.kernel.name + ": ");
    while (!interrupted() && steady_clock::now() < until) {
      const Examination::Progress progress = examination.progress();
      line.say(
          fmt::format("{}, {} measured, {}{}", examined_text(progress), tally.tried, left_text(until), best_text()));
      const std::optional<Candidate> candidate = examination.take();
      if (!candidate && progress.done()) return;
      if (!candidate)
        examination.wait();
      else if (candidate->bound >= best_)
        ++tally.beaten_by_bound;
      else {
        ++tally.tried;
        take(candidate->settings, quick_, false);
      }
    }
  }

  /// The fastest few, measured again for longer, the fastest first. After Ctrl+C as measured before.
  std::vector<Measurement> finals() {
    std::sort(results_.begin(), results_.end(), by_time);
    if (results_.size() > kFinalists) results_.resize(kFinalists);
    if (interrupted()) return results_;
    std::vector<kernel::Settings> finalists;
    for (const Measurement& result : results_) finalists.push_back(settings_of(result));
    finalists.emplace_back();  // The defaults.
    const std::vector<Measurement> quick = std::exchange(results_, {});
    for (const kernel::Settings& settings : finalists)
      if (!interrupted()) take(settings, command_.options.measure, true);
    if (results_.empty()) results_ = quick;
    std::stable_sort(results_.begin(), results_.end(), by_time);
    const auto same = [](const Measurement& a, const Measurement& b) { return a.subject.params == b.subject.params; };
    results_.erase(std::unique(results_.begin(), results_.end(), same), results_.end());
    return results_;
  }

  const Diagnostics& problems() const { return problems_; }

 private:
  static bool by_time(const Measurement& a, const Measurement& b) { return a.seconds.median < b.seconds.median; }

  std::string best_text() const {
    const auto best = std::min_element(results_.begin(), results_.end(), by_time);
    if (best == results_.end()) return "";
    return fmt::format("; best so far {}, {}", time_text(best->seconds.median),
                       store::params_text(best->subject.params));
  }

  static kernel::Settings settings_of(const Measurement& m) {
    kernel::Settings settings;
    for (const auto& [name, value] : m.subject.params) settings[name] = std::to_string(value);
    return settings;
  }

  // Quick results are not kept: the store is for good ones.
  void take(const kernel::Settings& settings, const protocol::MeasureOptions& options, bool keep) {
    const measure::Job job{run::Request{search_.kernel, settings, search_.size}, options, true, keep};
    const Result<measure::Measured> measured = measurer_.measure(job, {.cancel = &interrupted()});
    if (measured) {
      measure::add_new(measured->notes, problems_);
      best_ = std::min(best_, measured->measurement.seconds.median);
      results_.push_back(measured->measurement);
    } else if (!interrupted()) {
      problems_.push_back(measured.errors().front());
    }
  }

  const TuneCommand& command_;
  const Search& search_;
  measure::Measurer& measurer_;
  protocol::MeasureOptions quick_;
  std::vector<Measurement> results_;
  Diagnostics problems_;
  double best_ = std::numeric_limits<double>::infinity();
};

std::string tally_text(const Tally& tally) {
  std::string text =
      fmt::format("{} of {} combinations are legal. {} were compiled, {} of them can be launched. {} were measured",
                  tally.legal, tally.combinations, tally.examined, tally.launchable, tally.tried);
  if (tally.beaten_by_bound)
    fmt::format_to(std::back_inserter(text), "; {} cannot be faster than the best by their bound",
                   tally.beaten_by_bound);
  if (const size_t left = tally.out_of_time + tally.legal - tally.examined)
    fmt::format_to(std::back_inserter(text), "; for {} there was no time (--seconds)", left);
  return text + ".\n";
}

std::string tune_text(const std::vector<Measurement>& finals, const Search& search, const Tally& tally) {
  Table table({Align::Left, Align::Right, Align::Right, Align::Right, Align::Left});
  table.row({search.kernel.name, "time", "GFLOPS", part_heading(finals), ""});
  const Result<kernel::Configuration> defaults = kernel::configure(search.kernel.description, {}, search.size);
  for (const Measurement& m : finals) {
    const bool is_default = defaults && m.subject.params == defaults->parameters;
    table.row({store::params_text(m.subject.params), time_text(m.seconds.median), gflops_text(m), part_text(m),
               is_default ? "the defaults" : ""});
  }
  return table.text() + "\n" + tally_text(tally);
}

std::string as_json(const std::vector<Measurement>& finals, const Tally& tally) {
  nlohmann::ordered_json json{{"combinations", tally.combinations},
                              {"legal", tally.legal},
                              {"compiled", tally.examined},
                              {"launchable", tally.launchable},
                              {"measured", tally.tried},
                              {"beaten_by_bound", tally.beaten_by_bound},
                              {"out_of_time", tally.out_of_time},
                              {"best", nlohmann::ordered_json::array()}};
  for (const Measurement& m : finals) json["best"].push_back(to_json(m));
  return to_text(json);
}

/// The kernel and the size.
Result<Search> begin_search(const TuneCommand& command) {
  KernelOptions options;
  options.kernel = command.kernel;
  Result<kernel::Kernel> kernel = pick_kernel(options);
  if (!kernel) return kernel.errors();
  const Result<kernel::Size> size = kernel::parse_size(command.size);
  if (!size) return size.errors();
  return Search{std::move(*kernel), *size, "", std::nullopt};
}

/// With the GPU that --gpu names.
Result<Search> make_predicted_search(const TuneCommand& command) {
  Result<Search> search = begin_search(command);
  if (!search) return search;
  const Result<arch::Device> device = predicted_device(command.gpu);
  if (!device) return device.errors();
  search->arch = fmt::format("sm_{}", device->capability);
  search->device = *device;
  return search;
}

/// With the GPU that the agent has.
Result<Search> make_search(const TuneCommand& command, measure::Measurer& measurer) {
  Result<Search> search = begin_search(command);
  if (!search) return search;
  const Result<protocol::DeviceFacts> device = measurer.device(&interrupted());
  if (!device) return device.errors();
  search->arch = fmt::format("sm_{}", device->capability);
  const Result<std::vector<arch::Device>>& known = arch::shipped_devices();
  if (!known) return search;  // Without a bound nothing can be ruled out.
  if (const Result<arch::Device> found = arch::find_device(*known, device->name)) search->device = *found;
  return search;
}

/// The same without a GPU: the fastest by the model, and the defaults.
int print_predicted(const TuneCommand& command, const std::vector<Candidate>& candidates, const Search& search,
                    const Tally& tally) {
  std::vector<PredictedLaunch> best;
  const Result<kernel::Configuration> defaults = kernel::configure(search.kernel.description, {}, search.size);
  for (const Candidate& candidate : candidates) {
    if (!candidate.predicted || candidate.has_gap()) continue;
    const bool is_default = defaults && candidate.predicted->params == defaults->parameters;
    if (best.size() < kMostShown || is_default) best.push_back(*candidate.predicted);
  }
  const std::string counted =
      fmt::format("{} of {} combinations are legal. {} were compiled and counted, {} of them can be launched.\n",
                  tally.legal, tally.combinations, tally.examined, tally.launchable);
  if (best.empty() && !candidates.empty() && candidates.front().has_gap())
    return fail(fmt::format("{} is not predicted, because {}.", search.kernel.name,
                            to_string(candidates.front().predicted->gap)));
  if (best.empty()) return fail("Nothing could be predicted: " + counted);
  return finish(
      command.options.json ? predictions_json("best", best) : predictions_text(best, terminal_style()) + counted,
      interrupted() ? kInterrupted : kFine);
}

steady_clock::time_point after(double seconds) {
  return steady_clock::now() +
         std::chrono::duration_cast<steady_clock::duration>(std::chrono::duration<double>(seconds));
}

void note(const Examination& examination, Tally& tally) {
  const Examination::Progress progress = examination.progress();
  tally.examined = progress.examined;
  tally.launchable = progress.launchable;
}

int tune_by_prediction(const TuneCommand& command) {
  compile::Compiler compiler;
  const Result<Search> search = make_predicted_search(command);
  if (!search) return fail(search.errors());
  Result<std::vector<Candidate>> candidates = legal_candidates(*search);
  if (!candidates) return fail(candidates.errors());
  Tally tally{combinations(search->kernel.description), candidates->size()};
  Examination examination(*search, std::move(*candidates), compiler, processors(), interrupted());
  ProgressLine line(search->kernel.name + ": ");
  watch(examination, line, after(command.seconds.value_or(kPredictedSeconds)));
  line.clear();
  examination.stop();
  note(examination, tally);
  return print_predicted(command, examination.launchable(), *search, tally);
}

int tune_by_measuring(const TuneCommand& command) {
  compile::Compiler compiler;
  run::RunCache runs(compiler);
  measure::Measurer measurer(agent_settings(command.options), runs, store::default_store_file());
  const Result<Search> search = make_search(command, measurer);
  if (!search) return fail(search.errors());
  Result<std::vector<Candidate>> candidates = legal_candidates(*search);
  if (!candidates) return fail(candidates.errors());
  Tally tally{combinations(search->kernel.description), candidates->size()};
  const double seconds = command.seconds.value_or(kSeconds);
  // One core is for the measurement.
  Examination examination(*search, std::move(*candidates), compiler, std::max(2U, processors()) - 1, interrupted());
  {
    ProgressLine line(search->kernel.name + ": ");
    watch(examination, line, after(kBeforeMeasuring * seconds));
  }
  Contest contest(command, *search, measurer);
  contest.run(examination, tally, after((1 - kBeforeMeasuring) * seconds));
  examination.stop();
  note(examination, tally);
  tally.out_of_time = tally.launchable - tally.tried - tally.beaten_by_bound;
  const std::vector<Measurement> finals = contest.finals();
  if (finals.empty() && !contest.problems().empty()) return fail(contest.problems());
  if (finals.empty()) return fail("Nothing could be measured: " + tally_text(tally));
  warn(contest.problems());
  return finish(command.options.json ? as_json(finals, tally) : tune_text(finals, *search, tally),
                interrupted() ? kInterrupted : kFine);
}

void add_tune_command(CLI::App& command, TuneCommand& tune) {
  command.add_option("kernel", tune.kernel, "A number or name of the catalogue, or a .cu file")->required();
  command.add_option("--size", tune.size, "4096, or M=256,N=128,K=64");
  command
      .add_option("--seconds", tune.seconds,
                  "Time for compiling and measuring, the last comparison aside (default 300; 60 with --predicted)")
      ->check(number_between(0, 1e6));
  command.add_flag("--predicted", tune.predicted, "By a model, from what is counted here; needs no GPU");
  command.add_option("--gpu", tune.gpu, "The GPU that --predicted is for (default H200)")->needs("--predicted");
  add_measure_options(command, tune.options);
  add_compiler_option(command);
  command.get_option("--compiler")->needs("--predicted");
  exclude_measuring(command, {"--predicted"});
}

/// `tilescope tune`: the fastest parameters of a kernel on this GPU.
int run_tune(const TuneCommand& command) {
  return command.predicted ? tune_by_prediction(command) : tune_by_measuring(command);
}

}  // namespace

void add_tune(CLI::App& app, Action& chosen) {
  add_command(app, chosen, "tune", "Find a kernel's fastest parameters on the GPU", add_tune_command, run_tune);
}

}  // namespace tilescope::cli
