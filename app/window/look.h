#pragma once

#include "draw/palette.h"
#include "session/state.h"

namespace tilescope::window {

/// A presentation's type is this much larger.
inline constexpr float kPresentScale = 1.35f;

/// The colours that a state asks for.
inline draw::Palette palette_of(const session::State& state) {
  const bool dark = state.theme == session::Theme::Dark;
  if (state.present) return draw::present_palette(dark);
  return dark ? draw::dark_palette() : draw::light_palette();
}

/// The scale of everything; `display`: the display's own.
inline float scale_of(const session::State& state, float display) {
  return display * state.ui_scale * (state.present ? kPresentScale : 1);
}

}  // namespace tilescope::window
