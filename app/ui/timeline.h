#pragma once

#include "ui/clock_view.h"
#include "ui/context.h"
#include "ui/made.h"
#include "ui/picture_view.h"
#include "view/timeline/timeline_picture.h"

namespace tilescope::ui {

/// What the timeline's rows and flags depend on.
struct TimelineSource {
  Identity<run::TracedBlock> traced;
  Identity<run::CheckResult> checked;
  bool operator==(const TimelineSource&) const = default;
};

/// What the timeline's picture depends on.
struct TimelineKey {
  TimelineSource source;
  analysis::StepRef cursor;
  session::Target lit, marked;
  size_t marks = 0;  ///< How many marks have been found so far.
  session::WarpOrder order{};
  bool hides_findings = false;
  view::TimelineView view;
  CanvasKey canvas;
  bool operator==(const TimelineKey&) const = default;
};

/// State of the timeline between frames; one for each experiment.
struct TimelineState {
  Made<TimelineSource, view::TimelineContent> content;
  Made<TimelineKey, view::Picture> picture;
  view::TimelineMarks marks;  ///< Of the traced block in the last frame, searched in parts, one per frame.
  view::TimelineView view;
  // In the last frame; the view follows the cursor.
  Identity<run::TracedBlock> traced;
  uint32_t slots = 0;
  session::Target lit;
  analysis::StepRef cursor;
  bool scrubbing = false;  ///< The button went down on the ruler.
  float drag_rest = 0;     ///< Dragged pixels that do not make a slot yet.
  ClockState clock;        ///< In place of the rows while State::clock is set.
  int what_if_lines = 1;   ///< That the what-ifs took in the last frame.
};

/// The title line with the legend, the rows of the warps, and the transport controls. The wheel zooms about the mouse,
/// dragging pans, dragging on the ruler scrubs, a click goes there. Fills ImGui's current window.
void show_timeline(const Context& context, int experiment, TimelineState& kept);

}  // namespace tilescope::ui
