#pragma once

#include <optional>

#include "ui/command.h"
#include "window/input_queue.h"

namespace tilescope::window {

/// What the window itself does at a key.
enum class Action { None, Screenshot, SaveState, OpenState, LargePlots, Help };

/// What a key asks for.
struct KeyAction {
  std::optional<ui::Command> command;
  Action action = Action::None;
};

/// The meaning of a key press or of a typed "?", where no text field takes it.
KeyAction wish_of(const InputEvent& event, const session::Workspace& workspace);

/// What the interface is in the middle of.
struct KeyClaims {
  bool text = false;    ///< A field takes what is typed.
  bool arrows = false;  ///< A slider takes left and right.
};
/// Whether a key belongs to a widget, and is no shortcut.
bool belongs_to_widget(const InputEvent& event, const KeyClaims& claims);

/// Whether the event is of a digit's key, without Ctrl and its like.
bool is_digit(const InputEvent& event);

/// Every shortcut with what it does, in English, for the help.
struct ShortcutLine {
  const char* keys;
  const char* meaning;
};
const std::vector<ShortcutLine>& shortcut_lines();

}  // namespace tilescope::window
