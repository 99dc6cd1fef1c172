#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/result.h"
#include "lesson/lesson.h"
#include "lesson/runs.h"

/// Answers and values for texts, computed from runs: nothing here is written down in a lesson.
namespace tilescope::lesson {

/// What a step is evaluated against.
struct AnswerContext {
  const Lesson* lesson = nullptr;
  size_t step = 0;
  Runs* runs = nullptr;
  std::map<std::string, int64_t> sampled;  ///< Of the step's question; see sample_parameters().
};

/// Where a student clicked. Fields that the target lacks keep their defaults.
struct Click {
  std::string array;  ///< "A", "Bs"
  int64_t row = -1, column = -1;
  int lane = -1;
  int line = -1;  ///< Of the CUDA source.
  bool operator==(const Click&) const = default;
};

/// "lane 3", "line 12", "A[3][5]"
std::string describe(const Click& click);

/// A student's answer: a number as typed, the index of a choice, a click, or for a task the scene as it is now.
using Answer = std::variant<std::string, size_t, Click, Scene>;

/// An answer, given or right: as data, and in words of the language at that moment. Tasks and typed numbers have only
/// words.
struct SaidAnswer {
  std::string words = {};             ///< "32 sectors", "the second choice's text", "line 12"
  std::optional<double> number = {};  ///< The right one.
  std::vector<size_t> choices = {};   ///< The given one, or all right ones.
  std::optional<Click> click = {};    ///< The given one, or the first right one ...
  size_t clicks = 1;                  ///< ... of this many.
  bool operator==(const SaidAnswer&) const = default;
};

/// The answer in the current language, that of the question and its choices.
std::string words_of(const SaidAnswer& answer, const Question& question, const std::vector<Spans>& choices);

struct Verdict {
  bool right = false;
  SaidAnswer answer;     ///< The right one, shown when the student gives up.
  Message failing = {};  ///< Why a task is not done: the result, a finding, or an unmet condition.
};

/// Judges an answer by evaluating the question's expression now. Errors: of the expression or its run; an invalid
/// answer, such as text in place of a number, or another kernel than the task is about.
Result<Verdict> judge(const AnswerContext& context, const Answer& given);

/// The scene that a task is judged by: the step's own with the text of `now`, or with its settings where the task is to
/// set the sliders. The error says why `now` cannot be judged: it is another kernel, or nothing was changed.
Result<Scene> judged_scene(const AnswerContext& context, const Scene& now);
/// Whether the step's task is done in the scene.
Result<bool> is_done_in(const AnswerContext& context, const Scene& scene);

/// What a task's run lacks; every task needs a right result, and most need no findings.
Message failing_of(const run::Report& report);

/// The right answer. A task's is in the question itself.
Result<SaidAnswer> solve(const AnswerContext& context);
/// "for example TM = 8": what a task requires.
std::string solution_of_task(const Question& question);

/// The choices of the step's question, filled in; empty for other kinds of questions.
std::vector<Spans> filled_in_choices(const AnswerContext& context, Diagnostics& problems);

/// The text with every Value span's `text` filled in from the run. A value that cannot be evaluated reads "?" and is
/// reported.
Text filled_in(const Text& text, const AnswerContext& context, Diagnostics& problems);
Spans filled_in(const Spans& spans, const AnswerContext& context, Diagnostics& problems);

/// A value as the texts show it. Formats: "" (whole numbers grouped, others with three digits), "1" (that many
/// decimals), "%", "bytes", "si" (17.2 G), "time" (1.03 ms).
std::string format_value(double value, std::string_view format);

}  // namespace tilescope::lesson
