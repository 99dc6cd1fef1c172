#pragma once

#include <string>

#include "lesson/lesson_runner.h"
#include "session/workspace.h"
#include "ui/font_book.h"

namespace tilescope::window {

/// The course that ships, in a language ("zh"; English where it lacks a lesson).
lesson::Course load_course(const kernel::Catalogue& catalogue, const std::string& language);

/// The workspace gets to know the kernels of a course's own.
void add_kernels(const lesson::Course& course, session::Workspace& workspace);

/// Asks for the characters of all pages at once: a page that brought new ones would make the fonts anew.
void need_characters(const lesson::Course& course, ui::FontBook& fonts);

/// Shows a state. One that names no kernel begins with its lesson's step, or with the first lesson.
void show_state(session::Workspace& workspace, const lesson::LessonRunner& lessons, session::State state);

}  // namespace tilescope::window
