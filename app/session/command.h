#pragma once

#include <map>
#include <string>
#include <variant>

#include "kernel/launch_form.h"
#include "session/clock_run.h"
#include "session/state.h"

/// The user's commands as plain values: panels make them, Workspace::apply() executes them at the start of the next
/// frame.
namespace tilescope::session {

struct ChooseKernel {
  std::string name;
};  ///< With its default parameters.
struct SetParameter {
  std::string name;
  int64_t value = 0;
  std::map<std::string, int64_t> with = {};  ///< Others that are set at once.
};
struct UsePreset {
  std::string name;
};
struct SetSize {
  kernel::Size size;
};
struct SetBlock {
  uint32_t x = 0, y = 0, z = 0;
};  ///< Trace this block.
struct Move {
  analysis::Unit unit{};
  int count = 1;
};  ///< Back when negative.
struct GoTo {
  analysis::StepRef moment;
};
struct GoToStart {};
struct GoToEnd {};
struct MoveWarp {
  int count = 1;
};  ///< To the next warp with instructions, at the same time; to those before when negative.
struct GoToLine {
  int line = 0;
};  ///< The next instruction of that CUDA line, from the cursor on and around.
struct ChooseLane {
  uint32_t lane = 0;
};
struct SetUnit {
  analysis::Unit unit{};
};
struct Play {
  bool on = true;
};
/// Units a second; less and more than these is taken as these.
constexpr float kSlowest = 0.25f, kFastest = 1000;
struct SetSpeed {
  float units_per_second = 8;
};
struct SetScale {
  Scale scale{};
};
struct SetWarpOrder {
  WarpOrder order{};
};
struct SetView {
  float zoom = 1, pan_x = 0, pan_y = 0;
};
struct Pin {
  Target target;
};  ///< Nullopt removes the pin.
struct ToggleBreakpoint {
  int line = 0;
};
struct EditSource {
  Edit edit;
};  ///< Takes effect at once: compiled and traced. Kept for the kernel until RestoreSource.
struct KeepEdit {
  std::string kernel;
  Edit edit;
};  ///< Kept for that kernel without running it.
struct RestoreSource {};
/// Kernels, parameters, sizes, blocks, what-ifs and texts as before the last command that changed them; and as after
/// it.
struct Undo {};
struct Redo {};
struct SetTheme {
  Theme theme{};
};
struct SetLanguage {
  std::string language;
};  ///< "zh"; see State::language.
struct SetUiScale {
  float scale = 1;
};
struct SetPresent {
  bool on = false;
};
struct SetStill {
  bool on = false;
};
struct SetRoom {
  Room room;
};
struct SetCompare {
  bool on = false;
};  ///< Starts with a copy of the first experiment, or ends.
struct ChooseExperiment {
  int index = 0;
};  ///< Which experiment the right column and the sliders belong to.
struct ChooseLesson {
  std::string slug;
  uint32_t step = 0;
};
/// Puts the lesson aside, with the run on screen; back, with the run that was on screen then.
struct SetExploring {
  bool on = true;
};
/// A lesson's scene: a run, and the place in it to show, as find_access() counts; line 0: the warp's first access.
struct ShowScene {
  Inputs inputs;
  std::string arch = "sm_90";
  Scale scale{};
  WarpOrder order{};
  uint32_t warp = 0, lane = 0;
  int line = 0, occurrence = 1;
  std::string array = {};
  bool clock = false;     ///< What an SM does clock by clock, in place of the timeline's instructions.
  uint32_t resident = 0;  ///< Blocks that it holds at a time; 0: as many as fit.
};
struct SetArch {
  std::string arch;
  std::string device = "";  ///< Of several with that architecture; empty: the first.
};
struct SetCompiler {
  compile::Choice compiler{};
};
/// Looks for compilers; Workspace::compilers() then has them.
struct FindCompilers {};
struct ShowClock {
  bool on = true;
};  ///< What an SM does clock by clock, in place of the timeline's instructions.
struct MoveClock {
  int count = 1;
  bool issues = false;  ///< To the warp's next instruction, not by clocks.
};                      ///< Back when negative.
struct GoToClock {
  ClockPlace place;
};
struct SetWhatIf {
  WhatIf what_if;
};
struct FillForm {
  kernel::LaunchForm form;
};  ///< The launch of the user's kernel from now on.
struct ShowForm {
  bool on = true;
};
struct LoadState {
  State state;
};

using Command =
    std::variant<ChooseKernel, SetParameter, UsePreset, SetSize, SetBlock, Move, GoTo, GoToStart, GoToEnd, MoveWarp,
                 GoToLine, ChooseLane, SetUnit, Play, SetSpeed, SetScale, SetWarpOrder, SetView, Pin, ToggleBreakpoint,
                 EditSource, KeepEdit, RestoreSource, Undo, Redo, SetTheme, SetLanguage, SetUiScale, SetPresent,
                 SetStill, SetRoom, SetCompare, ChooseExperiment, ChooseLesson, SetExploring, ShowScene, SetArch,
                 SetCompiler, FindCompilers, ShowClock, MoveClock, GoToClock, SetWhatIf, FillForm, ShowForm, LoadState>;

}  // namespace tilescope::session
