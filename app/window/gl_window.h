#pragma once

#include <memory>

#include "base/result.h"

struct GLFWwindow;

namespace tilescope::window {

/// A window with an OpenGL 3.3 core context that is current. One at a time.
class GlWindow {
 public:
  /// The error is one sentence or two: what is missing and what to do.
  static Result<std::unique_ptr<GlWindow>> open(int width, int height, bool visible);
  ~GlWindow();
  GlWindow(const GlWindow&) = delete;
  GlWindow& operator=(const GlWindow&) = delete;

  GLFWwindow* handle() const { return handle_; }
  /// What the display says things should be scaled by, 1 on most.
  float content_scale() const;
  /// An NVIDIA GPU draws: perhaps the one that measures.
  bool is_on_nvidia() const { return on_nvidia_; }
  /// The driver has lost the context: nothing that is painted from now on can be seen.
  bool is_lost() const;
  /// A new window and context at the same place, for one that is lost. Nothing of the old context is left.
  Result<std::monostate> reopen();
  /// Between a window on the whole screen and the size and place before.
  void set_fullscreen(bool on);

 private:
  GlWindow() = default;
  Result<std::monostate> make(int width, int height, bool visible);

  GLFWwindow* handle_ = nullptr;
  unsigned (*reset_status_)() = nullptr;
  bool on_nvidia_ = false;
  int x_ = 0, y_ = 0, width_ = 0, height_ = 0;  ///< Before the whole screen.
};

}  // namespace tilescope::window
