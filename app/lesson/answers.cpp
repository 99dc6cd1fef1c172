#include "lesson/answers.h"

#include <algorithm>
#include <limits>
#include <set>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/file.h"
#include "base/json_reader.h"
#include "base/words.h"

namespace tilescope::lesson {
namespace {
namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr int kVersion = 2;  // 1: answers are words alone.
constexpr size_t kLargestAnswers = size_t{16} << 20;
constexpr int64_t kMostSteps = 1000, kMostErrors = 1'000'000, kMostChoices = 26;

/// "8", or {"words": "a column", "choices": [1]} if there is more than words; choices count from 1.
Json json_of(const SaidAnswer& answer) {
  if (answer == SaidAnswer{.words = answer.words}) return answer.words;
  Json json{{"words", answer.words}};
  if (answer.number) json["number"] = *answer.number;
  for (const size_t choice : answer.choices) json["choices"].push_back(choice + 1);
  if (const auto& click = answer.click)
    json["click"] = {{"array", click->array}, {"row", click->row},   {"column", click->column},
                     {"lane", click->lane},   {"line", click->line}, {"right", answer.clicks}};
  return json;
}

void read_click(const Json& json, JsonReader& parent, SaidAnswer& answer) {
  JsonReader reader(json, "a click");
  constexpr int64_t kNone = -1, kMost = std::numeric_limits<int>::max();
  answer.click = Click{reader.text("array"), reader.integer("row", kNone), reader.integer("column", kNone),
                       static_cast<int>(reader.integer("lane", kNone, kMost)),
                       static_cast<int>(reader.integer("line", kNone, kMost))};
  answer.clicks = reader.count<size_t>("right");
  parent.take(reader);
}

void read_choices(JsonReader& reader, std::vector<size_t>& choices) {
  for (const Json& choice : reader.list("choices"))
    if (choice.is_number_integer() && choice >= 1 && choice <= kMostChoices)
      choices.push_back(choice.get<size_t>() - 1);
    else
      reader.report("a choice is not a number from 1");
}

SaidAnswer said_in(const Json& json, JsonReader& parent) {
  if (json.is_string()) return {.words = json.get<std::string>()};
  JsonReader reader(json, "what was given");
  SaidAnswer answer{.words = reader.text("words")};
  if (!reader.is_null("number")) answer.number = reader.number("number");
  if (!reader.is_null("click")) read_click(reader.object("click"), reader, answer);
  if (!reader.is_null("choices")) read_choices(reader, answer.choices);
  parent.take(reader);
  return answer;
}

Json json_of(const StepPlace& place, const Attempt& attempt) {
  Json given = Json::array();
  for (const SaidAnswer& answer : attempt.given) given.push_back(json_of(answer));
  return {{"lesson", place.slug},
          {"step", place.step + 1},
          {"question", attempt.asked},
          {"given", given},
          {"wrong", attempt.wrong},
          {"right", attempt.right},
          {"given_up", attempt.gave_up},
          {"mended", attempt.mended},
          {"answer", json_of(attempt.answer)}};
}

void read_attempt(const Json& json, JsonReader& parent, std::map<StepPlace, Attempt>& attempts) {
  JsonReader reader(json, "an answer");
  const StepPlace place{reader.text("lesson"), static_cast<size_t>(reader.integer("step", 1, kMostSteps)) - 1};
  Attempt attempt;
  attempt.asked = reader.text("question");
  for (const Json& given : reader.list("given")) attempt.given.push_back(said_in(given, reader));
  attempt.wrong = static_cast<int>(reader.integer("wrong", 0, kMostErrors));
  attempt.right = reader.flag("right");
  attempt.gave_up = reader.flag("given_up");
  if (!reader.is_null("mended")) attempt.mended = reader.flag("mended");
  attempt.answer = said_in(reader.any("answer"), reader);
  if (reader.problems().empty()) attempts[place] = std::move(attempt);
  parent.take(reader);
}

/// As a code block if it has several lines.
std::string quoted(const std::string& given) {
  return given.find('\n') == std::string::npos ? given : fmt::format("\n\n```cuda\n{}\n```\n", given);
}

std::string verdict_of(const Attempt& attempt) {
  if (attempt.right) return attempt.wrong == 0 ? tr("right at once") : tr("right");
  return attempt.gave_up ? tr("answer shown") : tr("open");
}

std::string title_of(const Answers& answers) {
  return fmt::format("# {}\n\n", answers.student.empty() ? tr("Answers") : tr_format("Answers of {}", answers.student));
}

std::string step_markdown(const Step& step, size_t number, const Attempt& attempt) {
  std::string text = fmt::format("### {}. {}\n\n{}", number, step.title, attempt.asked);
  for (const SaidAnswer& given : attempt.given)
    text.append(fmt::format("- {}\n", tr_format("Answer: {}", quoted(given.words))));
  text.append(fmt::format("- **{}**", verdict_of(attempt)));
  if (attempt.done() && !attempt.answer.words.empty()) text.append(fmt::format(": {}", attempt.answer.words));
  if (attempt.mended) text.append(fmt::format("\n- {}", tr("Right when it was asked again, in another form.")));
  return text + "\n\n";
}

bool has_begun(const Lesson& lesson, const std::map<StepPlace, Attempt>& attempts) {
  return std::any_of(attempts.begin(), attempts.end(),
                     [&](const auto& entry) { return entry.first.slug == lesson.slug; });
}

/// "3 From addresses to sectors, 8 What L1 takes": the steps that are to be looked at again.
std::string steps_missed(const Lesson& lesson, const std::map<StepPlace, Attempt>& attempts) {
  std::string steps;
  for (const auto& [place, attempt] : attempts)
    if (place.slug == lesson.slug && place.step < lesson.steps.size() && !attempt.mended &&
        (attempt.wrong > 0 || attempt.gave_up))
      steps.append(fmt::format("{}{} {}", steps.empty() ? "" : ", ", place.step + 1, lesson.steps[place.step].title));
  return steps;
}

/// How many times a wrong answer was given, in words.
using Tally = std::map<std::string, size_t>;

void count_wrong(const Attempt& attempt, Tally& tally) {
  const size_t wrong = attempt.given.size() - (attempt.right && !attempt.given.empty() ? 1 : 0);
  std::set<std::string> given;
  for (size_t i = 0; i < wrong; ++i) given.insert(attempt.given[i].words);
  for (const std::string& words : given) ++tally[words];
}

QuestionOfClass question_of_class(const StepPlace& place, const std::vector<Answers>& handed_in) {
  QuestionOfClass question{place, 0, 0, 0, "", 0};
  Tally tally;
  for (const Answers& answers : handed_in) {
    const auto found = answers.attempts.find(place);
    if (found == answers.attempts.end()) continue;
    const Attempt& attempt = found->second;
    ++question.students;
    question.at_once += attempt.right && attempt.wrong == 0;
    question.given_up += attempt.gave_up;
    count_wrong(attempt, tally);
  }
  const auto commonest =
      std::max_element(tally.begin(), tally.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
  if (commonest != tally.end() && commonest->second > 1) {
    question.commonest_wrong = commonest->first;
    question.times = commonest->second;
  }
  return question;
}

}  // namespace

std::string to_json(const Answers& answers) {
  Json json{{"tilescope_answers", kVersion}, {"student", answers.student}, {"answers", Json::array()}};
  for (const auto& [place, attempt] : answers.attempts)
    if (!attempt.given.empty() || attempt.done()) json["answers"].push_back(json_of(place, attempt));
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

Result<Answers> answers_from(std::string_view text) {
  const Result<Json> json = parse_versioned(text, "tilescope_answers", kVersion,
                                            Message("This is not a file of answers that Tilescope has written."));
  if (!json) return json.errors();
  JsonReader reader(*json, "the file of answers");
  Answers answers;
  answers.student = reader.text("student");
  for (const Json& answer : reader.list("answers")) read_attempt(answer, reader, answers.attempts);
  if (!reader.problems().empty()) return reader.problems();
  return answers;
}

Result<Answers> load_answers(const fs::path& file) {
  const Result<std::string> text = read_file(file, kLargestAnswers);
  if (!text) return text.errors();
  Result<Answers> answers = answers_from(*text);
  if (answers) return answers;
  return error(Message("{} cannot be used. {}", file.string(), sentence_of(answers.errors().front())));
}

Result<std::monostate> save_answers(const Answers& answers, const fs::path& file) {
  std::error_code ignored;  // Writing reports it.
  fs::create_directories(file.parent_path(), ignored);
  return write_file(file, to_json(answers));
}

std::string to_markdown(const Answers& answers, const Course& course) {
  std::string text = title_of(answers);
  for (const Lesson& lesson : course.lessons) {
    if (!has_begun(lesson, answers.attempts)) continue;
    const Score score = score_of(lesson, answers.attempts);
    text.append(fmt::format("## {}. {}\n\n", lesson.number, lesson.title));
    text.append(tr_format("{}: {} done, {} of them right at once.", plural(score.asked, "{} question", "{} questions"),
                          score.done, score.at_once));
    text.append("\n\n");
    if (const std::string missed = steps_missed(lesson, answers.attempts); !missed.empty())
      text.append(tr_format("To look at again: {}.", missed)).append("\n\n");
    for (const auto& [place, attempt] : answers.attempts)
      if (place.slug == lesson.slug && place.step < lesson.steps.size())
        text += step_markdown(lesson.steps[place.step], place.step + 1, attempt);
  }
  return text;
}

std::vector<StepPlace> missed_in(const Course& course, const std::map<StepPlace, Attempt>& attempts) {
  std::vector<StepPlace> missed;
  for (const Lesson& lesson : course.lessons)
    for (const auto& [place, attempt] : attempts)
      if (place.slug == lesson.slug && place.step < lesson.steps.size() && attempt.missed() && !attempt.mended)
        missed.push_back(place);
  return missed;
}

std::string missed_markdown(const Answers& answers, const Course& course) {
  std::string text = title_of(answers), lessons;
  for (const Lesson& lesson : course.lessons) {
    std::string steps;
    for (const auto& [place, attempt] : answers.attempts)
      if (place.slug == lesson.slug && place.step < lesson.steps.size() && attempt.missed())
        steps += step_markdown(lesson.steps[place.step], place.step + 1, attempt);
    if (!steps.empty()) lessons += fmt::format("## {}. {}\n\n", lesson.number, lesson.title) + steps;
  }
  return text + (lessons.empty() ? std::string(tr("Nothing was missed.")) + "\n" : lessons);
}

Score score_of(const Lesson& lesson, const std::map<StepPlace, Attempt>& attempts) {
  static const Attempt kNone;
  Score score;
  for (size_t step = 0; step < lesson.steps.size(); ++step) {
    if (!lesson.steps[step].question) continue;
    const auto found = attempts.find({lesson.slug, step});
    const Attempt& attempt = found == attempts.end() ? kNone : found->second;
    ++score.asked;
    score.done += attempt.done();
    score.at_once += attempt.right && attempt.wrong == 0;
    if (!attempt.done()) score.open.push_back(step);
  }
  return score;
}

std::vector<QuestionOfClass> questions_of_class(const std::vector<Answers>& handed_in, const Course& course) {
  std::vector<QuestionOfClass> questions;
  for (const Lesson& lesson : course.lessons)
    for (size_t step = 0; step < lesson.steps.size(); ++step)
      if (QuestionOfClass question = question_of_class({lesson.slug, step}, handed_in); question.students > 0)
        questions.push_back(std::move(question));
  return questions;
}

}  // namespace tilescope::lesson
