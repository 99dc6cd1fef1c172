#pragma once

#include "cli/scene_options.h"

namespace tilescope::cli {

/// `tilescope window`: opens the window. Returns when it is closed.
int open_window(const SceneOptions& options);

}  // namespace tilescope::cli
