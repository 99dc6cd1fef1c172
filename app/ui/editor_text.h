#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <imgui.h>
#include <imgui_internal.h>

#include "kernel/catalogue.h"
#include "ui/editor.h"

namespace tilescope::ui {

/// Where a line begins, counted from 1, and its text.
size_t offset_of_line(const std::string& text, int line);
std::string text_of_line(const std::string& text, int line);

/// Where that line of a text is in an edited one: the line with the same words, of several equal ones the one with as
/// many before it; 0: it is no longer there.
int moved_line(const std::string& text, const std::string& edited, int line);

/// The first and last of so many lines that a box of that height shows, scrolled so far.
std::pair<int, int> visible_lines(int lines, float scroll, float height);

/// Where `sought` begins in a text, in capitals or not.
std::vector<int> matches_of(std::string_view text, std::string_view sought);

/// Makes the letters of a word that were typed, or erased backwards, one after another a single step of ImGui's undo.
void join_undo(ImGuiInputTextState& state);

/// The field of what is sought, which Ctrl+F opens and Esc closes: Enter goes to the next match, with Shift to the one
/// before.
void show_find(const Context& context, EditorState& kept);

/// Width of the longest line in the current font.
float longest_line(const std::string& text);

/// The bar below a text box that shows which part of its lines, `whole` wide, is in view; dragged, it scrolls them.
/// `box`: the text box's identity. `over_text`: the mouse is over it, whose wheel scrolls sideways, too.
void show_scroll(const Context& context, EditorState& kept, ImGuiID box, float width, float whole, bool over_text);

/// The text of ImGui's last item, a text box without colour, in the colours of the reading view, with the matches of
/// what is sought and, if `active`, the text cursor.
void draw_text(const Context& context, const kernel::Kernel& kernel, EditorState& kept, bool active);

}  // namespace tilescope::ui
