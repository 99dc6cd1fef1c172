#include "agent/measure.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <thread>

#include "agent/counters.h"
#include "agent/launch_graph.h"
#include "agent/product.h"
#include "agent/same_bytes.h"

namespace tilescope::agent {
namespace {
using protocol::MeasureReply;
using protocol::MeasureRequest;
using protocol::Phase;
using protocol::SamplePair;
using std::chrono::steady_clock;

constexpr size_t kOurs = 0, kReference = 1;  // Marks.
constexpr size_t kMostReferences = 64;
constexpr double kWindow = 0.6e-3, kMostLaunches = 1000;  // Of launches one after another, with hot caches.
constexpr std::chrono::milliseconds kCooling{8};          // Before each.
constexpr double kToFillTheQueue = 150e-6;
// From the message that samples begin to the first one: a window that draws on this GPU ends its frame and holds the
// next.
constexpr auto kPause = std::chrono::milliseconds(30);

double seconds_since(steady_clock::time_point start) {
  return std::chrono::duration<double>(steady_clock::now() - start).count();
}

void stop_if_cancelled(const Supervision& watch) {
  if (watch.cancelled()) stop(protocol::Failure::Cancelled, "Cancelled.");
}

/// Times the kernel and its baseline in turn: a launch each after the L2 cache was flushed, or with hot caches a window
/// of launches each, after a pause in which the GPU cools down.
class Timing {
 public:
  Timing(Gpu& gpu, const Workload& workload, const Baseline& baseline, const protocol::MeasureOptions& options)
      : gpu_(gpu), workload_(workload), baseline_(baseline), options_(options) {
    if (options.hot) record_windows();
  }

  /// Which of the two goes first alternates, so that a drift of the clock favours neither.
  SamplePair pair(bool reference_first) {
    take(reference_first ? kReference : kOurs);
    take(reference_first ? kOurs : kReference);
    gpu_.wait(options_.launch_limit);
    SamplePair pair{seconds_of(kOurs), seconds_of(kReference), lower_clock(), false};
    pair.throttled = pair.clock_hz > 0 && pair.clock_hz < options_.throttle_threshold * gpu_.highest_clock_hz();
    return pair;
  }

 private:
  void run(size_t which) {
    if (which == kOurs)
      workload_.launch();
    else
      baseline_.run();
  }

  /// As many launches of each as the baseline does in the time of a window.
  void record_windows() {
    for (int i = 0; i < 2; ++i) {  // The first one warms up.
      gpu_.mark_start(kReference);
      run(kReference);
      gpu_.mark_end(kReference);
      gpu_.wait(options_.launch_limit);
    }
    const double once = std::max(gpu_.seconds_between(kReference, kReference), kWindow / kMostLaunches);
    const auto times = static_cast<size_t>(std::ceil(kWindow / once));
    for (const size_t which : {kOurs, kReference})
      windows_[which] = std::make_unique<LaunchGraph>(gpu_, times, [&] { run(which); });
  }

  double seconds_of(size_t which) {
    return gpu_.seconds_between(which, which) / (windows_[which] ? windows_[which]->times() : 1);
  }

  // What runs before the start mark is long enough for the queue to fill, so that no launch latency is measured.
  void take(size_t which) {
    if (!windows_[which]) {
      gpu_.flush_l2();
      gpu_.mark_start(which);
      run(which);
      gpu_.mark_end(which);
      return;
    }
    gpu_.wait(options_.launch_limit);
    std::this_thread::sleep_for(kCooling);
    gpu_.idle(kToFillTheQueue);
    gpu_.mark_start(which);
    windows_[which]->launch();
    gpu_.mark_end(which);
  }

  double lower_clock() {
    const double ours = gpu_.clock_between(kOurs, kOurs), other = gpu_.clock_between(kReference, kReference);
    return ours > 0 && other > 0 ? std::min(ours, other) : std::max(ours, other);
  }

  Gpu& gpu_;
  const Workload& workload_;
  const Baseline& baseline_;
  const protocol::MeasureOptions& options_;
  std::array<std::unique_ptr<LaunchGraph>, 2> windows_;  ///< By mark; null: single launches.
};

void take_samples(Timing& timing, const MeasureRequest& request, const Supervision& watch, MeasureReply& reply) {
  watch.progress(Phase::Sampling, 0);
  std::this_thread::sleep_for(kPause);
  timing.pair(false);  // Warms both up.
  statistics::Sampling sampling(request.options.stop);
  const auto start = steady_clock::now();
  while (!sampling.is_done(seconds_since(start)) && seconds_since(start) < request.options.stop.timeout) {
    stop_if_cancelled(watch);
    const SamplePair pair = timing.pair(reply.samples.size() % 2 == 1);
    reply.samples.push_back(pair);
    if (!pair.throttled) sampling.add(pair.ours, pair.reference);
    if (reply.samples.size() >= 2 * request.options.stop.max_samples) break;
    watch.progress(Phase::Sampling, reply.samples.size());
  }
  reply.is_noisy = !sampling.is_quiet();
}

/// With the L2 cache as the samples found it.
void take_counters(Gpu& gpu, Workload& workload, const MeasureRequest& request, MeasureReply& reply) {
  const auto prepare = [&] {
    workload.reset_outputs();
    if (!request.options.hot) gpu.flush_l2();
    gpu.wait(request.options.launch_limit);
  };
  const auto launch = [&] {
    workload.launch();
    gpu.wait(request.options.launch_limit);
  };
  Result<std::vector<protocol::CounterValue>> counters =
      read_counters(gpu.context(), gpu.index(), request.counters, {prepare, launch});
  if (counters)
    reply.counters = std::move(*counters);
  else
    reply.no_counters = text_of(counters.errors().front());
}

}  // namespace

const Reference& Measuring::reference_for(const Gemm& gemm) {
  const Extents extents{gemm.m,
                        gemm.n,
                        gemm.k,
                        gemm.a_stride,
                        gemm.b_stride,
                        static_cast<uint64_t>(gemm.input),
                        static_cast<uint64_t>(gemm.output),
                        static_cast<uint64_t>(gemm.compute)};
  if (references_.size() >= kMostReferences) references_.clear();
  std::unique_ptr<Reference>& reference = references_[extents];
  if (!reference) reference = std::make_unique<Reference>(gpu_, gemm);
  return *reference;
}

std::unique_ptr<Baseline> Measuring::baseline_for(Workload& workload) {
  if (workload.request().reference) return std::make_unique<SameBytes>(gpu_, workload);
  return std::make_unique<Product>(gpu_, workload,
                                   [this](const Gemm& gemm) -> const Reference& { return reference_for(gemm); });
}

MeasureReply Measuring::measure(const MeasureRequest& request, const Supervision& watch) {
  watch.progress(Phase::Verifying, 0);
  Workload workload(gpu_, request);
  const std::unique_ptr<Baseline> baseline = baseline_for(workload);
  baseline->compute_expected();
  stop_if_cancelled(watch);
  workload.reset_outputs();
  workload.launch();
  gpu_.wait(request.options.launch_limit);
  MeasureReply reply;
  reply.worst_ratio = baseline->verify();
  reply.reference = baseline->choose();
  Timing timing(gpu_, workload, *baseline, request.options);
  take_samples(timing, request, watch, reply);
  if (!request.counters.empty()) {
    watch.progress(Phase::ReadingCounters, 0);
    take_counters(gpu_, workload, request, reply);
  }
  // A race may show only now and then: the result of the last launch must be right, too.
  if (!baseline->accumulates()) reply.worst_ratio = std::max(reply.worst_ratio, baseline->verify());
  return reply;
}

}  // namespace tilescope::agent
