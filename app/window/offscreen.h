#pragma once

#include <cstdint>

namespace tilescope::window {

/// A framebuffer of our own, bound while it lives.
class Offscreen {
 public:
  Offscreen(int width, int height);
  ~Offscreen();
  Offscreen(const Offscreen&) = delete;
  Offscreen& operator=(const Offscreen&) = delete;
  bool complete() const { return complete_; }

 private:
  uint32_t framebuffer_ = 0, colours_ = 0;
  bool complete_ = false;
};

}  // namespace tilescope::window
