#pragma once

#include <memory>
#include <vector>

#include "ui/context.h"
#include "view/timeline_picture.h"

namespace tilescope::ui {

/// What the timeline keeps from frame to frame; one for each experiment.
struct TimelineKept {
  std::shared_ptr<const session::Scene> scene;    ///< That `content` was made of ...
  std::shared_ptr<const session::Scene> checked;  ///< ... with the findings of this one, where the checkers are done.
  std::vector<view::TimelineFlag> flags;  ///< Those of `content`, unless a question asks for them.
  view::TimelineContent content;
  view::TimelineView view;
  session::Target lit;      ///< In the last frame.
  analysis::Moment cursor;  ///< Likewise; the view follows it.
  bool scrubbing = false;   ///< The button went down on the ruler.
  float drag_rest = 0;      ///< Pixels that were dragged and have not made a column yet.
};

/// The title line with the legend, the rows of the warps, and the transport controls. The wheel zooms about the mouse,
/// dragging pans, dragging on the ruler scrubs, a click goes there. Fills ImGui's current window.
void show_timeline(const Context& context, int experiment, TimelineKept& kept);

}  // namespace tilescope::ui
