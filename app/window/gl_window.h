#pragma once

#include <memory>

#include "base/result.h"

struct GLFWwindow;

namespace tilescope::window {

/// A window with a current OpenGL 3.3 core context. Only one at a time.
class GlWindow {
 public:
  /// The error says in a sentence or two what is missing and what to do.
  static Result<std::unique_ptr<GlWindow>> open(int width, int height, bool visible);
  ~GlWindow();
  GlWindow(const GlWindow&) = delete;
  GlWindow& operator=(const GlWindow&) = delete;

  GLFWwindow* handle() const { return handle_; }
  /// The display's scale, 1 on most.
  float content_scale() const;
  /// Whether an NVIDIA GPU draws, perhaps the one that measures.
  bool is_on_nvidia() const { return on_nvidia_; }
  /// Whether the driver has lost the context: nothing painted from now on is visible.
  bool is_lost() const;
  /// Replaces a lost window and context by new ones at the same place. Nothing of the old context is left.
  Result<std::monostate> reopen();
  /// Switches between full screen and the previous size and place.
  void set_fullscreen(bool on);

 private:
  GlWindow() = default;
  Result<std::monostate> make(int width, int height, bool visible);

  GLFWwindow* handle_ = nullptr;
  unsigned (*reset_status_)() = nullptr;
  bool on_nvidia_ = false;
  int x_ = 0, y_ = 0, width_ = 0, height_ = 0;  ///< Before full screen.
};

}  // namespace tilescope::window
