#pragma once

#include "window/key_queue.h"

struct GLFWwindow;

namespace tilescope::window {

/// Takes GLFW's events: the mouse goes to ImGui at once, keys and characters through a queue. One at a time, and not
/// longer than its window.
class EventSource {
 public:
  explicit EventSource(GLFWwindow* window);
  ~EventSource();
  EventSource(const EventSource&) = delete;
  EventSource& operator=(const EventSource&) = delete;

  /// Whether anything came since the last call.
  bool take_changed();
  /// Notes something that came otherwise.
  void set_changed() { changed_ = true; }
  /// Hands the next frame's keys to ImGui and returns them.
  std::vector<InputEvent> take_keys();
  bool has_keys() const { return !keys_.empty(); }

 private:
  struct Callbacks;

  GLFWwindow* window_;
  KeyQueue keys_;
  bool changed_ = true;
};

}  // namespace tilescope::window
