#pragma once

#include <functional>
#include <memory>

#include "lesson/desk.h"
#include "session/workspace.h"

namespace tilescope::window {

/// The course that ships, for a window; the workspace gets to know its kernels.
std::unique_ptr<lesson::Desk> open_desk(session::Workspace& workspace, compile::Compiler& compiler,
                                        std::function<void()> woken);

/// Shows a state. One that names no kernel begins with its lesson's step, or with the first lesson.
void show_state(session::Workspace& workspace, const lesson::Desk& desk, session::State state);

}  // namespace tilescope::window
