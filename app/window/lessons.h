#pragma once

#include <functional>
#include <memory>

#include "lesson/desk.h"
#include "session/workspace.h"
#include "ui/font_book.h"

namespace tilescope::window {

/// The course that ships, in a language ("zh"; English where it lacks a lesson), for a window: the workspace gets to know
/// its kernels, the fonts its characters.
std::unique_ptr<lesson::Desk> open_desk(session::Workspace& workspace, compile::Compiler& compiler, ui::FontBook& fonts,
                                        const std::string& language, std::function<void()> woken);

/// Has the desk show the course in another language.
void change_language(session::Workspace& workspace, lesson::Desk& desk, ui::FontBook& fonts,
                     const std::string& language);

/// Shows a state. One that names no kernel begins with its lesson's step, or with the first lesson.
void show_state(session::Workspace& workspace, const lesson::Desk& desk, session::State state);

}  // namespace tilescope::window
