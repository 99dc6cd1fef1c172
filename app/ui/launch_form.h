#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "ui/context.h"
#include "ui/made.h"

namespace tilescope::ui {

/// State of the launch form between frames.
struct LaunchFormState {
  std::string kernel;  ///< That it was shown for in the last frame; empty: it was not.
  float footer = 0;    ///< Its height in the last frame.
  std::string saved;   ///< The description as it was written last.
  /// The fields while one of them is edited; nullopt: they are the workspace's.
  std::optional<kernel::LaunchForm> draft;
  /// Those of M, N and K that the launch uses, by its description and the kernel's text.
  Made<std::pair<std::string, std::string>, std::string> extents;
  std::array<std::string, 3> typed;    ///< M, N and K.
  std::array<std::string, 3> entered;  ///< Likewise, without what is being edited.
  std::array<int64_t, 3> size{};       ///< That they were written from, or read as.
  unsigned field = 0;                  ///< ImGui's id of the field with the keyboard; 0: none.
  double typed_at = 0;                 ///< When a field last changed.
  bool asks = false;                   ///< Another description is there already: whether to replace it.
};

/// Whether the form of the shown kernel is open.
bool has_open_form(const session::Workspace& workspace);

/// Arguments, block and grid of a kernel whose file has no description, to fill in; whether it can be launched, and
/// what it does. A change runs when its field is left, or after a rest in typing. Fills ImGui's current window.
void show_launch_form(const Context& context, LaunchFormState& kept);

}  // namespace tilescope::ui
