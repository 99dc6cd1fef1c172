#pragma once

#include <algorithm>

#include "draw/palette.h"
#include "session/state.h"

namespace tilescope::window {

/// The window's place in screen coordinates, and its scales.
struct Surface {
  float width = 0, height = 0;
  float display = 1;  ///< The display's own scale.
  float asked = 0;    ///< By --scale, in place of the display's; 0: not given.
};

/// A presentation is this high, or this wide if that is less, whatever the projector's pixels: the last row of a room
/// sees the same. A line of text takes 1/43 of a wide picture's height, 1/48 of one of 4:3.
inline constexpr float kPresentHeight = 600, kPresentWidth = 900;

/// The colours of a state.
inline draw::Palette palette_of(const session::State& state) {
  const bool dark = state.theme == session::Theme::Dark;
  if (state.present) return draw::present_palette(dark);
  return dark ? draw::dark_palette() : draw::light_palette();
}

/// In a presentation the user's scale is within these, so that the stage keeps its part of the window.
inline constexpr float kLeastPresentScale = 0.5f, kMostPresentScale = 1.5f;

/// The scale of everything.
inline float scale_of(const session::State& state, const Surface& surface) {
  if (!state.present) return (surface.asked > 0 ? surface.asked : surface.display) * state.ui_scale;
  const float whole = std::min(surface.width / kPresentWidth, surface.height / kPresentHeight);
  return whole * std::clamp(state.ui_scale, kLeastPresentScale, kMostPresentScale);
}

}  // namespace tilescope::window
