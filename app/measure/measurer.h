#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "protocol/messages.h"
#include "run/run_cache.h"
#include "store/measurement.h"
#include "store/store.h"

namespace tilescope::measure {

class AgentProcess;
struct Answer;

/// How to reach the agent and how long to wait for it.
struct Settings {
  /// The program and its arguments: {"tilescope-agent"}, {"ssh", "gpu-host", "tilescope-agent"}. Empty:
  /// $TILESCOPE_AGENT split at spaces, else the tilescope-agent beside the running program.
  std::vector<std::string> command;
  int device = 0;                                   ///< Which of the agent's GPUs.
  std::chrono::milliseconds start_limit{20'000};    ///< From start to ready.
  std::chrono::milliseconds silence_limit{20'000};  ///< Without a heartbeat while a request runs.
  std::chrono::milliseconds first_pause{250};       ///< Before the first restart; each further one waits twice as long.
  std::chrono::milliseconds longest_pause{8'000};
  std::filesystem::path log_file;  ///< What the agent writes to stderr; empty: nowhere.
};

/// For a point that someone waits for: 0.05 s of samples, and after 0.1 s the samples so far, however noisy.
protocol::MeasureOptions live_options();

/// What to measure.
struct Job {
  run::Request request;  ///< Its architecture is replaced by the GPU's.
  protocol::MeasureOptions options = {};
  bool again = false;                      ///< Even if the store has this exact configuration.
  bool keep = true;                        ///< In the store.
  std::vector<std::string> counters = {};  ///< Hardware counters to read, as Nsight Compute names them.
};

/// The progress of a measurement.
struct Progress {
  protocol::Phase phase = protocol::Phase::Starting;
  uint32_t samples = 0;  ///< Taken so far.
  bool operator==(const Progress&) const = default;
};

/// How the caller observes and stops a measurement. Everything is optional.
struct Watch {
  const std::atomic<bool>* cancel = nullptr;
  std::function<void(const Progress&)> progress = {};
  /// Whether the caller disturbed the samples. Such a measurement is discarded and repeated, at most five times; the
  /// last then counts as noisy and is not kept.
  std::function<bool(const store::Measurement&)> disturbed = {};
};

/// A measurement, and whether it came from the store.
struct Measured {
  store::Measurement measurement;
  bool from_store = false;
  Diagnostics notes = {};  ///< Notes of the store: that it was damaged, that nothing could be kept.
};

/// Appends the notes that `all` does not have yet.
void add_new(const Diagnostics& notes, Diagnostics& all);

/// Measures one job after another and waits for each. Starts the agent when it is needed, again after a crash, with a
/// growing pause; gives up on a job that crashed it three times. One object serves one thread.
class Measurer {
 public:
  /// `runs` must outlive it. `store`: the file that measurements are kept in; empty for none.
  Measurer(Settings settings, run::RunCache& runs, std::filesystem::path store = {});
  ~Measurer();

  /// Starts the agent unless it runs. Returns its description; or what is missing, and what to do.
  Result<protocol::AgentFacts> connect(const std::atomic<bool>* cancel = nullptr);
  /// The measured GPU. Errors: those of connect(); no GPU; no such GPU.
  Result<protocol::DeviceFacts> device(const std::atomic<bool>* cancel = nullptr);

  /// From the store if it has this exact configuration and the job does not want a new one. Else compiles for the GPU,
  /// has the result checked against cuBLAS, times it beside cuBLAS, and keeps it. Errors: whatever keeps it from
  /// compiling or launching; a wrong result, with the first wrong element; a fault; a time that beats what the GPU can
  /// do; an agent that cannot be reached; "Cancelled.".
  Result<Measured> measure(const Job& job, const Watch& watch = {});

 private:
  bool wait_out_the_pause(const std::atomic<bool>* cancel) const;
  void lengthen_the_pause();
  Result<store::Subject> subject(const run::Request& request, const protocol::DeviceFacts& device, bool hot,
                                 const std::atomic<bool>* cancel) const;
  Result<store::Measurement> take(const run::Request& request, const Job& job, const protocol::DeviceFacts& device,
                                  const Watch& watch);
  Result<protocol::MeasureReply> ask(const protocol::MeasureRequest& request, const Watch& watch);
  Result<protocol::MeasureReply> settle(const Answer& answer);

  Settings settings_;
  run::RunCache* runs_;
  store::Store store_;
  std::unique_ptr<AgentProcess> agent_;
  uint64_t last_id_ = 0;
  // The agent's past crashes, for its next start.
  std::chrono::milliseconds pause_{0};
  std::chrono::steady_clock::time_point not_before_{};
};

}  // namespace tilescope::measure
