#pragma once

#include <chrono>
#include <functional>
#include <future>
#include <thread>

namespace tilescope {

/// A value that a thread of its own makes, so that a window's thread need not wait. Whoever holds it asks now and then,
/// or when woken. Its end waits for the other thread.
template <class Value>
class Async {
 public:
  Async() = default;
  /// Calls `make`, and once is_made() holds `woken`, on the other thread.
  template <class Make>
  Async(Make make, std::function<void()> woken) {
    std::promise<Value> promise;
    value_ = promise.get_future();
    maker_ = std::jthread([make = std::move(make), woken = std::move(woken), promise = std::move(promise)]() mutable {
      promise.set_value(make());
      woken();
    });
  }

  /// There is a value, or will be, that was not taken.
  bool is_pending() const { return value_.valid(); }
  bool is_made() const {
    return value_.valid() && value_.wait_for(std::chrono::seconds(0)) == std::future_status::ready;
  }
  /// Waits where it is not made yet. Call it once.
  Value take() { return value_.get(); }

 private:
  std::future<Value> value_;
  std::jthread maker_;
};

}  // namespace tilescope
