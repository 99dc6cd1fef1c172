#include "lesson/answer.h"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/nearest.h"
#include "base/turns.h"
#include "base/words.h"
#include "lesson/expression.h"
#include "lesson/run_fields.h"

namespace tilescope::lesson {
namespace {

using ObjectPointer = std::shared_ptr<const Object>;

/// The names of a step: the click, sampled parameters, the other scenes, and everything of its own run.
class StepNames {
 public:
  explicit StepNames(const AnswerContext& context) : evidence_(context) {}

  /// Uses another run in place of the scene's own.
  void use(std::shared_ptr<const SceneRun> run) { own_ = describe_run(std::move(run)); }
  void set(const std::string& name, Value value) { extra_.insert_or_assign(name, std::move(value)); }
  const Question& question() const { return *evidence_.lesson->steps[evidence_.step].question; }

  Result<Value> evaluate(const Formula& formula) {
    const Result<Expression> expression = Expression::parse(formula.text);
    if (!expression) return placed(expression.errors(), formula);
    const Result<Value> value = expression->evaluate([this](const std::string& name) { return find(name); });
    if (!value) return placed(value.errors(), formula);
    return *value;
  }

  Result<double> number(const Formula& formula) {
    const Result<Value> value = evaluate(formula);
    if (!value) return value.errors();
    if (value->number() && std::isfinite(*value->number())) return *value->number();
    return error_at(formula.at, fmt::format("\"{}\" is not a number.", formula.text));
  }

  Result<bool> holds(const Formula& formula) {
    const Result<double> value = number(formula);
    if (!value) return value.errors();
    return *value != 0;
  }

  /// The run of the step's scene.
  Result<ObjectPointer> own() {
    if (own_) return own_;
    const Scene* scene = scene_of(*evidence_.lesson, evidence_.step);
    if (!scene) return error("This step has no scene.");
    const auto run = evidence_.runs->run(with_parameters(*scene, evidence_.sampled));
    if (!run) return run.errors();
    own_ = describe_run(*run);
    return own_;
  }

 private:
  static Diagnostics placed(Diagnostics problems, const Formula& formula) {
    for (Diagnostic& problem : problems) {
      const int offset = problem.at.file.empty() && problem.at.line == 1 ? problem.at.column - 1 : 0;
      problem.at = formula.at;
      if (problem.at.column > 0) problem.at.column += std::max(offset, 0);
      problem.message = Message("In \"{}\": {}", formula.text, problem.message);
    }
    return problems;
  }

  Result<Value> find(const std::string& name) {
    if (const auto found = extra_.find(name); found != extra_.end()) return found->second;
    if (const auto found = evidence_.sampled.find(name); found != evidence_.sampled.end())
      return Value(static_cast<double>(found->second));
    if (const Scene* scene = find_scene(*evidence_.lesson, name)) return named_run(*scene);
    const Result<ObjectPointer> run = own();
    if (!run) return run.errors();
    if (const auto found = (*run)->fields.find(name); found != (*run)->fields.end()) return found->second;
    return unknown(name, **run);
  }

  // The scene in view is the run as sampled, also under its name.
  Result<Value> named_run(const Scene& scene) {
    const auto run = evidence_.runs->run(
        &scene == scene_of(*evidence_.lesson, evidence_.step) ? with_parameters(scene, evidence_.sampled) : scene);
    if (!run) return run.errors();
    return Value(describe_run(*run));
  }

  Diagnostic unknown(const std::string& name, const Object& run) const {
    std::vector<std::string> names;
    for (const auto& [known, value] : run.fields) names.push_back(known);
    const std::string nearest = nearest_name(name, names);
    return error(nearest.empty() ? fmt::format("There is no {}; a run has {}.", name, fmt::join(names, ", "))
                                 : fmt::format("There is no {}; did you mean {}?", name, nearest));
  }

  const AnswerContext& evidence_;
  ObjectPointer own_;
  std::map<std::string, Value> extra_;
};

bool is_whole(double value) { return std::fabs(value) < 1e15 && value == std::floor(value); }

std::string with_unit(double value, const Question& question) {
  const std::string number = format_value(value, "");
  if (question.unit.empty()) return number;
  const bool one = value == 1 && question.unit.ends_with('s');
  return fmt::format("{} {}", number, one ? question.unit.substr(0, question.unit.size() - 1) : question.unit);
}

double tolerance_of(const Question& question, double answer) {
  if (question.tolerance) return *question.tolerance;
  return is_whole(answer) && std::fabs(answer) < 10'000 ? 0 : 0.01 * std::fabs(answer);
}

SaidAnswer right_number(double answer, const Question& question) {
  return {.words = with_unit(answer, question), .number = answer};
}

Result<Verdict> judge_number(StepNames& names, const std::string& given) {
  const Result<double> answer = names.number(names.question().answer);
  if (!answer) return answer.errors();
  const Result<double> number = parse_number(given);
  if (!number) return number.errors();
  return Verdict{std::fabs(*number - *answer) <= tolerance_of(names.question(), *answer),
                 right_number(*answer, names.question())};
}

Result<std::vector<size_t>> right_choices(StepNames& names) {
  std::vector<size_t> right;
  for (size_t i = 0; i < names.question().choices.size(); ++i) {
    const Result<bool> holds = names.holds(names.question().choices[i].when);
    if (!holds) return holds.errors();
    if (*holds) right.push_back(i);
  }
  return right;
}

SaidAnswer right_choice(const AnswerContext& context, const Question& question, std::vector<size_t> right) {
  Diagnostics ignored;
  SaidAnswer answer{.choices = std::move(right)};
  answer.words = words_of(answer, question, filled_in_choices(context, ignored));
  return answer;
}

Result<bool> click_holds(StepNames& names, const Click& click) {
  names.set("array", Value(click.array));
  names.set("row", Value(static_cast<double>(click.row)));
  names.set("col", Value(static_cast<double>(click.column)));
  names.set("lane", Value(static_cast<double>(click.lane)));
  names.set("line_number", Value(static_cast<double>(click.line)));
  return names.holds(names.question().answer);
}

/// Everything that can be clicked for the question: the elements of the arrays, 32 lanes, or the lines of the source.
std::vector<Click> possible_clicks(const Question& question, const SceneRun& run) {
  std::vector<Click> clicks;
  if (question.target == ClickTarget::Lane)
    for (int lane = 0; lane < 32; ++lane) clicks.push_back({"", -1, -1, lane, -1});
  if (question.target == ClickTarget::Line)
    for (int line = 1; line <= static_cast<int>(run.report().source.size()); ++line)
      clicks.push_back({"", -1, -1, -1, line});
  if (question.target != ClickTarget::Cell) return clicks;
  for (const kernel::ArrayShape& array : run.traced->prepared->configuration.arrays) {
    if (array.shape.size() != 2) continue;
    for (uint64_t row = 0; row < array.shape[0]; ++row)
      for (uint64_t column = 0; column < array.shape[1]; ++column)
        clicks.push_back({array.name, static_cast<int64_t>(row), static_cast<int64_t>(column), -1, -1});
  }
  return clicks;
}

/// "lane 3", and how many others are also right.
Result<SaidAnswer> right_click(StepNames& names, const SceneRun& run) {
  SaidAnswer answer;
  size_t right = 0, all = 0;
  for (const Click& click : possible_clicks(names.question(), run)) {
    const Result<bool> holds = click_holds(names, click);
    if (!holds) return holds.errors();
    if (*holds && right++ == 0) answer.click = click;
    ++all;
  }
  if (right == 0 || right == all)
    return error_at(names.question().answer.at,
                    fmt::format("{} can be clicked that is right; some must be, and some not.",
                                right == 0 ? "Nothing" : "Everything"));
  answer.clicks = right;
  answer.words = words_of(answer, names.question(), {});
  return answer;
}

SaidAnswer right_task(const Question& question) { return {.words = solution_of_task(question)}; }

Result<Verdict> judge_choice(const AnswerContext& context, StepNames& names, size_t given) {
  const Result<std::vector<size_t>> right = right_choices(names);
  if (!right) return right.errors();
  const bool is_right = std::find(right->begin(), right->end(), given) != right->end();
  return Verdict{is_right, right_choice(context, names.question(), *right)};
}

Result<Verdict> judge_task(const AnswerContext& context, const Scene& now) {
  const Result<Scene> scene = judged_scene(context, now);
  if (!scene) return scene.errors();
  const auto run = context.runs->run(*scene);
  if (!run) return run.errors();
  const Result<bool> done = is_done_in(context, *scene);
  if (!done) return done.errors();
  return Verdict{*done, right_task(*context.lesson->steps[context.step].question),
                 *done ? Message() : failing_of((*run)->report())};
}

Result<Verdict> judge_click(const AnswerContext& context, StepNames& names, const Click& click) {
  const Result<bool> holds = click_holds(names, click);
  if (!holds) return holds.errors();
  const Result<SaidAnswer> answer = solve(context);
  if (!answer) return answer.errors();
  return Verdict{*holds, *answer};
}

constexpr const char* kNoBreak = "\u00A0";  // A no-break space: a value and its unit stay together.

std::string scaled(double value, const std::array<const char*, 4>& units, double base) {
  size_t unit = 0;
  while (unit + 1 < units.size() && std::fabs(value) >= base) {
    value /= base;
    ++unit;
  }
  return fmt::format("{:.3g}{}{}", value, kNoBreak, units[unit]);
}

std::string grouped(double whole) {
  const std::string digits = fmt::format("{:.0f}", std::fabs(whole));
  std::string text(whole < 0 ? 1 : 0, '-');
  for (size_t i = 0; i < digits.size(); ++i) {
    if (i > 0 && (digits.size() - i) % 3 == 0) text.append(kNoBreak);
    text.push_back(digits[i]);
  }
  return text;
}

}  // namespace

std::string describe(const Click& click) {
  if (click.lane >= 0) return tr_format("lane {}", click.lane);
  if (click.line >= 0) return tr_format("line {}", click.line);
  return fmt::format("{}[{}][{}]", click.array, click.row, click.column);
}

std::string words_of(const SaidAnswer& answer, const Question& question, const std::vector<Spans>& choices) {
  if (answer.number) return with_unit(*answer.number, question);
  if (answer.click) {
    const std::string click = describe(*answer.click);
    return answer.clicks > 1 ? tr_format("{}, one of {} right answers", click, answer.clicks) : click;
  }
  std::string all;
  for (const size_t choice : answer.choices) {
    if (choice >= choices.size()) continue;
    const std::string text = plain_text(choices[choice]);
    all = all.empty() ? text : tr_format("{}; or {}", all, text);
  }
  return all.empty() ? answer.words : all;
}

std::string solution_of_task(const Question& question) {
  if (question.edits_source)
    return tr_format("change the source as in {}", question.solution_source->file.filename().string());
  std::vector<std::string> parts;
  for (const auto& [name, value] : question.solution) parts.push_back(fmt::format("{} = {}", name, value));
  return tr_format("for example {}", fmt::join(parts, ", "));
}

std::string format_value(double value, std::string_view format) {
  if (format == "%") return fmt::format("{:.3g}{}%", value * 100, kNoBreak);
  if (format == "bytes") return scaled(value, {tr("bytes"), "KiB", "MiB", "GiB"}, 1024);
  if (format == "MB") return fmt::format("{:.3g}{}MB", value / 1e6, kNoBreak);
  if (format == "si")
    return value < 1e12 ? scaled(value, {"", "k", "M", "G"}, 1000) : fmt::format("{:.3g}{}T", value / 1e12, kNoBreak);
  if (format == "time")
    return value >= 1 ? fmt::format("{:.3g}{}s", value, kNoBreak) : scaled(value * 1e9, {"ns", "µs", "ms", "s"}, 1000);
  if (format.size() == 1 && format[0] >= '0' && format[0] <= '9') return fmt::format("{:.{}f}", value, format[0] - '0');
  return is_whole(value)            ? grouped(value)
         : std::fabs(value) >= 1000 ? grouped(std::round(value))
                                    : fmt::format("{:.3g}", value);
}

Result<Scene> judged_scene(const AnswerContext& context, const Scene& now) {
  const Scene* const own = scene_of(*context.lesson, context.step);
  if (!own) return error("This step has no scene.");
  Scene scene = with_parameters(*own, context.sampled);
  const bool edits = context.lesson->steps[context.step].question->edits_source;
  if (now.kernel->name != scene.kernel->name)
    return error(Message("The stage shows another kernel than this task is about. Go back to the step's run."));
  if (edits && now.kernel->source == scene.kernel->source)
    return error(Message("The program is as it was. Edit it, choose Run, then check."));
  if (!edits && now.kernel->source != scene.kernel->source)
    return error(Message("This task is about the sliders, and the program was edited. Go back to the step's run."));
  if (!edits) {
    scene.settings = now.settings;
    return scene;
  }
  kernel::Kernel edited = *now.kernel;
  if (edited.description.reference) edited.referee = scene.kernel;
  scene.kernel = std::make_shared<const kernel::Kernel>(std::move(edited));
  return scene;
}

Message failing_of(const run::Report& report) {
  if (report.stopped) return Message("Not yet. The run was stopped.");
  if (report.verified && report.verified->wrong > 0) return Message("Not yet. The result is wrong.");
  if (report.has_finding())
    return Message("Not yet. The result is right, but the checkers found something: see Findings.");
  return Message("Not yet. The result is right and nothing was found, but the goal is not reached.");
}

Result<bool> is_done_in(const AnswerContext& context, const Scene& scene) {
  const auto run = context.runs->run(scene);
  if (!run) return run.errors();
  StepNames names(context);
  names.use(*run);
  return names.holds(names.question().answer);
}

Result<Verdict> judge(const AnswerContext& context, const Answer& given) {
  if (!context.lesson->steps[context.step].question) return error("This step asks nothing.");
  StepNames names(context);
  switch (names.question().kind) {
    case QuestionKind::Number:
      if (const auto* text = std::get_if<std::string>(&given)) return judge_number(names, *text);
      break;
    case QuestionKind::Choice:
      if (const auto* index = std::get_if<size_t>(&given)) return judge_choice(context, names, *index);
      break;
    case QuestionKind::Click:
      if (const auto* click = std::get_if<Click>(&given)) return judge_click(context, names, *click);
      break;
    case QuestionKind::Task:
      if (const auto* scene = std::get_if<Scene>(&given)) return judge_task(context, *scene);
      break;
  }
  return error(fmt::format("This is not an answer to a question of the kind {}.", to_string(names.question().kind)));
}

Result<SaidAnswer> solve(const AnswerContext& context) {
  StepNames names(context);
  const Question& question = names.question();
  if (question.kind == QuestionKind::Task) return right_task(question);
  if (question.kind == QuestionKind::Choice) {
    const Result<std::vector<size_t>> right = right_choices(names);
    if (!right) return right.errors();
    return right_choice(context, question, *right);
  }
  if (question.kind == QuestionKind::Number) {
    const Result<double> answer = names.number(question.answer);
    if (!answer) return answer.errors();
    return right_number(*answer, question);
  }
  const Scene* scene = scene_of(*context.lesson, context.step);
  if (!scene) return error("This step has no scene.");
  const auto run = context.runs->run(with_parameters(*scene, context.sampled));
  if (!run) return run.errors();
  return right_click(names, **run);
}

Spans filled_in(const Spans& spans, const AnswerContext& context, Diagnostics& problems) {
  Spans filled = spans;
  StepNames names(context);
  for (Span& span : filled) {
    if (span.kind != SpanKind::Value) continue;
    const Result<Value> value = names.evaluate({span.target, span.at});
    span.text.assign(1, '?');
    if (!value)
      problems.insert(problems.end(), value.errors().begin(), value.errors().end());
    else if (value->number())
      span.text = format_value(*value->number(), span.format);
    else if (value->text())
      span.text = tr(std::string_view(*value->text()));
    else
      problems.push_back(error_at(
          span.at, fmt::format("\"{}\" is {}; add the member that is meant.", span.target, value->object()->what)));
  }
  return filled;
}

std::vector<Spans> filled_in_choices(const AnswerContext& context, Diagnostics& problems) {
  std::vector<Spans> choices;
  for (const Choice& choice : context.lesson->steps[context.step].question->choices)
    choices.push_back(filled_in(choice.text, context, problems));
  return choices;
}

Text filled_in(const Text& text, const AnswerContext& context, Diagnostics& problems) {
  Text filled = text;
  for_each_block(filled, [&](Block& block) {
    if (!block.spans.empty()) block.spans = filled_in(block.spans, context, problems);
    let_turns_pass();
  });
  return filled;
}

}  // namespace tilescope::lesson
