#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tilescope::ui {

/// A line of the help: keys and what they do. window::wish_of() acts on them.
struct Shortcut {
  const char* keys;     ///< "Home  End": two blanks between keys that do different things. In English.
  const char* meaning;  ///< In English.
  /// What does the same by mouse: names in the widget map with | between them, which have a key each or one for all.
  const char* controls = "";
  bool needs_programs = false;  ///< Or files of the user's: see starts_programs().
};

/// A key, and what is held down with it.
struct KeyPress {
  std::string_view key;  ///< "F", "F11", "Esc"
  bool ctrl = false, shift = false;
};
/// Nullopt for more than one key: "Home  End", "Ctrl ← →".
std::optional<KeyPress> single_press(const Shortcut& shortcut);

/// Every shortcut that works here.
const std::vector<Shortcut>& shortcuts();

/// "Present  F11": what a control does, in English, as its label with its key in the reader's language.
std::string with_key(const char* control);

/// The key of a control in the reader's language; empty: it has none.
std::string key_of(std::string_view control);

}  // namespace tilescope::ui
