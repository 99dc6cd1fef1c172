#pragma once

#include <deque>
#include <string>
#include <vector>

namespace tilescope::window {

/// A key or mouse button pressed or released, or a typed character, as GLFW reports them.
struct InputEvent {
  enum class Kind { Key, Character, Button };
  Kind kind = Kind::Key;
  int key = 0, scancode = 0, action = 0, mods = 0;  ///< GLFW's numbers; of a button `key` is the button.
  unsigned character = 0;
  float x = 0, y = 0;  ///< Of a button: the mouse's place.
  std::string name;    ///< Of a printable key: "z" in the user's layout.
  bool operator==(const InputEvent&) const = default;

  /// Of a button, or of a key that is not a modifier: the modifiers apply to it.
  bool is_press() const;
};

/// The last key that the window took: its character is typed nowhere, too, however long it is held.
class TakenKey {
 public:
  void note(const InputEvent& event, bool taken);
  /// Whether the event is what such a key types.
  bool drops(const InputEvent& event) const { return taken_ && event.kind == InputEvent::Kind::Character; }

 private:
  bool taken_ = false;
  int key_ = 0;
};

/// Delivers input frame by frame, in order. ImGui 1.86 reads keys and buttons once a frame, at one place of the mouse,
/// and characters before keys: so each changes only once in a frame, clicks in two places take two frames, and what
/// follows an editing key, or a press with other modifiers, waits for the next one. A slow frame loses nothing.
class InputQueue {
 public:
  void push(InputEvent event) { events_.push_back(std::move(event)); }
  /// The next frame has no events: a field that opens in this one gets the keyboard in that.
  void hold() { held_ = true; }
  /// The events of the next frame.
  std::vector<InputEvent> take_frame();
  bool empty() const { return events_.empty(); }

 private:
  std::deque<InputEvent> events_;
  bool held_ = false;
};

}  // namespace tilescope::window
