#include "cli/commands.h"
#include "cli/console.h"
#include "cli/scene_options.h"

namespace tilescope::cli {

int open_window(const SceneOptions& options) {
  const Result<window::Options> parsed = [&] {
    ProgressLine line;  // A program's launch may be far.
    return window_options(options, control_for(line));
  }();
  return parsed ? window::run_window(*parsed) : fail(parsed.errors());
}

void add_window(CLI::App& app, Action& chosen) {
  add_command(app, chosen, "window", "Open the window (the default where there is a display)", add_scene_options,
              open_window);
}

}  // namespace tilescope::cli
