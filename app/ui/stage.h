#pragma once

#include "ui/context.h"

namespace tilescope::ui {

/// The stage: the breadcrumb, the four scales, the picture of the current one. Dragging pans, the wheel zooms, a click
/// pins what is under the mouse, a double click goes one scale closer. Fills ImGui's current window.
void show_stage(const Context& context, int experiment);

}  // namespace tilescope::ui
