#pragma once

#include "ui/context.h"
#include "view/tooltip/tooltip.h"

namespace tilescope::ui {

/// State of the tooltip between frames.
struct TooltipState {
  session::Target target;
  double since = 0;  ///< When the mouse came over it.
  view::ElementUses uses;
};

/// The next tooltip is above that height, beside the mouse.
void place_tooltip_above(float y);
/// The same below it.
void place_tooltip_below(float y);
/// A tooltip with the text, now.
void show_tooltip_text(const Context& context, const view::TooltipText& text);

/// Describes the target under the mouse, in any panel, once the mouse has been there for a moment. After all panels.
void show_tooltip(const Context& context, TooltipState& kept);

}  // namespace tilescope::ui
