#pragma once

#include <optional>
#include <string>

#include "ui/context.h"

namespace tilescope::ui {

/// State of the launch form between frames.
struct LaunchFormState {
  std::string kernel;                    ///< The kernel in the last frame; empty: the form was not shown.
  float footer = 0;                      ///< Its height in the last frame.
  std::string saved;                     ///< The description as last written.
  bool wants_saved = false;              ///< It should be written, by the window.
  bool asks = false;                     ///< Another description exists: whether to replace it.
  bool replaces = false;                 ///< Yes.
  std::optional<std::string> new_entry;  ///< Another kernel of the file should be opened.
};

/// Whether the form of the shown kernel is open.
bool has_open_form(const session::Workspace& workspace);

/// Arguments, block and grid of a kernel whose file has no description, to fill in; whether it can be launched, and
/// what it does. Every change runs at once. Fills ImGui's current window.
void show_launch_form(const Context& context, LaunchFormState& kept);

}  // namespace tilescope::ui
