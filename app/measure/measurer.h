#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "compile/compile.h"
#include "kernel/catalogue.h"
#include "kernel/configuration.h"
#include "protocol/messages.h"
#include "store/measurement.h"
#include "store/store.h"

namespace tilescope::measure {

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

/// For a point that someone waits for: 0.05 s of samples, and after 0.1 s those there are, however noisy.
protocol::MeasureOptions live_options();

/// What to measure.
struct Job {
  kernel::Kernel kernel;
  kernel::Settings settings;
  kernel::Size size;
  protocol::MeasureOptions options;
  bool again = false;                      ///< Also when the store has this very configuration.
  std::vector<std::string> counters = {};  ///< Hardware counters to read, as Nsight Compute names them.
};

/// Where a measurement stands.
struct Progress {
  std::string phase;  ///< "starting", "compiling", "verifying", "sampling"
  uint32_t samples = 0;
};

/// Measures one job after another and waits for each. Starts the agent when it is needed, again after it died, with a
/// growing pause; gives up on a job that killed it three times.
class Measurer {
 public:
  /// `compiler` must outlive it.
  Measurer(Settings settings, compile::Compiler& compiler);
  ~Measurer();
  Measurer(const Measurer&) = delete;
  Measurer& operator=(const Measurer&) = delete;

  /// Starts the agent unless it runs. What it says of itself; or what is missing, and what to do.
  Result<protocol::AgentFacts> connect(const std::atomic<bool>* cancel = nullptr);

  /// The store's key of a job on the connected agent's GPU; the errors of connect() and of the configuration.
  Result<store::Subject> subject(const Job& job, const std::atomic<bool>* cancel = nullptr);

  /// Compiles for the GPU, has the result checked against cuBLAS, and times it beside cuBLAS. Errors: whatever keeps it
  /// from compiling or launching; a wrong result, with the first wrong element; a fault; a time that beats what the
  /// GPU can do; an agent that cannot be reached; "Cancelled.".
  Result<store::Measurement> measure(const Job& job, const std::atomic<bool>* cancel = nullptr,
                                     const std::function<void(const Progress&)>& progress = {});

 private:
  struct Core;
  std::unique_ptr<Core> core_;
};

/// A measurement, and whether it had been made before.
struct Measured {
  store::Measurement measurement;
  bool from_store = false;
  Diagnostics notes;  ///< That it could not be kept.
};

/// From the store when it has this very configuration and the job does not ask for another; else measured, and kept.
/// `store` may be null. What was `disturbed` is thrown away and measured anew, five times at most; the last then
/// counts as noisy, and is not kept.
Result<Measured> measure_once(Measurer& measurer, store::Store* store, const Job& job,
                              const std::atomic<bool>* cancel = nullptr,
                              const std::function<void(const Progress&)>& progress = {},
                              const std::function<bool(const store::Measurement&)>& disturbed = {});

}  // namespace tilescope::measure
