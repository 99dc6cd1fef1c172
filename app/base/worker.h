#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <thread>

#include "base/message.h"

namespace tilescope {

/// Runs jobs one after another on another thread, so that the window's thread does not wait; in a browser between the
/// turns of the window (turns.h). Where the system gives no thread, poll() runs one job a call, two calls late: so that
/// frames which show what was asked for come first.
/// A job's results come back as a function that poll() calls on the owner's thread: nothing else is shared. All methods
/// except those of Turn are called on the owner's thread. The destructor cancels everything and waits for the running
/// job, but cannot wait in a browser: a job uses its owner only in what it delivers.
class Worker {
  struct State;

 public:
  /// A job's own side.
  class Turn {
   public:
    /// Becomes true when the job's results are no longer wanted.
    const std::atomic<bool>& cancel() const { return *cancel_; }
    /// Lets poll() call this, unless the job is cancelled before.
    void deliver(std::function<void()> take_over) const;

   private:
    friend struct Worker::State;
    State* of_ = nullptr;
    std::shared_ptr<std::atomic<bool>> cancel_;
  };
  using Job = std::function<void(const Turn&)>;
  using Clock = std::chrono::steady_clock;

  /// `woken` is called from the other thread when poll() has something to call. poll() calls `failed` with a sentence
  /// where a job has thrown an exception.
  explicit Worker(
      std::function<void()> woken = [] {}, std::function<void(const Message&)> failed = [](const Message&) {});
  ~Worker();
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  /// Runs this after all waiting jobs.
  void append(Job job);
  /// Cancels everything else and runs this, not before `begins`.
  void replace(Job job, Clock::time_point begins = {});
  /// Cancels the running job, and drops waiting jobs and delivered results.
  void cancel();
  /// Takes over delivered results; true if there were any.
  bool poll();
  /// Whether a job waits or runs, or a result was not taken over.
  bool busy() const;

 private:
  /// Begins the first waiting job if it is time, because there is no thread that does. True while it has to wait.
  bool begin();

  const std::shared_ptr<State> state_;  ///< A job that runs between turns may outlive its owner.
  std::jthread thread_;
};

}  // namespace tilescope
