#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "analysis/timeline.h"
#include "compile/compile.h"
#include "kernel/catalogue.h"
#include "kernel/configuration.h"
#include "kernel/launch_form.h"
#include "session/target.h"

namespace tilescope::session {

/// The scale of the stage.
enum class Scale : uint8_t { Grid, Block, Warp, Thread };
inline constexpr std::array kScales = {Scale::Grid, Scale::Block, Scale::Warp, Scale::Thread};
std::string_view to_string(Scale scale);  ///< "grid", "block", "warp", "thread"
/// Where the block's other warps are while one is at the cursor. Between two barriers nothing orders them: these are
/// three of the orders that are possible, and the last two are as far apart as barriers allow.
enum class WarpOrder : uint8_t {
  InStep,  ///< As if all ran in step.
  Ahead,   ///< The cursor's warp runs ahead: the others are at the last barrier.
  Behind,  ///< It is the last: the others wait at the next barrier or have ended.
};
inline constexpr std::array kOrders = {WarpOrder::InStep, WarpOrder::Ahead, WarpOrder::Behind};
std::string_view to_string(WarpOrder order);  ///< "in step", "ahead", "behind"
enum class Theme : uint8_t { Dark, Light };
inline constexpr std::array kThemes = {Theme::Dark, Theme::Light};
std::string_view to_string(Theme theme);  ///< "dark", "light"

/// One experiment: the inputs of a run and the place in it.
struct Inputs {
  std::string kernel;                 ///< "09_thread_tile_2d"
  std::optional<std::string> source;  ///< The text, if the user has changed it.
  kernel::Settings settings;
  kernel::Size size{256, 256, 64};
  uint32_t block_x = 0, block_y = 0, block_z = 0;  ///< The traced block.
  bool operator==(const Inputs&) const = default;
};

/// A text of the user's in place of that of a kernel's file.
struct Edit {
  std::string text;
  std::string from;  ///< The file's text that it was made from; empty: not known.
  bool operator==(const Edit&) const = default;
};

/// How the window's room is shared out. Parts are of the window's width or height; 0: as the window chooses.
struct Room {
  float lesson = 0, right = 0, resources = 0, plots = 0;  ///< Widths of the lesson, the program text, and so on.
  float bottom = 0, strip = 0;                            ///< Heights of the timeline and of the strip.
  float code = 0;                                         ///< The program text's part of the right column's height.
  std::string enlarged;                                   ///< The panel that fills the window; empty: none.
  std::set<std::string> presented;                        ///< Beside stage and strip in a presentation.
  bool operator==(const Room&) const = default;
};

/// Everything kept between starts, and the contents of a state file.
struct State {
  Inputs inputs;
  std::optional<Inputs> compared;  ///< The second experiment, if two are compared.
  std::string arch = "sm_90";
  std::string device;                                    ///< Of several with that architecture; empty: the first.
  std::string explored_arch = "sm_90", explored_device;  ///< Those of Explore, while a lesson has its own.
  compile::Choice compiler = compile::Choice::Automatic;
  analysis::StepRef cursor;
  uint32_t lane = 0;  ///< Of the thread shown at thread scale.
  Scale scale = Scale::Block;
  WarpOrder order = WarpOrder::InStep;
  float zoom = 1;              ///< Of the stage; 1: everything at that scale.
  float pan_x = 0, pan_y = 0;  ///< Of the stage, in fractions of its size.
  analysis::Unit unit = analysis::Unit::Access;
  float speed = 8;            ///< Units a second when playing.
  std::set<int> breakpoints;  ///< CUDA lines.
  std::string lesson;         ///< Its folder's name; empty: none.
  uint32_t lesson_step = 0;
  bool exploring = false;                           ///< The lesson is put aside: every panel is shown.
  std::map<std::string, Edit> edited;               ///< By the names of their kernels.
  std::map<std::string, kernel::LaunchForm> forms;  ///< As the user filled them in, likewise.
  std::vector<std::string> opened;                  ///< Files of the user's, the last one first.
  Theme theme = Theme::Dark;
  std::string language;  ///< "en", "zh", ... of the words and the lessons; empty: never chosen.
  bool clock = false;    ///< The timeline shows an SM clock by clock.
  bool present = false;
  float ui_scale = 1;
  bool still = false;  ///< Pictures change at once, without a movement.
  Room room;
  bool operator==(const State&) const = default;
  bool in_lesson() const { return !lesson.empty() && !exploring; }
};

}  // namespace tilescope::session
