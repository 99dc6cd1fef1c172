#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "window/window.h"

namespace CLI {
class App;
}

namespace tilescope::cli {

/// Options of `window` and `shot`: what to show, and how large.
struct SceneOptions {
  std::string file, entry;           ///< A .cu file of the user, and the kernel in it.
  std::vector<std::string> include;  ///< Folders of its headers.
  ProgramChoice program;
  std::string kernel, source, size, block, lesson, theme, state_file, widget_map, arch, view, order, language;
  std::vector<std::string> settings;
  std::optional<uint32_t> step;  ///< Of the lesson, from 1.
  bool present = false;
  float scale = 0;
  int width = 1600, height = 900;
};

void add_scene_options(CLI::App& command, SceneOptions& options);

/// The options for the window. Errors: an unknown kernel, lesson, scale, theme or language, an unreadable size;
/// what keeps the program from its launch, up to which `control` shows progress and may cancel.
Result<window::Options> window_options(const SceneOptions& options, const run::Control& control = {});

/// `tilescope window`: opens the window. Returns when it is closed.
int open_window(const SceneOptions& options);

}  // namespace tilescope::cli
