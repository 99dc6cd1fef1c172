#pragma once

#include <chrono>
#include <thread>

/// Asks again every millisecond until that holds; false when it does not within twenty seconds, which is far longer
/// than anything takes that a test waits for.
template <class Condition>
[[nodiscard]] bool wait_until(Condition condition) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  while (!condition()) {
    if (std::chrono::steady_clock::now() > end) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return true;
}
