#include "cli/window.h"

#include "cli/console.h"

namespace tilescope::cli {

int open_window(const SceneOptions& options) {
  const Result<window::Options> parsed = window_options(options);
  return parsed ? window::run_window(*parsed) : fail(parsed.errors());
}

}  // namespace tilescope::cli
