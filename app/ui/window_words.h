#pragma once

#include <span>
#include <string_view>

#include "ui/context.h"

namespace tilescope::ui {

/// A word that the window says itself and that the course does not explain; both in English.
struct WindowWord {
  const char *name, *meaning;
};
std::span<const WindowWord> window_words();
/// Null if there is none of that name.
const WindowWord* find_window_word(std::string_view name);

/// A card with the meaning of a word where the mouse rests on the last ImGui item.
void explain_word(const Context& context, const char* name);

}  // namespace tilescope::ui
