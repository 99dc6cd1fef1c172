#include "cli/lesson_json.h"

#include "cli/lesson_text.h"

namespace tilescope::cli {
namespace {
using lesson::AnswerContext;
using lesson::Question;
using lesson::QuestionKind;
using Json = nlohmann::ordered_json;

Json text_json(const lesson::Text& text, const AnswerContext& context, Diagnostics& problems) {
  return lesson_text(lesson::filled_in(text, context, problems), Style{});
}

std::string letter(size_t choice) { return std::string(1, lesson::choice_letter(choice)); }

Json click_json(const lesson::Click& click) {
  if (click.lane >= 0) return {{"lane", click.lane}};
  if (click.line >= 0) return {{"line", click.line}};
  return {{"array", click.array}, {"row", click.row}, {"column", click.column}};
}

Json solution_json(const Question& question, const lesson::SaidAnswer& solution) {
  Json json{{"words", solution.words}};
  if (solution.number) json["number"] = *solution.number;
  for (const size_t choice : solution.choices) json["choices"].push_back(letter(choice));
  if (solution.click) json.update(click_json(*solution.click));
  if (question.edits_source) json["file"] = question.solution_source->file.string();
  if (!question.solution.empty()) json["settings"] = question.solution;
  return json;
}

Json question_json(const AnswerContext& context, bool answers, Diagnostics& problems) {
  const Question& question = *context.lesson->steps[context.step].question;
  Json json{{"kind", to_string(question.kind)}, {"prompt", text_json(question.prompt, context, problems)}};
  if (question.kind == QuestionKind::Click) json["target"] = to_string(question.target);
  if (!question.unit.empty()) json["unit"] = question.unit;
  for (size_t i = 0; i < question.choices.size(); ++i)
    json["choices"][letter(i)] = span_text(lesson::filled_in(question.choices[i].text, context, problems), Style{});
  json["hint"] = text_json(question.hint, context, problems);
  json["look"] = text_json(question.look, context, problems);
  if (!answers) return json;
  const Result<lesson::SaidAnswer> solution = lesson::solve(context);
  if (solution)
    json["answer"] = solution_json(question, *solution);
  else
    problems.insert(problems.end(), solution.errors().begin(), solution.errors().end());
  return json;
}

}  // namespace

Json json_of_step(const AnswerContext& context, bool answers, Diagnostics& problems) {
  const lesson::Step& step = context.lesson->steps[context.step];
  Json json{{"title", step.title}, {"text", text_json(step.text, context, problems)}};
  if (step.question) json["question"] = question_json(context, answers, problems);
  if (answers || !step.question) json["after"] = text_json(step.after, context, problems);
  return json;
}

}  // namespace tilescope::cli
