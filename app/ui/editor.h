#pragma once

#include <optional>
#include <set>
#include <string>
#include <utility>

#include "ui/context.h"

namespace tilescope::ui {

/// A part of a text, by its bytes.
using TextRange = std::pair<int, int>;

/// What is sought in the edited text.
struct FindState {
  bool open = false;
  bool wants_keyboard = false;
  bool wants_scroll = false;  ///< The match is to come into view.
  std::string sought;
  int match = -1;  ///< Where the match at hand begins in the text; -1: there is none.
};

/// The edited text; one for each experiment.
struct EditorState {
  bool open = false;
  std::string kernel;  ///< The name of the text's.
  std::string text;
  std::string from;                ///< The text of the kernel's file that it was made from.
  std::string known;               ///< The kernel's text when `text` was last taken from it or sent to it.
  std::set<std::string> original;  ///< Lines of the kernel's file.
  bool shows_path = false;
  int go_to = 0;                    ///< Move the text cursor to this line; 0: do not.
  bool reveals = false;             ///< That line is to come into view, in the upper third.
  std::optional<TextRange> select;  ///< Select this and move the keyboard to the text.
  float scroll = 0;                 ///< To the right, in pixels.
  int cursor = 0;                   ///< Of the text, while the keyboard is on it.
  TextRange selected;               ///< Likewise.
  std::string typed;                ///< For the user, in the next frame: how far in a new line begins.
  FindState find;
};

/// Larger texts are edited outside: the widget lays out all of the text in every frame.
constexpr size_t kLargestEdited = size_t{1} << 20;

/// Opens the editor on the newest text, or on the interrupted one; the cursor on `line` unless that is 0.
void open_editor(const Context& context, int experiment, EditorState& kept, int line = 0);

/// The text in its colours with line numbers, and the errors of the compiler at their lines and as a list. "Run",
/// Ctrl+Enter or Ctrl+S sends EditSource, "Restore" RestoreSource; Ctrl+F finds. Another kernel closes it. Fills
/// ImGui's current window.
void show_editor(const Context& context, int experiment, EditorState& kept);

/// The text in an open editor that has not run; nullopt: there is none.
std::optional<session::KeepEdit> text_to_keep(const EditorState& kept);

/// Says that the kernel's file has changed since the edit on show was made, and offers the one and the other.
void show_newer_file(const Context& context, int experiment, EditorState& kept);

/// Whether what went wrong is at lines of the program, and so is listed beside it; else the stage says it.
bool lists_problems(const session::Experiment& experiment);
/// Why the newest inputs have no traced block: one clickable line each. Returns the clicked line, else 0.
int show_problems(const Context& context, int experiment);

}  // namespace tilescope::ui
