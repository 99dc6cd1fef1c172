#pragma once

#include <deque>
#include <string>
#include <vector>

namespace tilescope::window {

/// A key or mouse button that went down or up, or a character that was typed, as GLFW reports them.
struct InputEvent {
  enum class Kind { Key, Character, Button };
  Kind kind = Kind::Key;
  int key = 0, scancode = 0, action = 0, mods = 0;  ///< GLFW's numbers; of a button `key` is the button.
  unsigned character = 0;
  float x = 0, y = 0;  ///< Of a button: where the mouse was.
  std::string name;    ///< Of a key that prints something: "z" wherever the user's layout has it.
  bool operator==(const InputEvent&) const = default;

  /// Of a button, or of a key that is not a modifier: what `mods` are for.
  bool is_press() const;
};

/// Hands input out frame by frame in its order. ImGui before 1.87 looks at keys and buttons once a frame, at one place
/// of the mouse, and at characters before keys: so each changes only once in a frame, clicks in two places take two
/// frames, a character that follows an editing key waits for the next one, and so does a press with other modifiers. A
/// slow frame loses nothing.
class InputQueue {
 public:
  void push(InputEvent event) { events_.push_back(std::move(event)); }
  /// The events of the next frame.
  std::vector<InputEvent> take_frame();
  bool empty() const { return events_.empty(); }

 private:
  std::deque<InputEvent> events_;
};

}  // namespace tilescope::window
