#pragma once

#include "ui/context.h"
#include "view/tooltip.h"

namespace tilescope::ui {

/// What the tooltip keeps from frame to frame.
struct TooltipState {
  session::Target target;
  double since = 0;  ///< When the mouse came over it.
  view::ElementUses uses;
};

/// What is under the mouse, in any panel, in words beside the mouse, once the mouse has been there for a moment. After
/// all panels.
void show_tooltip(const Context& context, TooltipState& kept);

}  // namespace tilescope::ui
