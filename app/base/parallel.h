#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

#include "base/message.h"
#include "base/turns.h"

/// Work on several threads. The system may give fewer threads than are wanted, or none: the work is done all the same.
/// No exception leaves a thread's function: it comes out on the thread that started it.
namespace tilescope {

/// How many threads run at once on this machine, at least 1.
unsigned processors();

/// A thread that runs `work`; one that is not joinable where the system gives no more threads.
std::jthread start_thread(std::function<void()> work);

/// What an exception that ended some work means to the user.
Message sentence_of(const std::exception_ptr& thrown);

/// Threads that all do the same work.
class Crew {
 public:
  /// Starts up to `wanted` threads.
  Crew(unsigned wanted, std::function<void()> work);
  /// Waits for them.
  ~Crew() = default;
  Crew(const Crew&) = delete;
  Crew& operator=(const Crew&) = delete;

  /// How many threads there are.
  size_t size() const { return threads_.size(); }
  /// Waits until all have done their work, for that time at most; whether they have.
  bool wait_for(std::chrono::milliseconds time);
  /// Waits for all. Throws the first exception that the work threw on one of them.
  void join();

 private:
  void run();

  std::function<void()> work_;
  std::mutex mutex_;
  std::condition_variable done_;
  size_t running_ = 0;         ///< Under the mutex ...
  std::exception_ptr thrown_;  ///< ... and so is this.
  std::vector<std::jthread> threads_;
};

/// Calls work(i) for each i below `count`, on the calling thread and up to `threads` - 1 others, in no particular
/// order. Begins no more once `cancel`, which may be null, is true or a call has thrown, and throws what that threw.
template <class Work>
void for_each_on(unsigned threads, uint64_t count, const std::atomic<bool>* cancel, const Work& work) {
  std::atomic<uint64_t> next = 0;
  const auto take_turns = [&] {
    try {
      while (!(cancel && *cancel)) {
        const uint64_t index = next.fetch_add(1);
        if (index >= count) return;
        work(index);
        let_turns_pass();
      }
    } catch (...) {
      next = count;
      throw;
    }
  };
  const uint64_t others = std::min<uint64_t>(std::max(threads, 1U), std::max<uint64_t>(count, 1)) - 1;
  Crew crew(static_cast<unsigned>(others), take_turns);
  take_turns();
  crew.join();
}

}  // namespace tilescope
