#pragma once

#include "lesson/answer.h"
#include "lesson/course.h"

namespace tilescope::lesson {

/// Runs and checks everything that a lesson claims: every scene, cursor, value in the text, answer (with every value
/// that can be sampled), choice, solution, link and requirement. Failures are reported with their place; empty: all is
/// well.
Diagnostics check_lesson(const Lesson& lesson, Runs& runs);

/// Refuses a course in which one letter, or the longest or shortest choice, is right in more than half of the choice
/// questions (and there are at least eight): a student would see it.
Diagnostics check_choices(const Course& course, Runs& runs);

}  // namespace tilescope::lesson
