#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "compile/compile.h"
#include "measure/measurer.h"
#include "store/measurement.h"

namespace tilescope::measure {

/// How one request ended: a measurement, or sentences that say why there is none.
struct Outcome {
  uint64_t id = 0;
  Job job;
  Result<store::Measurement> result;
  bool cancelled = false;   ///< The errors then say so, too.
  bool from_store = false;  ///< Measured earlier, with the same text, parameters, size, device and toolkit.
};

/// What the client is doing, for a status line.
struct State {
  enum class Agent { Starting, Ready, Missing, Waiting };
  Agent agent = Agent::Starting;  ///< Missing: there is none to start, or it has no GPU; Waiting: it will be restarted.
  Message sentence;               ///< "NVIDIA H200, driver 580.159.04, CUDA 13.0"; or what is wrong and what to do.
  std::string device;             ///< Name of the GPU; empty until the agent is ready.
  uint64_t running = 0;           ///< Id of the request that is being served; 0: none.
  std::string phase;              ///< "compiling", "verifying", "sampling": in English.
  uint32_t samples = 0;           ///< Taken so far.
  size_t waiting = 0;             ///< Requests behind it.
};

/// Measures in the background. Every call returns at once (well under a millisecond); one thread inside does the work.
/// Each submitted request comes back from poll() exactly once.
class Client {
 public:
  /// Starts the agent at once, so that it is ready when the first request comes. `compiler` must outlive the client.
  /// The store file is opened by the thread inside; an empty path keeps nothing.
  Client(Settings settings, compile::Compiler& compiler, std::filesystem::path store_file);
  /// Ends the agent and whatever it runs.
  ~Client();
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;

  /// Queues it; `urgent` puts it before all that wait (a slider was released). Returns its id, from 1 upwards.
  uint64_t submit(Job job, bool urgent = false);
  /// Those that ended since the last call, in the order in which they did.
  std::vector<Outcome> poll();
  State state() const;
  /// The caller used the GPU that is measured for a frame. What too many of them fell into is measured anew.
  void note_frame();
  /// It comes back as cancelled, soon. Unknown and finished ids are ignored.
  void cancel(uint64_t id);
  void cancel_all();

 private:
  struct Core;
  std::unique_ptr<Core> core_;
};

}  // namespace tilescope::measure
