#pragma once

#include "lesson/answers.h"
#include "lesson/runs.h"

/// Marks of answers that were handed in, computed again: a file may say anything.
namespace tilescope::lesson {

/// The attempts with `right` and `wrong` as the given answers deserve; what was given to no question of the course is
/// left out. Of a task only the last answer is kept in a file, so its `wrong` stays as it says. Runs the scenes.
std::map<StepPlace, Attempt> judged_again(const std::map<StepPlace, Attempt>& attempts, const Course& course,
                                          Runs& runs);

/// Groups of two or more, by their index, that answered the same: who the student is does not count.
std::vector<std::vector<size_t>> equal_answers(const std::vector<Answers>& handed_in);

}  // namespace tilescope::lesson
