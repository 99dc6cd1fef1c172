#pragma once

#include <optional>
#include <string>

#include "ui/context.h"

namespace tilescope::ui {

/// What the launch form keeps from frame to frame.
struct LaunchFormState {
  std::string kernel;                    ///< That it was shown for in the last frame; empty: it was not.
  float footer = 0;                      ///< Its height in the last frame.
  std::string saved;                     ///< The description as it was written last.
  bool wants_saved = false;              ///< It is to be written, by who has files.
  bool asks = false;                     ///< Another description stands there: whether to replace it.
  bool replaces = false;                 ///< Yes.
  std::optional<std::string> new_entry;  ///< Another kernel of the file is to be opened.
};

/// Whether the form of the kernel on show is open.
bool has_open_form(const session::Workspace& workspace);

/// Arguments, block and grid of a kernel whose file has no description, to be filled in; whether that can be launched,
/// and what it does. Every change runs at once. Fills ImGui's current window.
void show_launch_form(const Context& context, LaunchFormState& kept);

}  // namespace tilescope::ui
