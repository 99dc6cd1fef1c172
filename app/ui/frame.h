#pragma once

#include <array>
#include <optional>
#include <string>

#include "ui/code.h"
#include "ui/context.h"
#include "ui/lesson_panel.h"
#include "ui/parameters.h"
#include "ui/plots.h"
#include "ui/resources.h"
#include "ui/stage.h"
#include "ui/timeline.h"
#include "ui/tooltip.h"

namespace tilescope::ui {

/// What the panels keep from frame to frame; of some, one for each experiment.
struct FrameKept {
  FrameKept();
  LessonKept lesson;
  std::array<StageKept, 2> stages;
  TimelineKept timeline;
  std::array<CodeKept, 2> codes;
  CodeKept lecture;  ///< The program text of a presentation.
  std::array<ParametersKept, 2> parameters;
  std::array<ResourcesKept, 2> resources;
  PlotsKept plots;
  TooltipKept tooltip;
  std::string place;             ///< In the lessons, in the last frame: the slug and the step.
  std::optional<int> code_tab;   ///< The program text's before a step put the PTX on show.
};

/// Whether a slider takes the arrow keys, so that they are no shortcuts.
bool takes_arrows_now(const FrameKept& kept);

/// Forgets what is made of words: the window speaks another language from now on.
void forget_words(FrameKept& kept);

/// The whole window: all panels in their fixed places.
void show_frame(const Context& context, FrameKept& kept);

}  // namespace tilescope::ui
