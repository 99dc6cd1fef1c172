#pragma once

#include <string>
#include <string_view>

#include <imgui.h>

#include "ui/context.h"

/// Text and small marks in the palette's inks.
namespace tilescope::ui {

ImU32 ink(const Context& context, view::Ink which, float strength = 1);
/// One line; a null font is the window's font for text.
void show_text(const Context& context, const std::string& text, view::Ink which, ImFont* font = nullptr);
/// Wrapped at the right edge.
void show_wrapped(const Context& context, const std::string& text, view::Ink which, ImFont* font = nullptr);
/// Whether it has a Chinese character.
bool has_cjk(std::string_view text);
/// The text in the current font with line breaks where necessary: for Chinese, and where ImGui would break a number or
/// a name at its point; other text unchanged.
std::string with_breaks(const std::string& text, float room);
/// The parameters in which one of two experiments differs from the other: "  BM = 64  BN = 64".
std::string settings_text(const session::Workspace& workspace, int experiment);
/// The kernel's title, of two that are alike with the side.
std::string side_text(const session::Workspace& workspace, int experiment);
/// In English: "Left" or "Right", of two that are compared.
const char* side_word(int experiment);
/// Width in pixels of the window.
float text_width(const Context& context, const std::string& text, ImFont* font = nullptr);
/// The part of a text that fits, with "…" at its end if cut.
std::string shortened(const Context& context, const std::string& text, float room);
/// A filled circle of that ink for good, a triangle for bad: as high as a line of text, with room to its right.
void show_mark(const Context& context, bool good, view::Ink disc = view::Ink::Good);
/// A filled triangle with its tip up, in a square at `at`.
void draw_warning(ImDrawList& list, ImVec2 at, float size, ImU32 colour);
/// Before a line of text: a tick for right, a cross for wrong.
void draw_verdict(const Context& context, ImVec2 at, bool right);
/// The next widget is on the same line, that far to the right; `gap` at a scale of 1.
void next(const Context& context, float gap = 8);
/// Requests the characters that the fonts lack.
void need_characters(const Context& context, const std::string& text);

}  // namespace tilescope::ui
