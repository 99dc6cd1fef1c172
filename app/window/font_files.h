#pragma once

#include "ui/font_book.h"

namespace tilescope::window {

/// Asks fontconfig for Inter, JetBrains Mono and what stands in for them: other families may come where these are not
/// installed, and empty paths where there is no font at all.
ui::FontFiles find_fonts();

}  // namespace tilescope::window
