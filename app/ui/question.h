#pragma once

#include <string>

#include "lesson/lesson_runner.h"
#include "ui/rich_text.h"

namespace tilescope::ui {

struct LessonState;

/// The question of the lesson's page: its words, a field or other input, and beside that the verdict, earlier answers,
/// and the hints. Takes the room it needs in ImGui's current window.
void show_question(const Context& context, const lesson::Page& page, const AnchorLines& lines, LessonState& kept);

/// Says what was clicked, or where to click; with a button to check it.
void ask_click(const Context& context, const lesson::Question& question, const lesson::Attempt& attempt,
               const LessonState& kept);
/// What a click was on, in the block on show; an element that it does not have is nothing.
session::Target target_of(const lesson::Click& click, const session::Workspace& workspace);

/// That the last answer is wrong.
std::string wrong_words(const lesson::Attempt& attempt, const lesson::Page& page);

}  // namespace tilescope::ui
