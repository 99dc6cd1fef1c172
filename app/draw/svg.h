#pragma once

#include <string>

#include "draw/palette.h"
#include "view/picture.h"

namespace tilescope::draw {

/// The picture as an SVG file on the palette's Panel colour: rectangles, lines and text that stay editable. Labels
/// name Inter and JetBrains Mono with generic fonts after them.
std::string to_svg(const view::Picture& picture, const Palette& palette);

}  // namespace tilescope::draw
