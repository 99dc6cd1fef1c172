#pragma once

#include <chrono>
#include <functional>
#include <future>
#include <memory>
#include <thread>
#include <utility>

#include "base/parallel.h"
#include "base/turns.h"

namespace tilescope {

/// A value made on another thread, so that the window's thread does not wait; in a browser between the turns of the
/// window; made at once where the system gives no thread. The owner polls it, or is woken. The destructor waits for the
/// other thread.
template <class Value>
class Async {
 public:
  Async() = default;
  /// Calls `make` on the other thread, then `woken`, when is_made() is true.
  template <class Make>
  Async(Make make, std::function<void()> woken) {
    // A std::function can be copied, so what it holds must be, too.
    const auto state = std::make_shared<State<Make>>(std::move(make));
    value_ = state->promise.get_future();
    const auto work = [state, woken = std::move(woken)] {
      if (std::exchange(state->begun, true)) return;
      try {
        state->promise.set_value(state->make());
      } catch (...) {
        state->promise.set_exception(std::current_exception());
      }
      woken();
    };
    maker_ = start_thread(work);
    if (maker_.joinable()) return;
    if (!works_between_turns()) {
      work();
    } else {
      make_ = work;
      run_between_turns(work);
    }
  }

  /// Whether there is, or will be, a value that was not taken.
  bool is_pending() const { return value_.valid(); }
  bool is_made() const {
    return value_.valid() && value_.wait_for(std::chrono::seconds(0)) == std::future_status::ready;
  }
  /// Waits until it is made; throws what making it threw. Call it once. In a browser only where it is made, or where
  /// making it lets no turns pass.
  Value take() {
    if (make_) std::exchange(make_, nullptr)();
    return value_.get();
  }

 private:
  template <class Make>
  struct State {
    explicit State(Make m) : make(std::move(m)) {}
    Make make;
    std::promise<Value> promise;
    bool begun = false;
  };

  std::future<Value> value_;
  std::jthread maker_;
  std::function<void()> make_;  ///< Between turns, unless it has begun.
};

}  // namespace tilescope
