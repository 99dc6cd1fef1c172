#pragma once

#include <string>
#include <vector>

#include "ui/context.h"
#include "ui/made.h"
#include "ui/picture_view.h"

namespace tilescope::ui {

/// What the stage's picture depends on.
struct StageKey {
  Identity<run::TracedBlock> traced;
  Identity<run::GridCounts> counted;
  analysis::StepRef cursor;
  uint32_t lane = 0;
  session::Target lit;
  session::WarpOrder order{};
  session::HiddenFacts hidden;
  std::vector<std::string> emphasised;
  bool tells_of_sms = true;
  session::Scale scale{};
  float level = 0, zoom = 0, pan_x = 0, pan_y = 0;
  CanvasKey canvas;
  bool banks = true;
  bool fragments = false;  ///< Which lane holds what of the cursor's matrix instruction, in place of the arrays.
  bool registers = false;  ///< Are known.
  float moved = 1;
  analysis::StepRef before;
  int slice = -1;
  bool operator==(const StageKey&) const = default;
};

/// State of the stage between frames; one for each experiment.
struct StageState {
  Made<StageKey, view::Picture> picture;
  bool banks = true;      ///< Shared arrays are coloured by bank where they are accessed.
  int slice = -1;         ///< The chosen slice of arrays with slices; -1: the block's own.
  bool fragments = true;  ///< At a matrix instruction, from near, its lanes in place of the arrays.
  float level = -1;       ///< The animated level; -1 before the first frame.
  Identity<run::TracedBlock> traced;
  analysis::StepRef cursor, before;  ///< Of the last frame, and where that was before it moved.
  float moved = 1;                   ///< How far the arrays have come to their places at the cursor, 0 to 1.
};

/// The stage: the breadcrumb, the four scales, the picture of the current one. Dragging pans, the wheel zooms, a click
/// pins what is under the mouse, a double click goes one scale closer. Fills ImGui's current window.
void show_stage(const Context& context, int experiment, StageState& kept);

}  // namespace tilescope::ui
