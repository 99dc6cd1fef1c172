#pragma once

#include "ui/context.h"

namespace tilescope::ui {

/// The instruction under the cursor: its name and a sentence at the left, its lanes with what they access at the right.
/// A click pins what is under the mouse. Fills ImGui's current window.
void show_strip(const Context& context, int experiment);

}  // namespace tilescope::ui
