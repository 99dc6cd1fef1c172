#pragma once

namespace tilescope::window {

/// Whether the next frame waits because drawing would disturb samples being taken on the GPU. Frames that
/// answer the user do not wait, and none waits for longer than `kLongestHold` seconds.
constexpr double kLongestHold = 2;
constexpr bool holds_frame(bool sampling, bool user_acted, double seconds_since_frame) {
  return sampling && !user_acted && seconds_since_frame < kLongestHold;
}

}  // namespace tilescope::window
