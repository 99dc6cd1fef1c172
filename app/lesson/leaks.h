#pragma once

#include "lesson/answer.h"

/// Finds answers that a step gives away in words, before its question is answered.
namespace tilescope::lesson {

/// What the words on screen at a step's question say of its right answer. The step's title has words of the right
/// choice that no wrong one, the prompt or the lesson's title has; the lesson's title or summary has such words that
/// compare, as "slower"; the step's title has the number that is asked for; of the lines that could be clicked the text
/// quotes the right one alone, or the scene's cursor is on it, or its tag is in the title. Texts in Chinese are
/// compared by pairs of characters. `right` is the step's answer.
Diagnostics leaks_at(const AnswerContext& context, const SaidAnswer& right);

}  // namespace tilescope::lesson
