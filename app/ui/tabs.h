#pragma once

#include <string>
#include <vector>

#include <imgui.h>

#include "ui/context.h"

namespace tilescope::ui {

constexpr float kBetweenTabs = 14;  ///< Pixels at scale 1.

/// Words side by side in the reader's language, the chosen one strong and underlined in Accent. Returns the index that
/// was clicked, else -1. Noted as "PREFIX WORD", in English as they are given.
int show_tabs(const Context& context, const char* prefix, const std::vector<std::string>& words, int chosen);
/// How wide they are in pixels of the window.
float tabs_width(const Context& context, const std::vector<std::string>& words);

/// A quiet button of rounded corners with a word in the reader's language; `on`: drawn as pressed in. Noted by its
/// word, in English as it is given.
bool show_chip(const Context& context, const std::string& word, bool on = false);
/// The same, noted by `name`, with words that are in the reader's language already.
bool show_named_chip(const Context& context, const std::string& name, const std::string& words, bool on = false);
/// How large one with such a word is, in pixels of the window.
ImVec2 chip_size(const Context& context, const std::string& word);

/// Rounded and outlined text: what kind of figures, in English, and of what. `ink` colours the first word. With `opens`
/// it is a button with an arrow down, noted by `kind`. Returns whether it was clicked.
bool show_badge(const Context& context, const std::string& kind, const std::string& text, view::Ink ink,
                bool opens = false);
/// A filled triangle with its tip down, about a point: what opens a menu.
void draw_arrow_down(const Context& context, ImVec2 centre, view::Ink ink);

}  // namespace tilescope::ui
