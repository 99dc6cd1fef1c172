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

namespace tilescope {

/// Does jobs one after another on a thread of its own, so that a window's thread need not wait. What a job finds out
/// comes back as a function that poll() calls on the owner's thread: nothing else is shared. All methods but those of
/// Turn belong to the owner's thread; none waits but the end, for a job that has been cancelled.
class Worker {
 public:
  /// A job's own side.
  class Turn {
   public:
    /// Becomes true when nobody wants the job's results any more.
    const std::atomic<bool>& cancel() const { return *cancel_; }
    /// Has poll() call this, unless the job is cancelled before.
    void deliver(std::function<void()> take_over) const;

   private:
    friend class Worker;
    Worker* worker_ = nullptr;
    std::shared_ptr<std::atomic<bool>> cancel_;
  };
  using Job = std::function<void(const Turn&)>;
  using Clock = std::chrono::steady_clock;

  /// `woken` is called from the other thread when poll() has something to call.
  explicit Worker(std::function<void()> woken = [] {});
  /// Cancels everything.
  ~Worker();
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  /// Does this after all that waits.
  void append(Job job);
  /// Cancels everything else, and does this, not before `begins`.
  void replace(Job job, Clock::time_point begins = {});
  /// Cancels what runs, and forgets what waits and what was delivered.
  void cancel();
  /// Takes over what was delivered; true when there was something.
  bool poll();
  /// Something waits, runs, or was delivered and not taken over.
  bool busy() const;

 private:
  struct Waiting {
    Job job;
    Clock::time_point begins;
    std::shared_ptr<std::atomic<bool>> cancel;
  };
  void work();
  void drop();
  void push(Job job, Clock::time_point begins);

  std::function<void()> woken_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  // All under the mutex.
  std::deque<Waiting> waiting_;
  std::vector<std::function<void()>> delivered_;
  std::shared_ptr<std::atomic<bool>> running_;  ///< Cancels the job that runs; null: none does.
  bool ends_ = false;
  std::jthread thread_;
};

}  // namespace tilescope
