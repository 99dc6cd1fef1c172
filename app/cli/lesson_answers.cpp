#include <algorithm>
#include <filesystem>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/file.h"
#include "cli/console.h"
#include "cli/kernel_options.h"
#include "cli/lesson.h"
#include "cli/text.h"
#include "lesson/answers.h"
#include "lesson/rejudge.h"
#include "window/answer_keeper.h"

namespace tilescope::cli {
namespace {
namespace fs = std::filesystem;
using lesson::Answers;
using lesson::Course;
using lesson::Lesson;
using lesson::QuestionOfClass;
using Json = nlohmann::ordered_json;

constexpr size_t kLongestAnswer = 40;

Course course_of(const LessonOptions& options) {
  const fs::path folder = options.folder.empty() ? data_folder() / "lessons" : fs::path(options.folder);
  return lesson::load_course(folder, kernel::load_catalogue(data_folder() / "kernels"), options.language);
}

/// The .json files of a folder, by name.
std::vector<fs::path> json_files(const fs::path& folder, std::error_code& problem) {
  std::vector<fs::path> files;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, problem))
    if (entry.path().extension() == ".json") files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  return files;
}

/// The readable files; a student without a name is called like the file.
std::vector<Answers> read_all(const std::vector<fs::path>& files, Diagnostics& problems) {
  std::vector<Answers> all;
  for (const fs::path& file : files) {
    Result<Answers> answers = lesson::load_answers(file);
    if (!answers) {
      problems.insert(problems.end(), answers.errors().begin(), answers.errors().end());
      continue;
    }
    if (answers->student.empty()) answers->student = file.stem().string();
    all.push_back(std::move(*answers));
  }
  return all;
}

/// Computes all marks again; returns the students whose files call answers right that are not.
std::vector<std::string> judge_again(std::vector<Answers>& all, const Course& course) {
  compile::Compiler compiler;
  ProgressLine line;
  run::RunCache cache(compiler, control_for(line));
  lesson::Runs runs(cache);
  std::vector<std::string> differing;
  for (Answers& answers : all) {
    auto judged = lesson::judged_again(answers.attempts, course, runs);
    const bool differs = std::any_of(answers.attempts.begin(), answers.attempts.end(), [&](const auto& entry) {
      const auto found = judged.find(entry.first);
      return entry.second.right && (found == judged.end() || !found->second.right);
    });
    if (differs) differing.push_back(answers.student);
    answers.attempts = std::move(judged);
  }
  line.clear();
  return differing;
}

/// "Ada, Bob" for each group that answered the same.
std::vector<std::string> equal_students(const std::vector<Answers>& all) {
  std::vector<std::string> groups;
  for (const std::vector<size_t>& equal : lesson::equal_answers(all)) {
    std::string names;
    for (const size_t i : equal) names.append(names.empty() ? "" : ", ").append(all[i].student);
    groups.push_back(std::move(names));
  }
  return groups;
}

/// The beginning of the first line.
std::string begin_of(const std::string& text) { return shortened(text.substr(0, text.find('\n')), kLongestAnswer); }

/// "7/9", the questions done; empty if the lesson was not begun.
std::string done_text(const lesson::Score& score) {
  return score.done == 0 ? "" : fmt::format("{}/{}", score.done, score.asked);
}

std::string students_table(const std::vector<Answers>& all, const Course& course, const Style& style) {
  std::vector<Align> columns(course.lessons.size() + 2, Align::Right);
  columns[0] = Align::Left;
  Table table(columns);
  std::vector<std::string> head{style.bold("student")};
  for (const Lesson& each : course.lessons) head.push_back(fmt::format("{}", each.number));
  head.push_back("at once");
  table.row(head);
  for (const Answers& answers : all) {
    std::vector<std::string> row{answers.student};
    size_t at_once = 0;
    for (const Lesson& each : course.lessons) {
      const lesson::Score score = lesson::score_of(each, answers.attempts);
      row.push_back(done_text(score));
      at_once += score.at_once;
    }
    row.push_back(fmt::format("{}", at_once));
    table.row(std::move(row));
  }
  return table.text();
}

const Lesson* lesson_called(const Course& course, const std::string& slug) {
  for (const Lesson& each : course.lessons)
    if (each.slug == slug) return &each;
  return nullptr;
}

std::string questions_table(const std::vector<QuestionOfClass>& questions, const Course& course, const Style& style) {
  Table table({Align::Left, Align::Left, Align::Right, Align::Right, Align::Right, Align::Left});
  table.row({style.bold("step"), style.bold("question"), "answered", "at once", "shown", "commonest wrong answer"});
  for (const QuestionOfClass& question : questions) {
    const Lesson& of = *lesson_called(course, question.place.slug);
    table.row({fmt::format("{}.{}", of.number, question.place.step + 1), of.steps[question.place.step].title,
               fmt::format("{}", question.students), fmt::format("{}", question.at_once),
               fmt::format("{}", question.given_up),
               question.times == 0 ? "" : fmt::format("{} ({})", begin_of(question.commonest_wrong), question.times)});
  }
  return table.text();
}

Json class_json(const std::vector<Answers>& all, const std::vector<QuestionOfClass>& questions, const Course& course) {
  Json json{{"students", Json::array()}, {"questions", Json::array()}};
  for (const Answers& answers : all) {
    Json lessons = Json::array();
    for (const Lesson& each : course.lessons) {
      const lesson::Score score = lesson::score_of(each, answers.attempts);
      lessons.push_back(
          {{"lesson", each.slug}, {"asked", score.asked}, {"done", score.done}, {"at_once", score.at_once}});
    }
    json["students"].push_back({{"student", answers.student}, {"lessons", std::move(lessons)}});
  }
  for (const QuestionOfClass& question : questions)
    json["questions"].push_back({{"lesson", question.place.slug},
                                 {"step", question.place.step + 1},
                                 {"answered", question.students},
                                 {"at_once", question.at_once},
                                 {"given_up", question.given_up},
                                 {"commonest_wrong", question.commonest_wrong},
                                 {"times", question.times}});
  return json;
}

}  // namespace

int run_lesson_export(const LessonOptions& options) {
  const fs::path file = options.answers_file.empty() ? window::answers_file() : fs::path(options.answers_file);
  std::error_code ignored;
  if (options.answers_file.empty() && !fs::exists(file, ignored))
    return fail("No question has been answered in the window yet, so there is nothing to export.");
  Result<Answers> answers = lesson::load_answers(file);
  if (!answers) return fail(answers.errors());
  if (!options.student.empty()) answers->student = options.student;
  if (options.json) return finish(lesson::to_json(*answers), kFine);
  const lesson::Course course = course_of(options);
  return finish(options.missed ? lesson::missed_markdown(*answers, course) : lesson::to_markdown(*answers, course),
                kFine);
}

int run_lesson_collect(const LessonOptions& options) {
  std::error_code problem;
  const std::vector<fs::path> files = json_files(options.handed_in, problem);
  if (problem) return fail(fmt::format("{} cannot be listed: {}.", options.handed_in, problem.message()));
  Diagnostics problems;
  std::vector<Answers> all = read_all(files, problems);
  if (!problems.empty()) warn(problems);
  if (all.empty()) return fail(fmt::format("There is no answer file (.json) in {}.", options.handed_in));
  const Course course = course_of(options);
  const std::vector<std::string> differing = judge_again(all, course);
  if (interrupted()) return kInterrupted;
  const std::vector<std::string> equal = equal_students(all);
  const std::vector<QuestionOfClass> questions = lesson::questions_of_class(all, course);
  const Style style = terminal_style();
  std::string text = students_table(all, course, style) + "\n" + questions_table(questions, course, style);
  for (const std::string& names : equal) text.append(fmt::format("\nIdentical answers: {}.\n", names));
  for (const std::string& name : differing)
    text.append(fmt::format("\nThe file of {} marks wrong answers as right; they are not counted.\n", name));
  Json json = class_json(all, questions, course);
  json["equal"] = equal;
  json["differing"] = differing;
  return finish(options.json ? to_text(json) : text, problems.empty() ? kFine : kFinding);
}

}  // namespace tilescope::cli
