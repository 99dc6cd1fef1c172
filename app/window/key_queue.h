#pragma once

#include <deque>
#include <string>
#include <vector>

namespace tilescope::window {

/// A key that went down or up, or a character that was typed, as GLFW reports them.
struct InputEvent {
  bool is_character = false;
  int key = 0, scancode = 0, action = 0, mods = 0;  ///< Of a key, GLFW's numbers.
  unsigned character = 0;
  std::string name;  ///< Of a key that prints something: "z" wherever the user's layout has it.
  bool operator==(const InputEvent&) const = default;
};

/// Hands input out frame by frame in its order. ImGui before 1.87 looks at keys once a frame and at characters before
/// keys: so a key changes only once in a frame, and a character that follows an editing key waits for the next one.
class KeyQueue {
 public:
  void push(InputEvent event) { events_.push_back(std::move(event)); }
  /// The events of the next frame.
  std::vector<InputEvent> take_frame();
  bool empty() const { return events_.empty(); }

 private:
  std::deque<InputEvent> events_;
};

}  // namespace tilescope::window
