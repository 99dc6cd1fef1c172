#pragma once

#include "ui/context.h"

namespace tilescope::ui {

/// The bar at the top: which stage, where the figures come from, compare, theme, present, help.
void show_top_bar(const Context& context);

}  // namespace tilescope::ui
