#pragma once

#include <array>
#include <optional>
#include <string>

#include "ui/context.h"
#include "ui/made.h"
#include "ui/picture_view.h"
#include "view/timeline/clock_picture.h"

namespace tilescope::ui {

/// What the clock's rows depend on.
struct ClockKey {
  Identity<session::ClockRun> run, other;
  uint32_t slot = 0;
  view::ClockView view;
  CanvasKey canvas;
  bool operator==(const ClockKey&) const = default;
};
/// What the whole picture depends on.
struct ClockPlacesKey {
  uint64_t rows = 0;  ///< Serial number of their picture.
  session::ClockPlace cursor;
  std::optional<session::ClockPlace> lit;
  bool operator==(const ClockPlacesKey&) const = default;
};

/// State of the clock between frames.
struct ClockState {
  /// By experiment: two that are compared are one over the other, on one axis.
  std::array<Made<ClockKey, view::Picture>, 2> rows;
  std::array<Made<ClockPlacesKey, view::Picture>, 2> picture;
  std::array<std::optional<session::ClockPlace>, 2> hovered;
  view::ClockView view;
  Identity<session::ClockRun> run;
  int32_t clocks = 0;  ///< Of the run in the last frame.
  session::ClockPlace cursor;
  float drag_rest = 0;  ///< Dragged pixels that do not make a clock yet.
  bool scrubbing = false;
  bool is_hovered() const { return hovered[0] || hovered[1]; }
};

/// What the launch takes, for a title line: from the most words to the fewest.
std::array<std::string, 3> clock_texts(const Context& context, int experiment);

/// The warps of an SM clock by clock, or why there is nothing to show; two that are compared each with a title. The
/// wheel zooms about the mouse, dragging pans, dragging on the ruler scrubs, a click goes there.
void show_clock(const Context& context, float height, ClockState& kept);

/// What may be changed to see what it would do.
void show_what_ifs(const Context& context);

}  // namespace tilescope::ui
