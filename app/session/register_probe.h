#pragma once

#include <atomic>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>

#include "analysis/timeline.h"
#include "base/result.h"
#include "emulator/emulator.h"
#include "session/scene.h"

namespace tilescope::session {

/// The registers of one instruction of one warp, lane by lane.
using Registers = emulator::Watch;

/// What the lanes of a warp had in the registers of an instruction that it issued: the traced block runs once more,
/// on inputs made anew, up to that moment. Errors: no memory for the arrays, "Cancelled.", and a moment that the run
/// does not come to.
Result<Registers> read_registers(const Scene& scene, const analysis::Moment& at,
                                       const std::atomic<bool>* cancel = nullptr);

/// Reads registers on a thread of its own, so that no frame waits. The newest question is answered; earlier ones are
/// dropped. All methods belong to one thread.
class RegisterProbe {
 public:
  /// `woken` is called from the worker when poll() has something to take over.
  explicit RegisterProbe(std::function<void()> woken);
  ~RegisterProbe();
  RegisterProbe(const RegisterProbe&) = delete;
  RegisterProbe& operator=(const RegisterProbe&) = delete;

  /// What was asked already is not asked again.
  void ask(const std::shared_ptr<const Scene>& scene, const analysis::Moment& at);
  /// True when there is an answer that was not there before.
  bool poll();
  /// The last question has no answer yet.
  bool reading() const { return asked_ != answered_; }
  /// Of that scene at that moment; null while they are not known.
  const Registers* registers(const Scene* scene, const analysis::Moment& at) const;

 private:
  struct Question {
    std::shared_ptr<const Scene> scene;
    analysis::Moment at;
    bool operator==(const Question&) const = default;
  };
  struct Shared;
  static void work(const std::shared_ptr<Shared>& shared);

  Question asked_, answered_;
  std::optional<Registers> registers_;
  std::shared_ptr<Shared> shared_;
  std::jthread worker_;
};

}  // namespace tilescope::session
