#pragma once

#include "lesson/answer.h"
#include "lesson/course.h"

namespace tilescope::lesson {

/// Runs everything that a lesson claims: every scene, cursor, value in the text, answer (with every value that can be
/// drawn), choice, solution, link and requirement. What does not hold is reported where it stands; empty: all is well.
Diagnostics check_lesson(const Lesson& lesson, Runs& runs);

}  // namespace tilescope::lesson
