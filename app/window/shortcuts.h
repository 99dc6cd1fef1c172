#pragma once

#include <optional>

#include "ui/command.h"
#include "ui/shortcut_list.h"
#include "window/input_queue.h"

namespace tilescope::window {

/// Actions of the window's own shortcuts.
enum class Action {
  None,
  Screenshot,
  SaveState,
  OpenState,
  LargePlots,
  NextFinding,
  ToSliders,
  SwitchLesson,
  CopyLink,
  Help,
  TurnOn,
  TurnBack,
  Return,
  AddToTour,
  Pen,
  Light,
  CopyCommand,
  Film,
  Find
};

/// The action of a key.
struct KeyAction {
  std::optional<ui::Command> command;
  Action action = Action::None;
};

/// A number of up to two digits that keys make: a digit soon after another one is its second.
class TypedNumber {
 public:
  /// Takes the event at that time in seconds.
  void note(const InputEvent& event, double now);
  int value() const { return tens_ + ones_; }

 private:
  int tens_ = 0, ones_ = 0;
  double typed_ = 0;
};

/// The meaning of a key press or of a typed "?", outside of text fields. `typed`: with this key.
KeyAction wish_of(const InputEvent& event, const session::Workspace& workspace, const TypedNumber& typed);

/// The press of a key of ui::shortcuts().
InputEvent event_of(const ui::KeyPress& press);

/// What currently takes keys.
struct KeyClaims {
  bool text = false;    ///< A field takes what is typed.
  bool arrows = false;  ///< A slider takes left and right.
  bool menu = false;    ///< A menu is open: arrows, Enter and Space choose in it.
  bool editor = false;  ///< The program text is being edited, even if another panel has the keyboard.
};
/// Whether a key belongs to a widget and is not a shortcut.
bool belongs_to_widget(const InputEvent& event, const KeyClaims& claims);

/// Whether the event is of a digit key, without Ctrl or similar.
bool is_digit(const InputEvent& event);
/// The letter of a key in the user's layout, without Ctrl or similar; 0: the event is of no such key.
char letter_of(const InputEvent& event);

}  // namespace tilescope::window
