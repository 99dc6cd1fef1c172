#pragma once

#include "draw/palette.h"

namespace tilescope::ui {

/// Sets ImGui's style: flat, few lines, the palette's colours, sizes times `scale`.
void apply_style(const draw::Palette& palette, float scale);

}  // namespace tilescope::ui
