#pragma once

#include "ui/context.h"

namespace tilescope::ui {

/// Whether C is right, and what the checkers found; a click goes to the line and pins the element. Draws from ImGui's
/// cursor down.
void show_findings(const Context& context, int experiment);

}  // namespace tilescope::ui
