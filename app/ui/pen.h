#pragma once

#include <vector>

#include <imgui.h>

#include "ui/context.h"

namespace tilescope::ui {

/// What a lecturer draws over the window, and the light on one place of it.
struct PenState {
  bool draws = false;  ///< The mouse draws and does nothing else.
  bool light = false;  ///< Everything but a circle about the mouse is dark.
  std::vector<std::vector<ImVec2>> strokes;

  /// Puts everything away; false if there was nothing.
  bool clear();
};

/// Above everything else. Where something is typed, it leaves the mouse and the keyboard to that.
void show_pen(const Context& context, PenState& kept, bool types);

}  // namespace tilescope::ui
