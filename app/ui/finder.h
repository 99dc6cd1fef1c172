#pragma once

#include <optional>
#include <string>

#include "ui/context.h"
#include "ui/plots.h"
#include "ui/shortcut_list.h"

namespace tilescope::ui {

/// Everything there is, found by its name: kernels, steps of lessons, plots, settings, and words with what they mean.
struct FinderState {
  bool open = false;
  bool newly = false;  ///< The field has not had the keyboard yet.
  std::string typed;
  int chosen = 0;   ///< Of what was found.
  int moved = 0;    ///< By the arrow keys, in this frame.
  std::optional<KeyPress> press;  ///< Of a chosen key, which the window makes.
};

/// Opens it, empty, or closes it.
void switch_finder(FinderState& kept);
/// False if it was not open.
bool close_finder(FinderState& kept);

/// After the panels. Arrows and Enter choose, a click does, too.
void show_finder(const Context& context, FinderState& kept, PlotsState& plots);

}  // namespace tilescope::ui
