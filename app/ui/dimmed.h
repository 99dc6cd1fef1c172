#pragma once

#include <imgui.h>

#include "ui/context.h"

namespace tilescope::ui {

/// Dims what the panel shows from there to its lower right corner, if that is the result of earlier inputs because the
/// newest did not run. `up_to`: less of it.
void dim_earlier_result(const Context& context, int experiment, ImVec2 from, float up_to = 0,
                        view::Ink ground = view::Ink::Panel);

}  // namespace tilescope::ui
