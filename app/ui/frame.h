#pragma once

#include <array>
#include <optional>
#include <string>

#include "ui/code.h"
#include "ui/context.h"
#include "ui/doors.h"
#include "ui/finder.h"
#include "ui/keyboard_focus.h"
#include "ui/launch_form.h"
#include "ui/lesson_panel.h"
#include "ui/parameters.h"
#include "ui/pen.h"
#include "ui/plots.h"
#include "ui/resources.h"
#include "ui/stage.h"
#include "ui/strip.h"
#include "ui/timeline.h"
#include "ui/tooltip.h"

namespace tilescope::ui {

/// State of the panels between frames; for some, one for each experiment.
struct FrameState {
  FrameState();
  LessonState lesson;
  LaunchFormState form;  ///< In place of the lesson while it is open.
  std::array<StageState, 2> stages;
  std::array<StripState, 2> strips;
  TimelineState timeline;
  std::array<CodeState, 2> codes;
  CodeState lecture;  ///< The program text of a presentation.
  std::array<ParametersState, 2> parameters;
  std::string
      sliders_of;  ///< Of two compared, the number and the kernel of the one whose sliders came into sight last.
  float sliders_lack = 0;  ///< Of the height that the sliders and what is said below them need.
  std::array<ResourcesState, 2> resources;
  PlotsState plots;
  TooltipState tooltip;
  DoorsState doors;
  PenState pen;
  FinderState finder;
  KeyboardFocus keyboard;
  std::string caption;                  ///< The line of a tour's stop: "2 of 7  Every lane ..."; empty: none is open.
  bool wants_next_finding = false;      ///< A key asks for it.
  bool plots_in_place = false;          ///< A step's traced block put the plots in place of the stage.
  std::string place;                    ///< In the lessons, in the last frame: the slug and the step.
  std::vector<std::string> emphasised;  ///< What the scene there is about.
  bool lesson_open = false;             ///< In the last frame.
  std::optional<std::set<std::string>> presented;  ///< Beside the stage of a presentation, in the last frame.
  std::string said;                                ///< A sentence for the user, who has to be told once.
  std::string right;            ///< The kernel whose run was right in the last frame; empty: it was not.
  std::optional<int> code_tab;  ///< The program text's before a step showed the PTX.
};

/// Whether a slider takes the arrow keys, so that they are not shortcuts.
bool takes_arrows_now(const FrameState& kept);

/// Whether the program text is being edited: keys without Ctrl are no shortcuts then.
bool edits_now(const FrameState& kept);

/// The whole window: all panels in their fixed places.
void show_frame(const Context& context, FrameState& kept);

}  // namespace tilescope::ui
