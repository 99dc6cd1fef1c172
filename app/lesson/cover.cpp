#include "lesson/cover.h"

#include <string_view>

#include "lesson/expression.h"
#include "lesson/scope.h"

namespace tilescope::lesson {
namespace {
using session::Cover;
using Path = std::vector<std::string>;

constexpr int kWrongBeforeLook = 2;

Cover cover_of_path(const Lesson& lesson, const Path& path) {
  const size_t first = path.size() > 1 && find_scene(lesson, path[0]) ? 1 : 0;
  const std::string& name = path[first];
  const std::string_view member = first + 1 < path.size() ? std::string_view(path[first + 1]) : "";
  return told_by(name, member);
}

void add(Cover& cover, const Cover& other) {
  cover.counts |= other.counts;
  cover.accesses |= other.accesses;
  cover.resources |= other.resources;
  cover.speed |= other.speed;
  cover.findings |= other.findings;
}

void add_formula(Cover& cover, const Lesson& lesson, const Formula& formula) {
  const Result<Expression> expression = Expression::parse(formula.text);
  if (!expression) return;  // Reported where it is evaluated.
  for (const Path& path : expression->paths()) add(cover, cover_of_path(lesson, path));
}

}  // namespace

Cover cover_of(const Lesson& lesson, const Question& question) {
  Cover cover;
  if (question.kind == QuestionKind::Task) return cover;
  if (!question.answer.empty()) add_formula(cover, lesson, question.answer);
  for (const Choice& choice : question.choices) add_formula(cover, lesson, choice.when);
  return cover;
}

Cover cover_now(const Lesson& lesson, size_t step, const Attempt& attempt) {
  const std::optional<Question>& question = lesson.steps[step].question;
  if (!question || attempt.done() || attempt.wrong >= kWrongBeforeLook) return {};
  return cover_of(lesson, *question);
}

}  // namespace tilescope::lesson
