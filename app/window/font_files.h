#pragma once

#include "ui/font_book.h"

namespace tilescope::window {

/// Finds Inter, JetBrains Mono and their fallbacks by fontconfig: other families if these are not installed, and empty
/// paths if there is no font at all.
ui::FontFiles find_fonts();

}  // namespace tilescope::window
