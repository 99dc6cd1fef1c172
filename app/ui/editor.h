#pragma once

#include <optional>
#include <set>
#include <string>

#include "ui/context.h"

namespace tilescope::ui {

/// The edited text; one for each experiment.
struct EditorState {
  bool open = false;
  std::string kernel;  ///< The kernel of the text.
  std::string text;
  std::string known;               ///< The kernel's text when `text` was last taken from it or sent to it.
  std::set<std::string> original;  ///< Lines of the catalogue's text; of a file of the user's there are none.
  bool shows_path = false;
  int go_to = 0;  ///< Move the text cursor to this line; 0: do not.
};

/// Larger texts are edited outside: the widget lays out all of the text in every frame.
constexpr size_t kLargestEdited = size_t{1} << 20;

/// Opens the editor on the newest text, or on the interrupted one; the cursor on `line` unless that is 0.
void open_editor(const Context& context, int experiment, EditorState& kept, int line = 0);

/// The text with its line numbers and the errors of the compiler at their lines and as a list. "Run", Ctrl+Enter or
/// Ctrl+S sends EditSource, "Restore" RestoreSource. Another kernel closes it. Fills ImGui's current window.
void show_editor(const Context& context, int experiment, EditorState& kept);

/// The text in an open editor that has not run; nullopt: there is none.
std::optional<session::KeepEdit> text_to_keep(const EditorState& kept);

/// Why the newest inputs have no traced block: one clickable line each. Returns the clicked line, else 0.
int show_problems(const Context& context, int experiment);

}  // namespace tilescope::ui
