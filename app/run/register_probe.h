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

/// What the lanes of a warp had in the registers of the `count` instructions that it issued from `from` on: the traced
/// block runs once more, on inputs made anew, up to the last of them; with all blocks of the grid where they wait for
/// one another. Fewer where the warp issues no more. Errors: no memory for the arrays, "Cancelled.", and a moment that
/// the run does not come to.
Result<std::vector<Registers>> read_registers(const TracedBlock& traced, const analysis::StepRef& from,
                                              uint32_t count = 1, const std::atomic<bool>* cancel = nullptr);

/// Reads registers on a thread of its own, so that no frame waits, and a stretch of instructions at once, so that steps
/// within it find theirs there. The newest question is answered; earlier ones are dropped. All methods belong to one
/// thread.
class RegisterProbe {
 public:
  /// `woken` is called from the worker when poll() has something to take over.
  explicit RegisterProbe(std::function<void()> woken)
      : worker_(std::move(woken), [this](const Message&) { answered_ = asked_; }) {}

  /// A stretch that was asked for already is not asked for again.
  void ask(const std::shared_ptr<const TracedBlock>& scene, const analysis::StepRef& at);
  /// True when there is an answer that was not there before.
  bool poll() { return worker_.poll(); }
  /// The last question has no answer yet.
  bool reading() const { return asked_ != answered_; }
  /// Of that scene at that moment; null while they are not known.
  const Registers* registers(const TracedBlock* scene, const analysis::StepRef& at) const;

 private:
  /// A stretch of one warp's instructions.
  struct Question {
    std::shared_ptr<const TracedBlock> scene;
    analysis::StepRef from;
    bool operator==(const Question&) const = default;
  };

  Question asked_, answered_;
  std::vector<Registers> registers_;  ///< Of the stretch `answered_`; empty where they cannot be had.
  Worker worker_;
};

}  // namespace tilescope::run
