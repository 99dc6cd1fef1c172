#pragma once

#include <array>
#include <cstdint>

#include "view/picture.h"

namespace tilescope::draw {

/// 0xAABBGGRR, as in ImGui, and GL's RGBA8 on little-endian machines.
using Rgba = uint32_t;

/// A theme's colours. Arrays and kinds of instruction use Okabe and Ito's eight colours (Color Universal Design, 2008),
/// magnitudes use viridis. Every text ink has a contrast of at least 4.5:1 on Window, Panel and Raised.
struct Palette {
  std::array<Rgba, 32> inks{};  ///< By Ink.
  bool dark = true;
  Rgba operator()(const view::Colour& colour) const;
};

Palette dark_palette();
Palette light_palette();
/// Black background, white text, stronger lines: for a projector in a lit room.
Palette present_palette(bool dark);

/// Viridis at 0..1.
Rgba viridis(float value);
/// The hues of warps, all light enough for dark text: neighbours differ in hue and in lightness.
Rgba warp_hue(uint32_t warp);

}  // namespace tilescope::draw
