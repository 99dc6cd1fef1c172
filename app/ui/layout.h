#pragma once

#include <string_view>
#include <vector>

#include "ui/context.h"

/// Where the panels of the window are.
namespace tilescope::ui {

constexpr float kPad = 14;  ///< Between a panel's edge and its contents, at scale 1.

/// A line between two panels that can be dragged. It sets a part of session::Room to (mouse - origin) / extent.
struct Divider {
  const char* name = "";  ///< In the widget map: "divider strip".
  view::Box box;          ///< Where the mouse takes hold of it.
  bool upright = false;
  float origin = 0, extent = 1;
  float session::Room::*part = nullptr;
};

/// The panels' places, in pixels of the window. A width of 0: not shown.
struct Layout {
  bool sizes = false;            ///< The traced size and block are with the sliders, not in the top bar.
  bool plots_on_demand = false;  ///< They are only shown in place of the stage.
  view::Box question;            ///< Of a presentation's lesson.
  view::Box caption;             ///< Of a tour's stop.
  view::Box top, lesson, centre, strip, code, parameters, resources, timeline, plots;
  std::vector<Divider> dividers;
};

/// What is shown in place of what, and what the window's lesson needs.
struct LayoutWishes {
  bool large_plots = false;  ///< In place of the stage.
  float question = 0;        ///< The height of a presentation's question; 0: none.
  float caption = 0;         ///< The height of a line below everything; 0: none.
  float sliders = 0;         ///< What the sliders' panel lacks for what is said below them.
};

/// A panel that fills the window by a double click on its title or by a key.
struct LargePanel {
  const char* name;
  view::Box Layout::*box;
};
/// All of them, by their names in session::Room.
const std::vector<LargePanel>& large_panels();

/// The place of every panel in a window of that size.
Layout make_layout(const Context& context, float width, float height, const LayoutWishes& wishes);

/// Whether the scene of the lesson's step is about the panel.
bool is_emphasised(const Context& context, std::string_view panel);

}  // namespace tilescope::ui
