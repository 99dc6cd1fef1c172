#pragma once

#include <chrono>
#include <thread>

/// Checks every millisecond until `holds` is true; false after twenty seconds, far longer than anything that a test
/// waits for.
template <class Condition>
[[nodiscard]] bool wait_until(Condition condition) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  while (!condition()) {
    if (std::chrono::steady_clock::now() > end) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return true;
}
