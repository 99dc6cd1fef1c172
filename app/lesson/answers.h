#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "lesson/lesson_runner.h"

/// A student's answers as one file: kept between starts, printed, handed in, and collected from a class.
namespace tilescope::lesson {

struct Answers {
  std::string student;  ///< A name; empty where none was given.
  std::map<StepPlace, Attempt> attempts;
};

/// One JSON object with a version. It has the words of questions and answers, so that it can be read without the
/// course, and the answers as data, independent of language.
std::string to_json(const Answers& answers);
/// The error says what is damaged, or that it is a different kind of file.
Result<Answers> answers_from(std::string_view json);

/// Reads a file of answers; the error names the file.
Result<Answers> load_answers(const std::filesystem::path& file);
/// Writes the whole file or nothing, and creates its folder.
Result<std::monostate> save_answers(const Answers& answers, const std::filesystem::path& file);

/// To print: each lesson begun, each of its questions, the answers and the right one. Titles are the course's.
std::string to_markdown(const Answers& answers, const Course& course);

/// The questions that were not right at once, in the course's order. Those that were mended since are left out.
std::vector<StepPlace> missed_in(const Course& course, const std::map<StepPlace, Attempt>& attempts);
/// To print: of the questions that were not right at once only what was asked, what was answered and what is right.
std::string missed_markdown(const Answers& answers, const Course& course);

/// How a student did with a lesson.
struct Score {
  size_t asked = 0;          ///< Questions of the lesson.
  size_t done = 0;           ///< Answered right, or given up.
  size_t at_once = 0;        ///< Answered right the first time.
  std::vector<size_t> open;  ///< Steps whose question is still open.
};
Score score_of(const Lesson& lesson, const std::map<StepPlace, Attempt>& attempts);

/// What a class answered to one question.
struct QuestionOfClass {
  StepPlace place;
  size_t students = 0, at_once = 0, given_up = 0;
  std::string commonest_wrong;  ///< The most frequent wrong answer; empty if none was given twice.
  size_t times = 0;             ///< How many gave it.
};
/// Every question that anyone answered, in the course's order.
std::vector<QuestionOfClass> questions_of_class(const std::vector<Answers>& handed_in, const Course& course);

}  // namespace tilescope::lesson
