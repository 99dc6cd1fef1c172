#pragma once

#include <array>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "ui/context.h"
#include "ui/made.h"
#include "ui/plots.h"
#include "view/parameters.h"

namespace tilescope::ui {

/// What the sliders depend on.
struct ParametersKey {
  session::Inputs inputs;
  std::string arch;
  std::string description;  ///< A launch form changes it.
  bool has_run = false;     ///< Before, what ships may not be there: a page fetches it.
  bool refused = false;     ///< It is legal and did not run.
  bool operator==(const ParametersKey&) const = default;
};

/// State of the sliders between frames; one for each experiment.
struct ParametersState {
  /// By kernel and architecture; where no compiler runs.
  Made<std::tuple<std::string, std::string, bool>, std::optional<std::vector<view::ParameterValues>>> shipped;
  Made<ParametersKey, view::ParameterPanel> panel;
  std::string focused;               ///< The last clicked slider: it takes the arrow keys while under the mouse.
  bool under_mouse = false;          ///< Still, if it moved and the mouse did not.
  bool takes_arrows = false;         ///< It did in the last frame.
  bool wants_keyboard = false;       ///< The first slider gets the keyboard.
  std::array<std::string, 6> typed;  ///< M, N, K, block x, y, z while typed.
  std::string refused;               ///< Why what was entered last is no number.
  session::Inputs refused_at;        ///< While these are shown.
  std::string returned;              ///< The field in which Return was pressed in the last frame.
  std::string typing;                ///< The field that had the keyboard in the last frame.
};

/// What is written, also as "2*1024^3".
Result<int64_t> whole_number(const std::string& typed);

/// A slider per parameter with ticks at the legal values, whether the choice is legal, with buttons for the nearest
/// legal values, a menu of the presets, and with `sizes` the traced size and block. Draws from ImGui's cursor down, as
/// high as necessary. `plots` has the recorded speeds of the presets; null: there are none.
void show_parameters(const Context& context, int experiment, ParametersState& kept, bool sizes = true,
                     PlotsState* plots = nullptr);
/// Its height while the choice is legal, in pixels, at that width.
float parameters_height(const Context& context, const kernel::Description& kernel, float width, bool sizes = true);

/// Whether it is said why what was entered is no number.
bool refuses_number(const Context& context, int experiment, const ParametersState& kept);

/// The traced size and block, for windows too low to show them with the sliders.
void show_sizes_and_block(const Context& context, int experiment, ParametersState& kept);

}  // namespace tilescope::ui
