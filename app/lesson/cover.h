#pragma once

#include "lesson/desk.h"
#include "session/cover.h"

namespace tilescope::lesson {

/// What must not be on show for the question to be one, read from its formulas. "Your turn" covers nothing: what the
/// change does is what the student is to see.
session::Cover cover_of(const Lesson& lesson, const Question& question);

/// What the step's question covers now: nothing once it was answered or given up, nor after two wrong answers, when
/// the student is told where to look.
session::Cover cover_now(const Lesson& lesson, size_t step, const Attempt& attempt);

}  // namespace tilescope::lesson
