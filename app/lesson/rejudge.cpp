#include "lesson/rejudge.h"

#include <algorithm>

#include "kernel/configuration.h"

namespace tilescope::lesson {
namespace {

/// The scene of a task as the answer says it was: its text, or its settings as "TM = 8, TN = 4".
std::optional<Answer> task_answer(const AnswerContext& context, const Question& question, const std::string& words) {
  Scene scene = with_parameters(*scene_of(*context.lesson, context.step), context.sampled);
  if (question.edits_source) {
    kernel::Kernel edited = *scene.kernel;
    edited.source = words;
    scene.kernel = std::make_shared<const kernel::Kernel>(std::move(edited));
    return scene;
  }
  std::string without_blanks = words;
  std::erase(without_blanks, ' ');
  for (size_t begin = 0; begin < without_blanks.size();) {
    const size_t end = std::min(without_blanks.find(',', begin), without_blanks.size());
    if (!kernel::add_setting(without_blanks.substr(begin, end - begin), scene.settings)) return std::nullopt;
    begin = end + 1;
  }
  return scene;
}

std::optional<Answer> answer_of_given(const AnswerContext& context, const SaidAnswer& given) {
  const Question& question = *context.lesson->steps[context.step].question;
  switch (question.kind) {
    case QuestionKind::Number: return given.words;
    case QuestionKind::Task: return task_answer(context, question, given.words);
    case QuestionKind::Choice:
      return given.choices.empty() ? std::nullopt : std::optional<Answer>(given.choices.front());
    case QuestionKind::Click: return given.click ? std::optional<Answer>(*given.click) : std::nullopt;
  }
  return std::nullopt;
}

Attempt judged_again(const AnswerContext& context, Attempt attempt) {
  const bool is_task = context.lesson->steps[context.step].question->kind == QuestionKind::Task;
  attempt.right = false;
  int wrong = 0;
  for (const SaidAnswer& given : attempt.given) {
    const std::optional<Answer> answer = answer_of_given(context, given);
    const Result<Verdict> verdict = answer ? judge(context, *answer) : Verdict{};
    attempt.right = verdict && verdict->right;
    if (attempt.right) break;
    ++wrong;
  }
  if (!is_task) attempt.wrong = wrong;
  return attempt;
}

}  // namespace

std::map<StepPlace, Attempt> judged_again(const std::map<StepPlace, Attempt>& attempts, const Course& course,
                                          Runs& runs) {
  std::map<StepPlace, Attempt> judged;
  for (const auto& [place, attempt] : attempts)
    for (const Lesson& lesson : course.lessons) {
      if (lesson.slug != place.slug || place.step >= lesson.steps.size()) continue;
      const std::optional<Question>& question = lesson.steps[place.step].question;
      if (question)
        judged[place] = judged_again({&lesson, place.step, &runs, sample_parameters(*question, 0)}, attempt);
    }
  return judged;
}

std::vector<std::vector<size_t>> equal_answers(const std::vector<Answers>& handed_in) {
  std::map<std::string, std::vector<size_t>> by_content;
  for (size_t i = 0; i < handed_in.size(); ++i)
    if (!handed_in[i].attempts.empty()) by_content[to_json(Answers{"", handed_in[i].attempts})].push_back(i);
  std::vector<std::vector<size_t>> equal;
  for (auto& [content, students] : by_content)
    if (students.size() > 1) equal.push_back(std::move(students));
  return equal;
}

}  // namespace tilescope::lesson
