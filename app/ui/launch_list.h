#pragma once

#include "ui/context.h"

namespace tilescope::ui {

/// The launches of the user's program as rows; a click opens one. Fills ImGui's current window from the cursor on.
void show_launch_list(const Context& context);

}  // namespace tilescope::ui
