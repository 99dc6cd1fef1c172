#pragma once

#include <functional>

#include "lesson/lesson_runner.h"
#include "session/hidden_facts.h"

namespace tilescope::lesson {

/// What must not be on show for the question to be one, read from its formulas. "Your turn" covers nothing: what the
/// change does is what the student is to see.
session::HiddenFacts hidden_by(const Lesson& lesson, const Question& question);

/// How far the student is with a step's question.
using AttemptAt = std::function<const Attempt&(size_t step)>;

/// What is covered at a step now: what its own question asks for, until that was answered or given up, or was answered
/// wrong twice (then the student is told where to look); and what the scene in view would tell of the lesson's later
/// questions that are still open. docs/teaching.md has the rule. A step with a task covers nothing.
session::HiddenFacts hidden_now(const Lesson& lesson, size_t step, const AttemptAt& attempt_at);

}  // namespace tilescope::lesson
