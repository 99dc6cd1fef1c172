#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "kernel/open_file.h"
#include "session/command.h"

namespace tilescope::window {

/// How the window is opened.
struct Options {
  float scale = 0;                          ///< Of everything; 0: as the display says.
  int width = 1600, height = 900;           ///< In screen coordinates.
  std::filesystem::path state_file;         ///< Opened at the start; empty: the one kept from last time.
  std::filesystem::path widget_map;         ///< Written after each frame that changed, for tests: one widget a line.
  session::State state;                     ///< What to show when there is no state file.
  bool use_state = false;                   ///< `state` even when one is kept from last time.
  std::string language;                     ///< "zh"; empty: the one kept from last time.
  std::optional<session::Theme> theme;      ///< Likewise.
  std::optional<compile::Choice> compiler;  ///< Likewise.
  bool present = false;                     ///< Present whatever the state says.
  std::optional<kernel::Opened> own;        ///< A kernel of the user's, to be shown as `state` says.
  std::vector<std::filesystem::path> include_folders;  ///< Where its headers are besides.
};

/// Has the state look as the options say.
void apply_look(const Options& options, session::State& state);

/// Opens the window and runs until it is closed. Returns the process's exit status; one that could not be opened has
/// been explained on stderr in one line.
int run_window(const Options& options);

/// Whether a window could be tried: an X or Wayland display is named in the environment.
bool has_display();

/// Writes the problems to stderr; the exit status.
int fail(const Diagnostics& problems);

/// A picture of the window as a file.
struct Shot {
  Options options;
  std::vector<session::Command> commands;  ///< Done once the scene is there: where to look.
  std::filesystem::path output;            ///< PNG
  std::filesystem::path svg;               ///< The picture called `picture` alone as SVG; empty: none.
  std::string picture = "stage";
  std::string plot;         ///< Which of the plots is on show: "ladder", "roofline"; empty: the first.
  bool large_plot = false;  ///< In place of the stage.
  bool answered = false;    ///< Beside a lesson: once the questions up to the step on show were answered.
};
/// Renders the window without showing it, once its scene, counts and findings are there. Returns the exit status.
int take_shot(const Shot& shot);

}  // namespace tilescope::window
