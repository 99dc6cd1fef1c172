#include "measure/measurer.h"

#include <algorithm>
#include <ctime>
#include <thread>

#include <fmt/chrono.h>
#include <fmt/format.h>

#include "base/sha256.h"
#include "measure/agent_process.h"
#include "measure/launch_request.h"

namespace tilescope::measure {
namespace {
using protocol::Failure;
using std::chrono::milliseconds;
using std::chrono::steady_clock;

constexpr int kMostDeaths = 3;
constexpr double kRoofTolerance = 0.01;  // Events and clocks are no finer.
// The power of tensor cores lowers the clock by a third: 1350 of 1980 MHz on an H200 at BF16. That is their speed.
constexpr double kTensorClock = 0.8;
constexpr milliseconds kSlice{20};
constexpr int kMostTries = 5;  // Of a disturbed measurement.

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

double throttle_threshold(const protocol::MeasureOptions& options, const kernel::Kernel& kernel) {
  const bool on_tensor_cores = kernel::precision_of(kernel) != Precision::Fp32;
  return options.throttle_threshold * (on_tensor_cores ? kTensorClock : 1);
}

void say(const Watch& watch, protocol::Phase phase) {
  if (watch.progress) watch.progress({phase, 0});
}

std::string toolkit_of(const compile::Output& compiled) {
  return compiled.compiler == "nvcc" ? compiled.compiler + " " + compiled.version : compiled.version;
}

store::Subject subject_of(const run::Request& request, const protocol::DeviceFacts& device, const std::string& toolkit,
                          const kernel::Configuration& configuration, bool hot) {
  store::Subject subject;
  subject.device = device.name;
  subject.kernel = request.kernel.name;
  subject.kernel_hash = digest_of(request.kernel.source);
  subject.params = configuration.parameters;
  subject.m = request.size.m;
  subject.n = request.size.n;
  subject.k = request.size.k;
  subject.math = to_string(kernel::precision_of(request.kernel));
  subject.toolkit = toolkit;
  subject.hot = hot;
  return subject;
}

store::Measurement summarise(const store::Subject& subject, const Samples& samples, const protocol::MeasureReply& reply,
                             bool is_product) {
  store::Measurement result;
  result.subject = subject;
  result.date = now_text();
  result.clock_mhz = statistics::quartiles(samples.clocks).median * 1e-6;
  result.seconds = statistics::quartiles(samples.ours);
  if (is_product)
    result.gflops = 2e-9 * static_cast<double>(subject.m) * static_cast<double>(subject.n) *
                    static_cast<double>(subject.k) / result.seconds.median;
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

/// The measurement from the samples. Errors: all were throttled; a time that the device cannot reach.
Result<store::Measurement> judge(const protocol::MeasureReply& reply, const store::Subject& subject,
                                 const protocol::DeviceFacts& device, const protocol::MeasureRequest& request) {
  const Samples samples = keep_unthrottled(reply);
  if (samples.ours.empty())
    return error(
        Message("All {} samples were throttled: the GPU ran below {:.0f} % of its clock. Let it cool down, "
                "or lower --throttle-threshold.",
                samples.dropped, 100 * request.options.throttle_threshold));
  store::Measurement result = summarise(subject, samples, reply, !request.reference);
  const double highest = samples.clocks.empty() ? 0 : *std::max_element(samples.clocks.begin(), samples.clocks.end());
  // What another problem needs at least is not known here.
  const double least = request.reference ? 0
                                         : roofline_seconds(device, {request.m, request.n, request.k},
                                                            request.precision, request.options.hot, highest);
  if (result.seconds.median < least * (1 - kRoofTolerance))
    return error(
        Message("{:.4g} ms is faster than {} can be, {:.4g} ms: the measurement is wrong. Report it with "
                "the kernel's text.",
                1e3 * result.seconds.median, device.name, 1e3 * least));
  return result;
}

milliseconds limit_of(const protocol::MeasureOptions& options) {
  const double seconds = options.stop.timeout + 3 * options.launch_limit;
  return kBesideSampling + milliseconds(static_cast<int64_t>(1e3 * std::min(seconds, 1e5)));
}

}  // namespace

protocol::MeasureOptions live_options() {
  protocol::MeasureOptions options;
  options.stop.min_samples = 5;
  options.stop.min_time = 0.05;
  options.stop.timeout = 0.1;
  return options;
}

void add_new(const Diagnostics& notes, Diagnostics& all) {
  for (const Diagnostic& note : notes) {
    const auto same = [&](const Diagnostic& other) { return other.message == note.message; };
    if (std::none_of(all.begin(), all.end(), same)) all.push_back(note);
  }
}

Measurer::Measurer(Settings settings, run::RunCache& runs, std::filesystem::path store)
    : settings_(std::move(settings)), runs_(&runs), store_(std::move(store)) {}
Measurer::~Measurer() = default;

/// False when cancelled.
bool Measurer::wait_out_the_pause(const std::atomic<bool>* cancel) const {
  while (steady_clock::now() < not_before_ && !is_set(cancel))
    std::this_thread::sleep_for(std::min<steady_clock::duration>(kSlice, not_before_ - steady_clock::now()));
  return !is_set(cancel);
}

void Measurer::lengthen_the_pause() {
  pause_ = pause_.count() == 0 ? settings_.first_pause : std::min(2 * pause_, settings_.longest_pause);
  not_before_ = steady_clock::now() + pause_;
}

Result<protocol::AgentFacts> Measurer::connect(const std::atomic<bool>* cancel) {
  if (agent_ && agent_->is_running()) return agent_->facts();
  agent_.reset();
  if (!wait_out_the_pause(cancel)) return cancelled();
  Result<std::unique_ptr<AgentProcess>> started = AgentProcess::start(settings_, cancel);
  if (!started) return started.errors();
  agent_ = std::move(*started);
  return agent_->facts();
}

Result<protocol::DeviceFacts> Measurer::device(const std::atomic<bool>* cancel) {
  const Result<protocol::AgentFacts> facts = connect(cancel);
  if (!facts) return facts.errors();
  if (!facts->problem.empty()) return error(facts->problem);
  const auto index = static_cast<size_t>(settings_.device);
  if (index < facts->devices.size()) return facts->devices[index];
  return error(Message("The agent has {} GPUs; there is no number {}.", facts->devices.size(), settings_.device));
}

Result<store::Subject> Measurer::subject(const run::Request& request, const protocol::DeviceFacts& device, bool hot,
                                         const std::atomic<bool>* cancel) const {
  const Result<kernel::Configuration> configuration = run::configure(request);
  if (!configuration) return configuration.errors();
  compile::Compiler& compiler = runs_->compiler();
  if (!compiler.tries_nvcc(request.compiler, request.kernel.is_users))
    if (const Result<compile::Toolchain> toolchain = compiler.toolchain(cancel))
      return subject_of(request, device, toolchain->version, *configuration, hot);
  const Result<run::PreparedPointer> prepared = runs_->prepare(request, cancel);
  if (!prepared) return prepared.errors();
  return subject_of(request, device, toolkit_of((*prepared)->build->compiled), *configuration, hot);
}

/// Sends it to the agent, restarted after each crash, until it is answered or has crashed three.
Result<protocol::MeasureReply> Measurer::ask(const protocol::MeasureRequest& request, const Watch& watch) {
  Message problem;
  for (int deaths = 0; deaths < kMostDeaths; ++deaths) {
    if (deaths > 0) say(watch, protocol::Phase::Restarting);
    const Result<protocol::AgentFacts> facts = connect(watch.cancel);
    if (!facts) return facts.errors();
    const Answer answer = agent_->measure(++last_id_, request, limit_of(request.options), watch.cancel, watch.progress);
    if (answer.kind != Answer::Kind::Lost) {
      pause_ = milliseconds(0);
      return settle(answer);
    }
    agent_.reset();
    lengthen_the_pause();
    problem = answer.problem;
  }
  return error(Message("The agent crashed {} times on this request; giving up. {}", kMostDeaths, problem));
}

Result<protocol::MeasureReply> Measurer::settle(const Answer& answer) {
  if (answer.kind == Answer::Kind::Cancelled) return cancelled();
  if (answer.kind == Answer::Kind::Result) return protocol::measure_reply(answer.result);
  // After these the agent ends by itself; the next request must not meet it on its way out.
  const Failure failure = answer.why.failure;
  if (failure != Failure::Fault && failure != Failure::Endless) return error(answer.why.message);
  agent_.reset();
  return error(
      Message("{} The emulator runs the same launch and names the line: see the window's findings, or "
              "tilescope check.",
              answer.why.message));
}

Result<store::Measurement> Measurer::take(const run::Request& request, const Job& job,
                                          const protocol::DeviceFacts& device, const Watch& watch) {
  say(watch, protocol::Phase::Compiling);
  const Result<run::PreparedPointer> prepared = runs_->prepare(request, watch.cancel);
  if (!prepared) return prepared.errors();
  Result<protocol::MeasureRequest> wanted = launch_request(**prepared, settings_.device, job.options);
  if (!wanted) return wanted.errors();
  wanted->counters = job.counters;
  wanted->options.throttle_threshold = throttle_threshold(job.options, request.kernel);
  const Result<protocol::MeasureReply> reply = ask(*wanted, watch);
  if (!reply) return reply.errors();
  const run::Prepared& run = **prepared;
  Result<store::Measurement> result =
      judge(*reply, subject_of(request, device, toolkit_of(run.build->compiled), run.configuration, job.options.hot),
            device, *wanted);
  if (result && agent_) result->driver = agent_->facts().driver;
  return result;
}

Result<Measured> Measurer::measure(const Job& job, const Watch& watch) {
  say(watch, protocol::Phase::Starting);
  const Result<protocol::DeviceFacts> device = this->device(watch.cancel);
  if (!device) return device.errors();
  run::Request request = job.request;
  request.arch = fmt::format("sm_{}", device->capability);
  Diagnostics notes;
  if (!job.again) {
    const Result<store::Subject> subject = this->subject(request, *device, job.options.hot, watch.cancel);
    if (!subject) return subject.errors();
    const Result<std::optional<store::Measurement>> known = store_.find(*subject);
    if (!known) notes = known.errors();
    const bool is_enough = known && *known && (job.counters.empty() || !(*known)->counters.empty());
    if (is_enough) return Measured{**known, true};
  }
  bool spoilt = true;
  Result<store::Measurement> taken = cancelled();
  for (int tries = 0; spoilt && tries < kMostTries; ++tries) {
    taken = take(request, job, *device, watch);
    spoilt = taken && watch.disturbed && watch.disturbed(*taken);
  }
  if (!taken) return taken.errors();
  Measured result{std::move(*taken), false, std::move(notes)};
  result.measurement.is_noisy |= spoilt;
  if (spoilt || !job.keep) return result;
  const Result<store::Kept> kept = store_.add(result.measurement);
  result.notes = kept ? kept->notes : kept.errors();  // Both may repeat find()'s notes.
  return result;
}

}  // namespace tilescope::measure
