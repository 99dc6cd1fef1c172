#pragma once

#include <functional>
#include <memory>

#include "base/result.h"
#include "base/worker.h"
#include "run/traced_block.h"
#include "session/clock_run.h"

namespace tilescope::session {

/// Simulates an SM that runs the launch: the same for the same launch and the same changes. Errors: there is no machine
/// code, an instruction that is not known, a fault of the kernel, "Cancelled.".
/// `block`: the traced one.
Result<std::shared_ptr<const ClockRun>> simulate(const run::Prepared& prepared, uint32_t block, const WhatIf& what_if);

/// Simulates on a thread of its own, so that no frame waits. The newest question is answered; the last complete answer
/// stays until then. All methods belong to one thread.
class ClockProbe {
 public:
  /// `woken` is called from the worker when poll() has something to take over.
  explicit ClockProbe(std::function<void()> woken) : worker_(std::move(woken)) {}

  /// What was asked already is not asked again.
  void ask(const run::TracedBlock& traced, const WhatIf& what_if);
  /// True when there is an answer that was not there before.
  bool poll() { return worker_.poll(); }
  /// The last question has no answer yet.
  bool simulating() const { return !answered_; }
  /// The last answer; null before the first, and after an error.
  const std::shared_ptr<const ClockRun>& run() const { return run_; }
  /// The same kernel at the same sizes without any change; null until it was simulated.
  const std::shared_ptr<const ClockRun>& unchanged() const { return unchanged_; }
  /// Why there is no answer for that launch; empty as long as none is known.
  Diagnostics problems_of(const run::TracedBlock& traced) const {
    return prepared_ == traced.prepared ? problems_ : Diagnostics{};
  }

 private:
  void take(const WhatIf& what_if, const Result<std::shared_ptr<const ClockRun>>& answer);

  run::PreparedPointer prepared_;  ///< Of the last question.
  uint32_t block_ = 0;
  WhatIf what_if_;
  bool answered_ = true;
  std::shared_ptr<const ClockRun> run_, unchanged_;
  Diagnostics problems_;
  Worker worker_;
};

}  // namespace tilescope::session
