#pragma once

#include <functional>

#include "lesson/lesson_runner.h"
#include "session/hidden_facts.h"

namespace tilescope::lesson {

/// What must be hidden so that the question is not answered on screen, derived from its formulas. "Your turn" hides
/// nothing: the student is meant to see the effect of the change.
session::HiddenFacts hidden_by(const Lesson& lesson, const Question& question);

/// How far the student is with a step's question.
using AttemptAt = std::function<const Attempt&(size_t step)>;

/// What is covered at a step now: the answer to its own question, until it has been answered, given up, or answered
/// wrong twice (then the student is told where to look); and the answers to later open questions of the lesson that the
/// scene would show. docs/teaching.md has the rule. A step with a task covers nothing.
session::HiddenFacts hidden_now(const Lesson& lesson, size_t step, const AttemptAt& attempt_at);

}  // namespace tilescope::lesson
