#include "lesson/check.h"

#include <algorithm>
#include <cctype>
#include <map>
#include <optional>

#include <fmt/format.h>

#include "lesson/grade.h"
#include "lesson/leaks.h"
#include "lesson/run_fields.h"

namespace tilescope::lesson {
namespace {

class LessonCheck {
 public:
  LessonCheck(const Lesson& lesson, Runs& runs) : lesson_(lesson), runs_(runs) {}

  Diagnostics run() {
    for (step_ = 0; step_ < lesson_.steps.size(); ++step_) check_step(lesson_.steps[step_]);
    if (lesson_.grade) check_grade();
    return std::move(problems_);
  }

 private:
  AnswerContext context(std::map<std::string, int64_t> sampled = {}) const {
    return {&lesson_, step_, &runs_, std::move(sampled)};
  }
  void add(const Diagnostics& problems, const Location& otherwise) {
    for (Diagnostic problem : problems) {
      if (problem.at.line == 0) problem.at = otherwise;
      problems_.push_back(std::move(problem));
    }
  }
  void report(const Location& at, std::string message) { problems_.push_back(error_at(at, std::move(message))); }

  void check_step(const Step& step) {
    if (step.scene) check_scene(*step.scene);
    for (const Scene& scene : step.others) check_scene(scene);
    const Question* question = step.question ? &*step.question : nullptr;
    const AnswerContext first = context(question ? sample_parameters(*question, 0) : std::map<std::string, int64_t>{});
    check_text(step.text, first);
    check_text(step.after, first);
    if (!question) return;
    if (!scene_of(lesson_, step_)) return report(question->at, "A question needs a scene in its step or before it.");
    check_text(question->prompt, first);
    check_text(question->hint, first);
    check_text(question->look, first);
    for (const Choice& choice : question->choices) {
      filled_in(choice.text, first, problems_);
      check_text(choice.hint, first);
    }
    if (const std::optional<Scene> revealed = revealed_scene(lesson_, step_)) check_scene(*revealed);
    check_question(*question);
  }

  void check_scene(const Scene& scene) {
    const auto run = runs_.run(scene);
    if (!run) return add(run.errors(), scene.at);
    if (describe_run(*run)->fields.contains(scene.name))
      report(scene.at,
             fmt::format("The scene's name {} is what expressions call something of every run; choose another.",
                         scene.name));
    if (scene.cursor.anchor.empty()) return;
    const int line = kernel::find_line(scene.kernel->source, scene.cursor.anchor);
    const auto warp = static_cast<uint32_t>(scene.cursor.warp);
    if (line > 0 && !run::find_moment(*(*run)->traced, line, scene.cursor.occurrence, warp, scene.cursor.array))
      report(scene.cursor.at, fmt::format("Warp {} does not access memory {} times on the line [{}].", warp,
                                          scene.cursor.occurrence, scene.cursor.anchor));
  }

  void check_text(const Text& text, const AnswerContext& against) {
    Diagnostics problems;
    Text filled = filled_in(text, against, problems);
    add(problems, lesson_.steps[step_].at);
    for_each_span(filled, [&](Span& span) { check_span(span); });
    for_each_block(filled, [&](Block& block) { refuse_written_numbers(block); });
  }

  void check_span(const Span& span) {
    if (span.kind == SpanKind::Code && span.text.find("{{") != std::string::npos)
      report(span.at, fmt::format("`{}` is shown literally: in code style expressions are not computed.", span.text));
    if (span.kind != SpanKind::Link || span.target.find("://") != std::string::npos || span.target.starts_with('#'))
      return;
    std::error_code ignored;
    const std::string file = span.target.substr(0, span.target.find('#'));
    if (!std::filesystem::exists(lesson_.file.parent_path() / file, ignored))
      report(span.at, fmt::format("The link {} leads nowhere.", span.target));
  }

  // Numbers with a decimal point are results, and results are computed.
  void refuse_written_numbers(const Block& block) {
    for (const Span& span : block.spans)
      for (size_t i = 1; span.kind == SpanKind::Plain && i + 1 < span.text.size(); ++i)
        if (span.text[i] == '.' && std::isdigit(static_cast<unsigned char>(span.text[i - 1])) &&
            std::isdigit(static_cast<unsigned char>(span.text[i + 1])))
          return report(block.at, "This text has a result written down; compute it: {{ expression }}.");
  }

  void check_question(const Question& question) {
    if (question.kind == QuestionKind::Task) return check_solution(question);
    const std::optional<double> first = check_answer(question, sample_parameters(question, 0));
    bool varies = question.random.empty() || !first;
    for (const RandomParameter& parameter : question.random)
      for (const int64_t value : parameter.values) {
        auto sampled = sample_parameters(question, 0);
        if (sampled[parameter.name] == value) continue;
        sampled[parameter.name] = value;
        varies = check_answer(question, sampled) != first || varies;
      }
    if (!varies) report(question.at, "The answer is the same for all values of `random`.");
  }

  /// The answer, if it is a number.
  std::optional<double> check_answer(const Question& question, const std::map<std::string, int64_t>& sampled) {
    const AnswerContext against = context(sampled);
    const Result<SaidAnswer> answer = solve(against);
    if (!answer) {
      add(answer.errors(), question.at);
      return std::nullopt;
    }
    add(leaks_at(against, *answer), question.at);
    if (question.kind == QuestionKind::Choice) check_choices_of(question, against);
    return answer->number;
  }

  void check_choices_of(const Question& question, const AnswerContext& against) {
    size_t right = 0;
    for (size_t i = 0; i < question.choices.size(); ++i)
      if (const Result<Verdict> verdict = judge(against, i); verdict && verdict->right) ++right;
    if (right == 0 || right == question.choices.size())
      report(question.at, right == 0 ? "None of the choices is right." : "All of the choices are right.");
  }

  void check_solution(const Question& question) {
    const Scene start = with_parameters(*scene_of(lesson_, step_), sample_parameters(question, 0));
    Scene solved = start;
    for (const auto& [name, value] : question.solution) solved.settings[name] = value;
    if (question.solution_source) solved.kernel = question.solution_source;
    const AnswerContext against = context(sample_parameters(question, 0));
    const Result<bool> before = is_done_in(against, start), after = is_done_in(against, solved);
    if (!before) return add(before.errors(), question.at);
    if (!after) return add(after.errors(), question.at);
    if (*before) report(question.at, "It is so before anything was changed.");
    if (!*after) report(question.at, "The solution does not make it so.");
  }

  void check_grade() {
    const auto is_uneven = [](const kernel::Size& size) {
      return size.m != size.n && size.n != size.k && size.m != size.k;
    };
    if (std::none_of(lesson_.grade->sizes.begin(), lesson_.grade->sizes.end(), is_uneven))
      report(lesson_.grade->at,
             "One of the sizes needs an M, N and K that differ: else a kernel that exchanges two passes.");
    const Grade grade = grade_kernel(lesson_, *lesson_.grade->like, runs_, 0);
    for (const GradeItem& item : grade.items)
      if (!item.passed)
        report(lesson_.grade->at,
               fmt::format("{} itself fails \"{}\": {}", lesson_.grade->like->name, item.name, item.message));
  }

  const Lesson& lesson_;
  Runs& runs_;
  size_t step_ = 0;
  Diagnostics problems_;
};

}  // namespace

Diagnostics check_lesson(const Lesson& lesson, Runs& runs) { return LessonCheck(lesson, runs).run(); }

Diagnostics check_choices(const Course& course, Runs& runs) {
  constexpr size_t kFew = 8;
  size_t questions = 0, longest_right = 0, shortest_right = 0;
  std::map<size_t, size_t> right_at;
  for (const Lesson& lesson : course.lessons)
    for (size_t step = 0; step < lesson.steps.size(); ++step) {
      const auto& question = lesson.steps[step].question;
      if (!question || question->kind != QuestionKind::Choice) continue;
      const Result<SaidAnswer> solution = solve({&lesson, step, &runs, sample_parameters(*question, 0)});
      if (!solution) continue;  // check_lesson() reports it.
      ++questions;
      const auto [shortest, longest] = std::minmax_element(
          question->choices.begin(), question->choices.end(),
          [](const Choice& a, const Choice& b) { return plain_text(a.text).size() < plain_text(b.text).size(); });
      for (const size_t choice : solution->choices) {
        ++right_at[choice];
        if (&question->choices[choice] == &*longest) ++longest_right;
        if (&question->choices[choice] == &*shortest) ++shortest_right;
      }
    }
  Diagnostics problems;
  if (questions < kFew) return problems;
  for (const auto& [choice, times] : right_at)
    if (2 * times > questions)
      problems.push_back(error(fmt::format("Choice {} is right in {} of {} questions; a student sees that.",
                                           choice_letter(choice), times, questions)));
  for (const auto& [name, times] : {std::pair{"longest", longest_right}, {"shortest", shortest_right}})
    if (2 * times > questions)
      problems.push_back(error(
          fmt::format("The {} choice is right in {} of {} questions; a student sees that.", name, times, questions)));
  return problems;
}

}  // namespace tilescope::lesson
