#include <algorithm>
#include <chrono>
#include <limits>
#include <mutex>
#include <random>
#include <thread>

#include <fmt/format.h>
#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "base/file.h"
#include "cli/commands.h"
#include "cli/console.h"
#include "cli/measure_options.h"
#include "cli/option_checks.h"
#include "cli/predicted.h"
#include "cli/text.h"
#include "kernel/model.h"
#include "run/counted_work.h"
#include "store/measurement.h"

namespace tilescope::cli {
namespace {
using std::chrono::steady_clock;
using store::Measurement;

struct TuneCommand {
  std::string kernel;
  std::string size = "4096";
  double seconds = 300;
  bool predicted = false;    ///< By counts and a model, without a GPU.
  std::string gpu = "H200";  ///< That is predicted for.
  MeasureOptions options;
};

constexpr size_t kFinalists = 5;
constexpr size_t kMostShown = 10;  // Of predicted ones.
constexpr size_t kMostCandidates = 1'000'000;
constexpr double kExamining = 0.5;  // Of the time that there is; the rest is for measuring.

/// A legal choice of parameters and what is known of it before it runs.
struct Candidate {
  kernel::Settings settings;
  double bound = 0;  ///< Seconds that the GPU needs at least.
  bool examined = false;
  double occupancy = 0;                           ///< 0: it cannot be launched.
  std::optional<PredictedLaunch> predicted = {};  ///< Where the GPU is known.
};

struct Search {
  kernel::Kernel kernel;
  kernel::Size size;
  std::string arch;
  std::optional<arch::Device> device;
};

struct Tally {
  uint64_t combinations = 0;
  size_t legal = 0, examined = 0, launchable = 0, beaten_by_bound = 0, tried = 0, out_of_time = 0;
};

/// Visits every combination of the parameters' values.
template <class Visit>
void for_each_combination(const kernel::Description& description, Visit visit) {
  std::vector<size_t> digits(description.parameters.size(), 0);
  for (size_t at = 0; at < digits.size() || digits.empty();) {
    visit(digits);
    for (at = 0; at < digits.size(); ++at) {
      if (++digits[at] < description.parameters[at].values.size()) break;
      digits[at] = 0;
    }
    if (digits.empty()) break;
  }
}

uint64_t combinations(const kernel::Description& description) {
  uint64_t count = 1;
  for (const kernel::Parameter& parameter : description.parameters) count *= parameter.values.size();
  return count;
}

std::vector<Candidate> legal_candidates(const Search& search, const kernel::Limits& limits) {
  const kernel::Description& description = search.kernel.description;
  kernel::Model model(description, limits);
  model.set("M", search.size.m);
  model.set("N", search.size.n);
  model.set("K", search.size.k);
  std::vector<Candidate> legal;
  for_each_combination(description, [&](const std::vector<size_t>& digits) {
    Candidate candidate;
    for (size_t i = 0; i < digits.size(); ++i) {
      const kernel::Parameter& parameter = description.parameters[i];
      model.set(parameter.name, parameter.values[digits[i]]);
      candidate.settings[parameter.name] = std::to_string(parameter.values[digits[i]]);
    }
    if (model.broken() == 0) legal.push_back(std::move(candidate));
  });
  return legal;
}

void examine(const Search& search, Candidate& candidate, compile::Compiler& compiler) {
  candidate.examined = true;
  run::Request request;
  request.kernel = search.kernel;
  request.settings = candidate.settings;
  request.size = search.size;
  request.arch = search.arch;
  const Result<run::PreparedPointer> prepared = run::prepare(request, compiler, &interrupted());
  if (!prepared || !(*prepared)->occupancy) return;
  const Result<run::CountedWork> counted = run::count_work(**prepared, compiler, &interrupted());
  if (!counted) return;
  candidate.occupancy = (*prepared)->occupancy->theoretical;
  if (!search.device) return;
  candidate.bound = analysis::bound(*search.device, counted->work).seconds;
  if (const Result<PredictedLaunch> predicted = predicted_launch(*counted, search.size, *search.device))
    candidate.predicted = *predicted;
}

// In random order: when the time is up, what was examined is a fair sample of the rest.
void examine_all(const Search& search, std::vector<Candidate>& candidates, compile::Compiler& compiler,
                 double seconds) {
  std::shuffle(candidates.begin(), candidates.end(), std::mt19937(1));
  const auto until = steady_clock::now() + std::chrono::duration<double>(seconds);
  ProgressLine line(search.kernel.name + ": ");
  std::mutex mutex;
  std::atomic<size_t> next = 0, done = 0;
  std::vector<std::jthread> threads;
  for (unsigned i = 0; i < std::max(1U, std::thread::hardware_concurrency()); ++i)
    threads.emplace_back([&] {
      for (size_t at; !interrupted() && steady_clock::now() < until && (at = next.fetch_add(1)) < candidates.size();) {
        examine(search, candidates[at], compiler);
        const std::lock_guard lock(mutex);
        line.show("combinations compiled and counted", ++done, candidates.size());
      }
    });
}

/// Measures the candidates, the most promising first, for as long as there is time.
class Contest {
 public:
  Contest(const TuneCommand& command, const Search& search, measure::Measurer& measurer, store::Store* store)
      : command_(command), search_(search), measurer_(measurer), store_(store) {
    quick_ = command.options.measure;
    quick_.stop.min_samples = std::min<size_t>(quick_.stop.min_samples, 5);
    quick_.stop.min_time = std::min(quick_.stop.min_time, 0.02);
    quick_.stop.timeout = std::min(quick_.stop.timeout, 1.0);
  }

  void run(const std::vector<Candidate>& candidates, Tally& tally, steady_clock::time_point until) {
    ProgressLine line(search_.kernel.name + ": ");
    for (const Candidate& candidate : candidates) {
      if (interrupted()) return;
      if (candidate.bound >= best_) {
        ++tally.beaten_by_bound;
      } else if (steady_clock::now() > until) {
        ++tally.out_of_time;
      } else {
        line.show("measured", ++tally.tried, candidates.size());
        take(candidate.settings, quick_, nullptr);
      }
    }
  }

  /// The fastest few, measured once more and for longer, the fastest first.
  std::vector<Measurement> finals() {
    std::sort(results_.begin(), results_.end(), by_time);
    std::vector<kernel::Settings> finalists;
    for (size_t i = 0; i < std::min(kFinalists, results_.size()); ++i) finalists.push_back(settings_of(results_[i]));
    finalists.emplace_back();  // The defaults.
    results_.clear();
    for (const kernel::Settings& settings : finalists)
      if (!interrupted()) take(settings, command_.options.measure, store_);
    std::stable_sort(results_.begin(), results_.end(), by_time);
    const auto same = [](const Measurement& a, const Measurement& b) { return a.subject.params == b.subject.params; };
    results_.erase(std::unique(results_.begin(), results_.end(), same), results_.end());
    return results_;
  }

  const Diagnostics& problems() const { return problems_; }

 private:
  static bool by_time(const Measurement& a, const Measurement& b) { return a.seconds.median < b.seconds.median; }

  static kernel::Settings settings_of(const Measurement& m) {
    kernel::Settings settings;
    for (const auto& [name, value] : m.subject.params) settings[name] = std::to_string(value);
    return settings;
  }

  // Quick results are not kept: the store's are to be good ones.
  void take(const kernel::Settings& settings, const protocol::MeasureOptions& options, store::Store* store) {
    const measure::Job job{search_.kernel, settings, search_.size, options, true};
    const Result<measure::Measured> measured = measure_once(measurer_, store, job, &interrupted());
    if (measured) {
      best_ = std::min(best_, measured->measurement.seconds.median);
      results_.push_back(measured->measurement);
    } else {
      problems_.push_back(measured.errors().front());
    }
  }

  const TuneCommand& command_;
  const Search& search_;
  measure::Measurer& measurer_;
  store::Store* store_;
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
  table.row({search.kernel.name, "time", "GFLOPS", "of cuBLAS", ""});
  const Result<kernel::Configuration> defaults = kernel::configure(search.kernel.description, {}, search.size);
  for (const Measurement& m : finals) {
    const bool is_default = defaults && m.subject.params == defaults->parameters;
    table.row({store::params_text(m.subject.params), time_text(m.seconds.median), fmt::format("{:.1f}", m.gflops),
               m.reference ? fmt::format("{:.1f} %", *m.percent_of_cublas()) : "-", is_default ? "the defaults" : ""});
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
  Result<kernel::Kernel> kernel =
      kernel::find_kernel(kernel::load_catalogue(data_folder() / "kernels"), command.kernel);
  if (!kernel) return kernel.errors();
  const Result<kernel::Size> size = kernel::parse_size(command.size);
  if (!size) return size.errors();
  if (combinations(kernel->description) > kMostCandidates)
    return error("There are more than a million combinations. Give the parameters fewer values in the description.");
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
  const Result<protocol::AgentFacts> facts = measurer.connect(&interrupted());
  if (!facts) return facts.errors();
  if (!facts->problem.empty()) return error(facts->problem);
  const auto index = static_cast<size_t>(command.options.device);
  if (index >= facts->devices.size()) return error(fmt::format("The agent has {} GPUs.", facts->devices.size()));
  search->arch = fmt::format("sm_{}", facts->devices[index].capability);
  const Result<std::vector<arch::Device>> known = arch::load_devices(data_folder() / "assets/devices.toml");
  if (!known) return search;  // Without a bound nothing is ruled out by it.
  if (const Result<arch::Device> found = arch::find_device(*known, facts->devices[index].name)) search->device = *found;
  return search;
}

void put_promising_first(std::vector<Candidate>& candidates) {
  std::erase_if(candidates, [](const Candidate& candidate) { return candidate.occupancy == 0; });
  const auto seconds = [](const Candidate& candidate) {
    return candidate.predicted ? candidate.predicted->time.seconds : candidate.bound;
  };
  std::stable_sort(candidates.begin(), candidates.end(), [&](const Candidate& a, const Candidate& b) {
    return seconds(a) != seconds(b) ? seconds(a) < seconds(b) : a.occupancy > b.occupancy;
  });
}

/// The same without a GPU: the fastest by the model, and the defaults.
int print_predicted(const TuneCommand& command, const std::vector<Candidate>& candidates, const Search& search,
                    const Tally& tally) {
  std::vector<PredictedLaunch> best;
  const Result<kernel::Configuration> defaults = kernel::configure(search.kernel.description, {}, search.size);
  for (const Candidate& candidate : candidates) {
    if (!candidate.predicted) continue;
    const bool is_default = defaults && candidate.predicted->params == defaults->parameters;
    if (best.size() < kMostShown || is_default) best.push_back(*candidate.predicted);
  }
  const std::string counted =
      fmt::format("{} of {} combinations are legal. {} were compiled and counted, {} of them can be launched.\n",
                  tally.legal, tally.combinations, tally.examined, tally.launchable);
  if (best.empty()) return fail("Nothing could be predicted: " + counted);
  return finish(
      command.options.json ? predictions_json("best", best) : predictions_text(best, terminal_style()) + counted,
      interrupted() ? kInterrupted : kFine);
}

void add_tune_command(CLI::App& command, TuneCommand& tune) {
  command.add_option("kernel", tune.kernel, "A number or name of the catalogue")->required();
  command.add_option("--size", tune.size, "4096, or M=256,N=128,K=64");
  command
      .add_option("--seconds", tune.seconds,
                  "Time for compiling and measuring, the last comparison aside (default 300)")
      ->check(number_between(0, 1e6));
  command.add_flag("--predicted", tune.predicted, "By a model, from what is counted here; needs no GPU");
  command.add_option("--gpu", tune.gpu, "The GPU that --predicted is for (default H200)");
  add_measure_options(command, tune.options);
}

/// `tilescope tune`: the fastest parameters of a kernel on this GPU.
int run_tune(const TuneCommand& command) {
  std::optional<store::Store> store = command.predicted ? std::nullopt : open_default_store();
  compile::Compiler compiler;
  measure::Measurer measurer(agent_settings(command.options, first_agent(command.options)), compiler);
  const Result<Search> search = command.predicted ? make_predicted_search(command) : make_search(command, measurer);
  if (!search) return fail(search.errors());
  const Result<arch::Limits> limits = arch::find_limits(std::string_view(search->arch));
  if (!limits) return fail(limits.errors());
  std::vector<Candidate> candidates = legal_candidates(*search, run::configuration_limits(*limits));
  Tally tally{combinations(search->kernel.description), candidates.size(), 0, 0, 0, 0, 0};
  const auto until = steady_clock::now() +
                     std::chrono::duration_cast<steady_clock::duration>(std::chrono::duration<double>(command.seconds));
  examine_all(*search, candidates, compiler, command.predicted ? command.seconds : kExamining * command.seconds);
  tally.examined = static_cast<size_t>(std::ranges::count_if(candidates, &Candidate::examined));
  put_promising_first(candidates);
  tally.launchable = candidates.size();
  if (command.predicted) return print_predicted(command, candidates, *search, tally);
  Contest contest(command, *search, measurer, store ? &*store : nullptr);
  contest.run(candidates, tally, until);
  const std::vector<Measurement> finals = contest.finals();
  if (finals.empty() && !contest.problems().empty()) return fail(contest.problems());
  if (finals.empty()) return fail("Nothing could be measured: " + tally_text(tally));
  warn(contest.problems());
  return finish(command.options.json ? as_json(finals, tally) : tune_text(finals, *search, tally),
                interrupted() ? kInterrupted : kFine);
}

}  // namespace

void add_tune(CLI::App& app, Action& chosen) {
  add_command(app, chosen, "tune", "Find a kernel's fastest parameters on the GPU", add_tune_command, run_tune);
}

}  // namespace tilescope::cli
