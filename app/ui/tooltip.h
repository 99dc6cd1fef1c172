#pragma once

#include "ui/context.h"
#include "view/tooltip/tooltip.h"

namespace tilescope::ui {

/// State of the tooltip between frames.
struct TooltipState {
  session::Target target;
  int experiment = 0;
  double since = 0;  ///< When the mouse came over it.
  view::ElementUses uses;
};

/// The next tooltip is beside the mouse, below that height or, with a `pivot` of 1, above it.
void place_tooltip(float y, float pivot);
/// A tooltip with the text, now.
void show_tooltip_text(const Context& context, const view::TooltipText& text);

/// Describes the target under the mouse, in any panel, as it is in that experiment, once the mouse has been there for a
/// moment. After all panels.
void show_tooltip(const Context& context, TooltipState& kept, int experiment);

}  // namespace tilescope::ui
