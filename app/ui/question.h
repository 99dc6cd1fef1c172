#pragma once

#include "lesson/lesson_runner.h"
#include "ui/rich_text.h"

namespace tilescope::ui {

struct LessonState;

/// The question of the lesson's page: its words, a field or other input, and beside that the verdict, earlier answers,
/// and the hints. Takes the room it needs in ImGui's current window.
void show_question(const Context& context, const lesson::Page& page, const AnchorLines& lines, LessonState& kept);

}  // namespace tilescope::ui
