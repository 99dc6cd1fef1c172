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

/// Questions answered and texts filled in from runs: nothing here is written down in a lesson.
namespace tilescope::lesson {

/// What a step is evaluated against.
struct AnswerContext {
  const Lesson* lesson = nullptr;
  size_t step = 0;
  Runs* runs = nullptr;
  std::map<std::string, int64_t> sampled;  ///< Of the step's question; see sample_parameters().
};

/// Where a student clicked. What the target does not have stays as it is.
struct Click {
  std::string array;  ///< "A", "Bs"
  int64_t row = -1, column = -1;
  int lane = -1;
  int line = -1;  ///< Of the CUDA source.
};

/// "lane 3", "line 12", "A[3][5]"
std::string describe(const Click& click);

/// A student's answer: a number as typed, the index of a choice, a click, or the run of the changed kernel.
using Response = std::variant<std::string, size_t, Click, const SceneRun*>;

struct Verdict {
  bool right = false;
  std::string answer;  ///< The right answer in words, for when the student gives up.
};

/// Judges an answer by evaluating the question's expression now. Errors: of the expression or its run; an answer that
/// is none, such as text where a number is asked for.
Result<Verdict> judge(const AnswerContext& evidence, const Response& given);

/// A right answer, as data and in words. Of a task the question itself has it.
struct Solution {
  std::string words;  ///< "32 sectors", "the second choice's text", "line 12"
  std::optional<double> number;
  std::vector<size_t> choices;  ///< All that are right.
  std::optional<Click> click;   ///< The first that is right.
};
Result<Solution> solve(const AnswerContext& evidence);

/// The words of the solution.
Result<std::string> right_answer(const AnswerContext& evidence);

/// The text with every Value span's `text` filled in from the run. What cannot be evaluated reads "?" and is reported.
Text filled_in(const Text& text, const AnswerContext& evidence, Diagnostics& problems);
Spans filled_in(const Spans& spans, const AnswerContext& evidence, Diagnostics& problems);

/// A value as the texts show it. Formats: "" (whole numbers grouped, others with three digits), "1" (so many decimals),
/// "%", "bytes", "si" (17.2 G), "time" (1.03 ms).
std::string format_value(double value, std::string_view format);

}  // namespace tilescope::lesson
