#pragma once

#include <array>
#include <memory>
#include <string>

#include "ui/context.h"
#include "view/parameters.h"

namespace tilescope::ui {

/// What the sliders keep from frame to frame; one for each experiment.
struct ParametersKept {
  session::Inputs inputs;  ///< That `panel` was made of, for this architecture.
  std::string arch;
  view::ParameterPanel panel;
  std::string focused;  ///< The slider that was clicked last: it takes the arrow keys while under the mouse.
  std::array<std::string, 5> typed;  ///< M, N, K, block x, block y as they are being typed.
};

/// A slider a parameter with ticks at the legal values, the traced size and block, presets, and whether the choice is
/// legal, with buttons for the nearest values that are. Draws from ImGui's cursor down, as high as it needs to be.
void show_parameters(const Context& context, int experiment, ParametersKept& kept);

}  // namespace tilescope::ui
