#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "analysis/timeline.h"
#include "base/result.h"
#include "base/worker.h"
#include "emulator/emulator.h"
#include "run/traced_block.h"

namespace tilescope::run {

using emulator::Registers;

/// The lanes' registers of the `count` instructions that a warp issued from `from` on: the traced block runs again, on
/// the same inputs, up to the last of them; with all blocks of the grid if they wait for one another. Fewer where the
/// warp issues no more. Errors: no memory for the arrays, "Cancelled.", and a moment that the run does not come to.
Result<std::vector<Registers>> read_registers(const TracedBlock& traced, const analysis::StepRef& from,
                                              uint32_t count = 1, const std::atomic<bool>* cancel = nullptr);

/// Reads registers on another thread, so that no frame waits, and a range of instructions at once, so that steps within
/// it need no new run. Only the newest request is served. All methods are called from one thread.
class RegisterProbe {
 public:
  /// `woken` is called from the worker when poll() has something to take over.
  explicit RegisterProbe(std::function<void()> woken)
      : worker_(std::move(woken), [this](const Message&) { answered_ = asked_; }) {}

  /// A range that was already requested is not requested again.
  void ask(const std::shared_ptr<const TracedBlock>& traced, const analysis::StepRef& at);
  /// True if there is a new answer.
  bool poll() { return worker_.poll(); }
  /// Whether the last request has no answer yet.
  bool reading() const { return asked_ != answered_; }
  /// Of that block at that moment; null while they are not known.
  const Registers* registers(const TracedBlock* traced, const analysis::StepRef& at) const;

 private:
  /// A stretch of one warp's instructions.
  struct Question {
    std::shared_ptr<const TracedBlock> traced;
    analysis::StepRef from;
    bool operator==(const Question&) const = default;
  };

  Question asked_, answered_;
  std::vector<Registers> registers_;  ///< Of the stretch `answered_`; empty where they cannot be had.
  Worker worker_;
};

}  // namespace tilescope::run
