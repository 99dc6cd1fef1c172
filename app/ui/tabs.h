#pragma once

#include <string>
#include <utility>
#include <vector>

#include <imgui.h>

#include "ui/context.h"

namespace tilescope::ui {

constexpr float kBetweenTabs = 14;  ///< Pixels at scale 1.

struct Tab {
  explicit Tab(std::string name, size_t number = 0) : word(std::move(name)), count(number) {}
  std::string word;  ///< In English; "##" begins the hidden part of its name.
  size_t count = 0;  ///< Of what is wrong there; 0: not shown.
};

/// Words side by side in the reader's language, the chosen one strong and underlined in Accent. Returns the clicked
/// index, else -1. Recorded in the widget map as "PREFIX WORD" in English. On paper there is only the chosen word.
int show_tabs(const Context& context, const char* prefix, const std::vector<Tab>& tabs, int chosen);
/// How wide they are in pixels of the window.
float tabs_width(const Context& context, const std::vector<Tab>& tabs);

/// A quiet button with rounded corners and a word in the reader's language; `on`: drawn pressed. Recorded by its word,
/// in English. On paper there is none.
bool show_chip(const Context& context, const std::string& word, bool on = false);
/// The same, recorded by `name`, with words already in the reader's language.
bool show_named_chip(const Context& context, const std::string& name, const std::string& words, bool on = false);
/// The size of a button with that word, in pixels of the window.
ImVec2 chip_size(const Context& context, const std::string& word);
/// The next button, with that word, is on this line if it fits, else on the next.
void flow(const Context& context, const std::string& word);

/// Rounded and outlined text: what kind of figures, in English, and of what. `ink` colours the first word. With `opens`
/// it is a button with an arrow down, noted by `kind`. Returns whether it was clicked.
bool show_badge(const Context& context, const std::string& kind, const std::string& text, view::Ink ink,
                bool opens = false);
/// A filled triangle with its tip down, about a point: what opens a menu.
void draw_arrow_down(const Context& context, ImVec2 centre, view::Ink ink);

}  // namespace tilescope::ui
