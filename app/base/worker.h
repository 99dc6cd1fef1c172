#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "base/message.h"

namespace tilescope {

/// Runs jobs one after another on another thread, so that the window's thread does not wait. Where there is no thread, as
/// in a browser, poll() runs one job a call, two calls late: so that frames which show what was asked for come first.
/// A job's results come back as a function that poll() calls on the owner's thread: nothing else is shared. All methods
/// except those of Turn are called on the owner's thread; only the destructor waits, for a cancelled job.
class Worker {
 public:
  /// A job's own side.
  class Turn {
   public:
    /// Becomes true when the job's results are no longer wanted.
    const std::atomic<bool>& cancel() const { return *cancel_; }
    /// Lets poll() call this, unless the job is cancelled before.
    void deliver(std::function<void()> take_over) const;

   private:
    friend class Worker;
    Worker* worker_ = nullptr;
    std::shared_ptr<std::atomic<bool>> cancel_;
  };
  using Job = std::function<void(const Turn&)>;
  using Clock = std::chrono::steady_clock;

  /// `woken` is called from the other thread when poll() has something to call. poll() calls `failed` with a sentence
  /// where a job has thrown an exception.
  explicit Worker(
      std::function<void()> woken = [] {}, std::function<void(const Message&)> failed = [](const Message&) {});
  /// Cancels everything.
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
  struct Waiting {
    Job job;
    Clock::time_point begins;
    std::shared_ptr<std::atomic<bool>> cancel;
    int polls = 0;  ///< Since it could begin, without a thread.
  };
  void work();
  /// Whether the first waiting job is done by this call of poll(), because there is no thread.
  bool is_due();
  void do_first(std::unique_lock<std::mutex>& lock);
  void drop();
  void push(Job job, Clock::time_point begins);

  std::function<void()> woken_;
  std::function<void(const Message&)> failed_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  // All under the mutex.
  std::deque<Waiting> waiting_;
  std::vector<std::function<void()>> delivered_;
  std::shared_ptr<std::atomic<bool>> running_;  ///< Cancels the running job; null if there is none.
  bool ends_ = false;
  std::jthread thread_;
};

}  // namespace tilescope
