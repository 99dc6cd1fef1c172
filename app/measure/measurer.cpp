#include "measure/measurer.h"

#include <algorithm>
#include <ctime>
#include <optional>
#include <thread>

#include <fmt/chrono.h>
#include <fmt/format.h>

#include "base/words.h"
#include "compile/hash.h"
#include "measure/agent_process.h"
#include "measure/launch_request.h"
#include "run/prepare.h"

namespace tilescope::measure {
namespace {
using protocol::Failure;
using std::chrono::milliseconds;
using std::chrono::steady_clock;

constexpr int kMostDeaths = 3;
constexpr size_t kHashDigits = 16;
constexpr double kRoofTolerance = 0.01;  // Events and clocks are no finer.
// What tensor cores draw lowers the clock by a third: 1350 of 1980 MHz on an H200 at BF16. That is their speed.
constexpr double kTensorClock = 0.8;
constexpr milliseconds kSlice{20};
constexpr int kMostTries = 5;  // Of a measurement that something disturbs.

// Beyond its sampling a request compiles nothing, but allocates, verifies and tries cuBLAS's ways once.
constexpr milliseconds kBesideSampling{120'000};

Diagnostic cancelled() { return error("Cancelled."); }

std::string now_text() { return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr))); }

/// The samples that count.
struct Samples {
  std::vector<double> ours, reference, clocks;
  uint32_t dropped = 0;
};

Samples keep_unthrottled(const protocol::MeasureReply& reply) {
  Samples samples;
  for (const protocol::SamplePair& pair : reply.samples) {
    if (pair.throttled) {
      ++samples.dropped;
      continue;
    }
    samples.ours.push_back(pair.ours);
    samples.reference.push_back(pair.reference);
    if (pair.clock_hz > 0) samples.clocks.push_back(pair.clock_hz);
  }
  return samples;
}

double throttle_threshold(const Job& job) {
  const bool on_tensor_cores = kernel::precision_of(job.kernel) != Precision::Fp32;
  return job.options.throttle_threshold * (on_tensor_cores ? kTensorClock : 1);
}

store::Measurement summarise(const store::Subject& subject, const Samples& samples,
                             const protocol::MeasureReply& reply) {
  store::Measurement result;
  result.subject = subject;
  result.date = now_text();
  result.clock_mhz = statistics::quartiles(samples.clocks).median * 1e-6;
  result.seconds = statistics::quartiles(samples.ours);
  const double flop =
      2.0 * static_cast<double>(subject.m) * static_cast<double>(subject.n) * static_cast<double>(subject.k);
  result.gflops = flop / result.seconds.median * 1e-9;
  const std::vector<double> ratios = statistics::pairwise_ratios(samples.reference, samples.ours);
  result.reference = {reply.reference, statistics::quartiles(samples.reference), statistics::median_interval(ratios)};
  result.noise = statistics::noise(samples.ours);
  result.is_noisy = reply.is_noisy;
  result.samples = static_cast<uint32_t>(samples.ours.size());
  result.dropped = samples.dropped;
  for (const protocol::CounterValue& counter : reply.counters)
    result.counters.emplace_back(counter.name, counter.value);
  result.no_counters = reply.no_counters;
  return result;
}

}  // namespace

protocol::MeasureOptions live_options() {
  protocol::MeasureOptions options;
  options.stop.min_samples = 5;
  options.stop.min_time = 0.05;
  options.stop.timeout = 0.1;
  return options;
}

/// The agent and what its past deaths mean for the next start.
struct Measurer::Core {
  Settings settings;
  compile::Compiler& compiler;
  std::unique_ptr<AgentProcess> agent;
  uint64_t last_id = 0;
  milliseconds pause{0};
  steady_clock::time_point not_before{};

  Core(Settings the_settings, compile::Compiler& the_compiler)
      : settings(std::move(the_settings)), compiler(the_compiler) {}

  /// False when cancelled.
  bool wait_out_the_pause(const std::atomic<bool>* cancel) const {
    while (steady_clock::now() < not_before && !is_set(cancel))
      std::this_thread::sleep_for(std::min<steady_clock::duration>(kSlice, not_before - steady_clock::now()));
    return !is_set(cancel);
  }

  void lengthen_the_pause() {
    pause = pause.count() == 0 ? settings.first_pause : std::min(2 * pause, settings.longest_pause);
    not_before = steady_clock::now() + pause;
  }

  Result<protocol::AgentFacts> connect(const std::atomic<bool>* cancel, bool wait) {
    if (agent && agent->is_running()) return agent->facts();
    agent.reset();
    if (wait && !wait_out_the_pause(cancel)) return cancelled();
    Result<std::unique_ptr<AgentProcess>> started = AgentProcess::start(settings, cancel);
    if (!started) return started.errors();
    agent = std::move(*started);
    return agent->facts();
  }

  Result<protocol::DeviceFacts> device(const protocol::AgentFacts& facts) const {
    if (!facts.problem.empty()) return error(facts.problem);
    const auto index = static_cast<size_t>(settings.device);
    if (index < facts.devices.size()) return facts.devices[index];
    return error(Message("The agent has {} GPUs; there is no number {}.", facts.devices.size(), settings.device));
  }

  Result<protocol::DeviceFacts> connected_device(const std::atomic<bool>* cancel) {
    const Result<protocol::AgentFacts> facts = connect(cancel, true);
    if (!facts) return facts.errors();
    return device(*facts);
  }

  static run::Request session_request(const Job& job, const protocol::DeviceFacts& device) {
    run::Request request;
    request.kernel = job.kernel;
    request.settings = job.settings;
    request.size = job.size;
    request.arch = fmt::format("sm_{}", device.capability);
    return request;
  }

  static store::Subject subject_of(const Job& job, const protocol::DeviceFacts& device, const std::string& toolkit,
                                   const kernel::Configuration& configuration) {
    store::Subject subject;
    subject.device = device.name;
    subject.kernel = job.kernel.name;
    subject.kernel_hash = compile::sha256(job.kernel.source).substr(0, kHashDigits);
    subject.params = configuration.parameters;
    subject.m = job.size.m;
    subject.n = job.size.n;
    subject.k = job.size.k;
    subject.math = to_string(kernel::precision_of(job.kernel));
    subject.toolkit = toolkit;
    subject.hot = job.options.hot;
    return subject;
  }

  Result<store::Subject> subject(const Job& job, const std::atomic<bool>* cancel) {
    const Result<protocol::DeviceFacts> facts = connected_device(cancel);
    if (!facts) return facts.errors();
    const run::Request request = session_request(job, *facts);
    const Result<arch::Limits> limits = arch::find_limits(std::string_view(request.arch));
    if (!limits) return limits.errors();
    const Result<kernel::Configuration> configuration =
        kernel::configure(job.kernel.description, job.settings, job.size, run::configuration_limits(*limits));
    if (!configuration) return configuration.errors();
    const Result<compile::Toolchain> toolchain = compiler.toolchain(cancel);
    if (!toolchain) return toolchain.errors();
    return subject_of(job, *facts, toolchain->version, *configuration);
  }

  milliseconds limit_of(const protocol::MeasureOptions& options) const {
    const double seconds = options.stop.timeout + 3 * options.launch_limit;
    return kBesideSampling + milliseconds(static_cast<int64_t>(1e3 * std::min(seconds, 1e5)));
  }

  /// Sends it to the agent, to another one after each death, until it is answered or has killed three.
  Result<protocol::MeasureReply> ask(const protocol::MeasureRequest& request, const std::atomic<bool>* cancel,
                                     const std::function<void(const Progress&)>& progress) {
    Message problem;
    for (int deaths = 0; deaths < kMostDeaths; ++deaths) {
      if (deaths > 0 && progress) progress({tr_later("restarting"), 0});
      const Result<protocol::AgentFacts> facts = connect(cancel, true);
      if (!facts) return facts.errors();
      Answer answer = agent->measure(++last_id, request, limit_of(request.options), cancel, progress);
      if (answer.kind == Answer::Kind::Lost) {
        agent.reset();
        lengthen_the_pause();
        problem = answer.problem;
        continue;
      }
      pause = milliseconds(0);
      return settle(answer);
    }
    return error(Message("The agent crashed {} times on this request; giving up. {}", kMostDeaths, problem));
  }

  Result<protocol::MeasureReply> settle(const Answer& answer) {
    if (answer.kind == Answer::Kind::Cancelled) return cancelled();
    if (answer.kind == Answer::Kind::Result) return protocol::measure_reply(answer.result);
    // After these the agent ends by itself; the next request must not meet it on its way out.
    const Failure failure = answer.why.failure;
    if (failure != Failure::Fault && failure != Failure::Endless) return error(answer.why.message);
    agent.reset();
    return error(
        Message("{} The emulator runs the same launch and names the line: see the window's findings, or "
                "tilescope check.",
                answer.why.message));
  }

  Result<store::Measurement> measure(const Job& job, const std::atomic<bool>* cancel,
                                     const std::function<void(const Progress&)>& progress) {
    if (progress) progress({tr_later("starting"), 0});
    const Result<protocol::DeviceFacts> facts = connected_device(cancel);
    if (!facts) return facts.errors();
    if (progress) progress({tr_later("compiling"), 0});
    const Result<run::PreparedPointer> prepared = run::prepare(session_request(job, *facts), compiler, cancel);
    if (!prepared) return prepared.errors();
    Result<protocol::MeasureRequest> request = launch_request(**prepared, settings.device, job.options);
    if (!request) return request.errors();
    request->counters = job.counters;
    request->options.throttle_threshold = throttle_threshold(job);
    const Result<protocol::MeasureReply> reply = ask(*request, cancel, progress);
    if (!reply) return reply.errors();
    return judge(*reply, subject_of(job, *facts, (*prepared)->build->compiled.version, (*prepared)->configuration),
                 *facts, job);
  }

  Result<store::Measurement> judge(const protocol::MeasureReply& reply, const store::Subject& subject,
                                   const protocol::DeviceFacts& device, const Job& job) const {
    const Samples samples = keep_unthrottled(reply);
    const double threshold = throttle_threshold(job);
    if (samples.ours.empty())
      return error(
          Message("All {} samples were throttled: the GPU ran below {:.0f} % of its clock. Let it cool down, "
                  "or lower --throttle-threshold.",
                  samples.dropped, 100 * threshold));
    store::Measurement result = summarise(subject, samples, reply);
    result.driver = agent ? agent->facts().driver : "";
    const double highest = samples.clocks.empty() ? 0 : *std::max_element(samples.clocks.begin(), samples.clocks.end());
    const double least = roofline_seconds(device, job.size, kernel::precision_of(job.kernel), job.options.hot, highest);
    if (result.seconds.median < least * (1 - kRoofTolerance))
      return error(
          Message("{:.4g} ms is faster than {} can be, {:.4g} ms: the measurement is wrong. Report it with "
                  "the kernel's text.",
                  1e3 * result.seconds.median, device.name, 1e3 * least));
    return result;
  }
};

Measurer::Measurer(Settings settings, compile::Compiler& compiler)
    : core_(std::make_unique<Core>(std::move(settings), compiler)) {}
Measurer::~Measurer() = default;

Result<protocol::AgentFacts> Measurer::connect(const std::atomic<bool>* cancel) { return core_->connect(cancel, true); }

Result<store::Subject> Measurer::subject(const Job& job, const std::atomic<bool>* cancel) {
  return core_->subject(job, cancel);
}

Result<store::Measurement> Measurer::measure(const Job& job, const std::atomic<bool>* cancel,
                                             const std::function<void(const Progress&)>& progress) {
  return core_->measure(job, cancel, progress);
}

Result<Measured> measure_once(Measurer& measurer, store::Store* store, const Job& job, const std::atomic<bool>* cancel,
                              const std::function<void(const Progress&)>& progress,
                              const std::function<bool(const store::Measurement&)>& disturbed) {
  if (store && !job.again) {
    const Result<store::Subject> subject = measurer.subject(job, cancel);
    if (!subject) return subject.errors();
    const Result<std::optional<store::Measurement>> known = store->find(*subject);
    const bool is_enough = known && *known && (job.counters.empty() || !(*known)->counters.empty());
    if (is_enough) return Measured{**known, true, {}};
  }
  Result<store::Measurement> measurement = measurer.measure(job, cancel, progress);
  const auto is_spoilt = [&] { return measurement && disturbed && disturbed(*measurement); };
  bool spoilt = is_spoilt();
  for (int tries = 1; spoilt && tries < kMostTries; ++tries) {
    measurement = measurer.measure(job, cancel, progress);
    spoilt = is_spoilt();
  }
  if (!measurement) return measurement.errors();
  Measured result{std::move(*measurement), false, {}};
  result.measurement.is_noisy |= spoilt;
  if (!store || spoilt) return result;
  if (const Result<std::monostate> kept = store->add(result.measurement); !kept) result.notes = kept.errors();
  return result;
}

}  // namespace tilescope::measure
