#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "kernel/open_file.h"
#include "session/command.h"
#include "session/launch_list.h"

namespace tilescope::window {

/// How the window is opened.
struct Options {
  float scale = 0;                          ///< Of everything; 0: the display's.
  int width = 1600, height = 900;           ///< In screen coordinates.
  std::filesystem::path state_file;         ///< Opened at the start; empty: that of last time.
  std::filesystem::path widget_map;         ///< Written after each frame that changed, for tests: one widget per line.
  session::State state;                     ///< Shown if there is no state file.
  std::string link;                         ///< Replaces `state`, see lesson/link.h; empty: none.
  bool use_state = false;                   ///< Use `state` even if one is kept from last time.
  std::string language;                     ///< "zh"; empty: that of last time.
  std::optional<session::Theme> theme;      ///< Likewise.
  std::optional<compile::Choice> compiler;  ///< Likewise.
  bool present = false;                     ///< Present whatever the state says.
  std::optional<kernel::Opened> own;        ///< A kernel of the user, shown by `state`.
  std::optional<session::LaunchList> launches;   ///< Of the user's program; `own` is one of them.
  std::function<Result<kernel::Opened>(size_t)> open_launch;  ///< Of the list's index.
  std::vector<std::filesystem::path> include_folders;  ///< More folders with its headers.
};

/// Applies the options to the state.
void apply_look(const Options& options, session::State& state);

/// Opens the window and runs until it is closed. Returns the process's exit status; if it could not be opened, one line
/// on stderr has said why.
int run_window(const Options& options);

/// Whether to try a window: an X or Wayland display is named in the environment.
bool has_display();

/// Writes the problems to stderr; returns the exit status.
int fail(const Diagnostics& problems);

/// A picture of the window as a file.
struct Shot {
  Options options;
  std::vector<session::Command> commands;  ///< Applied once the run is there: where to look.
  std::filesystem::path output;            ///< PNG; of a film GIF or MP4.
  std::filesystem::path svg;               ///< The picture called `picture` alone as SVG; empty: none.
  std::string picture = "stage";
  std::string plot;         ///< The shown plot: "ladder", "roofline"; empty: the first.
  bool large_plot = false;  ///< In place of the stage.
  bool answered = false;    ///< In a lesson: as after the questions up to the shown step have been answered.
  bool on_paper = false;    ///< To print: nothing is shown that one can only press.
  uint32_t frames = 1;      ///< More: steps of the run, from the first place on, as a film. `output` is a GIF or MP4.
};
/// Renders the window without showing it, once its traced block, counts and findings are there. Returns the exit
/// status.
int take_shot(const Shot& shot);

}  // namespace tilescope::window
