#pragma once

#include <string>

#include "lesson/lesson_runner.h"
#include "lesson/tour.h"
#include "session/workspace.h"
#include "ui/font_book.h"

namespace tilescope::window {

/// The course that ships, in a language ("zh"; English where it lacks a lesson).
lesson::Course load_course(const kernel::Catalogue& catalogue, const std::string& language);

/// Makes the course's own kernels known to the workspace.
void add_kernels(const lesson::Course& course, session::Workspace& workspace);

/// Requests the characters of all pages at once: a page with new ones would rebuild the fonts.
void need_characters(const lesson::Course& course, ui::FontBook& fonts);

/// The link to what is on show. The step of a lesson as it is shown at first is its number alone.
std::string link_to(const session::Workspace& workspace, const lesson::LessonRunner& lessons);

/// The link to a tour, all of it.
std::string link_to(const lesson::Tour& tour);

/// Shows a state. Without a kernel it begins with its lesson's step, or with the first lesson.
void show_state(session::Workspace& workspace, const lesson::LessonRunner& lessons, session::State state);

}  // namespace tilescope::window
