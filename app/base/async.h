#pragma once

#include <chrono>
#include <functional>
#include <future>
#include <memory>
#include <thread>
#include <utility>

#include "base/parallel.h"

namespace tilescope {

/// A value made on another thread, so that the window's thread does not wait; made at once where the system gives no
/// thread. The owner polls it, or is woken. The destructor waits for the other thread.
template <class Value>
class Async {
 public:
  Async() = default;
  /// Calls `make` on the other thread, then `woken`, when is_made() is true.
  template <class Make>
  Async(Make make, std::function<void()> woken) {
    // A std::function can be copied, so what it holds must be, too.
    const auto state = std::make_shared<std::pair<Make, std::promise<Value>>>(std::move(make), std::promise<Value>());
    value_ = state->second.get_future();
    const auto work = [state, woken = std::move(woken)] {
      try {
        state->second.set_value(state->first());
      } catch (...) {
        state->second.set_exception(std::current_exception());
      }
      woken();
    };
    maker_ = start_thread(work);
    if (!maker_.joinable()) work();
  }

  /// Whether there is, or will be, a value that was not taken.
  bool is_pending() const { return value_.valid(); }
  bool is_made() const {
    return value_.valid() && value_.wait_for(std::chrono::seconds(0)) == std::future_status::ready;
  }
  /// Waits until it is made; throws what making it threw. Call it once.
  Value take() { return value_.get(); }

 private:
  std::future<Value> value_;
  std::jthread maker_;
};

}  // namespace tilescope
