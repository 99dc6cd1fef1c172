#pragma once

#include <string>
#include <utility>
#include <vector>

#include "window/input_queue.h"

struct GLFWwindow;

namespace tilescope::window {

/// Takes GLFW's events: keys, characters and buttons go to ImGui through a queue, the rest at once. Only one at
/// a time; the window must outlive it.
class EventSource {
 public:
  explicit EventSource(GLFWwindow* window);
  ~EventSource();
  EventSource(const EventSource&) = delete;
  EventSource& operator=(const EventSource&) = delete;

  /// Whether there was any event since the last call.
  bool take_changed();
  /// Begins ImGui's frame on the platform's side with the next events of the queue, and returns them. What is typed
  /// is not handed to ImGui yet.
  std::vector<InputEvent> new_frame();
  /// Paths of the files dropped on the window since the last call.
  std::vector<std::string> take_dropped() { return std::exchange(dropped_, {}); }
  bool has_events() const { return !queue_.empty(); }
  /// As if the key of that event had been pressed and released.
  void press(InputEvent key);
  /// See InputQueue.
  void hold() { queue_.hold(); }

 private:
  struct Callbacks;
  void hand_over(const InputEvent& event);
  void set_mouse(const std::vector<InputEvent>& frame);

  GLFWwindow* window_;
  InputQueue queue_;
  std::vector<std::string> dropped_;
  bool buttons_[3] = {};
  bool mouse_rests_ = false;  ///< Since a key was pressed: until the mouse moves, nothing is under it.
  bool changed_ = true;
};

}  // namespace tilescope::window
