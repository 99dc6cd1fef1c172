#pragma once

#include <chrono>
#include <functional>
#include <future>
#include <thread>

namespace tilescope {

/// A value made on another thread, so that the window's thread does not wait. The owner polls it, or is woken. The
/// destructor waits for the other thread.
template <class Value>
class Async {
 public:
  Async() = default;
  /// Calls `make` on the other thread, then `woken`, when is_made() is true.
  template <class Make>
  Async(Make make, std::function<void()> woken) {
    std::promise<Value> promise;
    value_ = promise.get_future();
    maker_ = std::jthread([make = std::move(make), woken = std::move(woken), promise = std::move(promise)]() mutable {
      promise.set_value(make());
      woken();
    });
  }

  /// Whether there is, or will be, a value that was not taken.
  bool is_pending() const { return value_.valid(); }
  bool is_made() const {
    return value_.valid() && value_.wait_for(std::chrono::seconds(0)) == std::future_status::ready;
  }
  /// Waits until it is made. Call it once.
  Value take() { return value_.get(); }

 private:
  std::future<Value> value_;
  std::jthread maker_;
};

}  // namespace tilescope
