#include "lesson/course.h"

#include <algorithm>
#include <charconv>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/file.h"
#include "base/nearest.h"
#include "base/turns.h"
#include "lesson/lesson_reader.h"

namespace tilescope::lesson {
namespace fs = std::filesystem;
namespace {

constexpr size_t kLargestFile = size_t{1} << 20;

/// "lesson.zh.md" of a folder, or the English "lesson.md" if there is none in the language.
fs::path file_of(const fs::path& folder, const char* name, const char* extension, std::string_view language) {
  const fs::path wanted = folder / fmt::format("{}.{}.{}", name, language, extension);
  std::error_code ignored;
  return fs::is_regular_file(wanted, ignored) ? wanted : folder / fmt::format("{}.{}", name, extension);
}

std::vector<fs::path> lesson_folders(const fs::path& folder, Diagnostics& problems) {
  std::vector<fs::path> found;
  std::error_code problem;
  fs::directory_iterator entry(folder, problem);
  for (; !problem && entry != fs::directory_iterator(); entry.increment(problem)) {
    const std::string name = entry->path().filename().string();
    std::error_code ignored;
    if (!name.empty() && name[0] >= '0' && name[0] <= '9' && entry->is_directory(ignored))
      found.push_back(entry->path());
  }
  if (problem) problems.push_back(error(fmt::format("{}: cannot be listed: {}.", folder.string(), problem.message())));
  std::sort(found.begin(), found.end());
  return found;
}

void refuse_same_numbers(const std::vector<Lesson>& lessons, Diagnostics& problems) {
  for (size_t i = 1; i < lessons.size(); ++i)
    if (lessons[i].number == lessons[i - 1].number)
      problems.push_back(error_at({lessons[i].file.string(), 1, 1},
                                  fmt::format("{} has number {} too; give each lesson a number of its own.",
                                              lessons[i - 1].slug, lessons[i].number)));
}

bool is_called(const Lesson& lesson, std::string_view wanted) {
  int number = 0;
  const auto [end, problem] = std::from_chars(wanted.data(), wanted.data() + wanted.size(), number);
  if (problem == std::errc() && end == wanted.data() + wanted.size()) return number == lesson.number;
  return wanted == lesson.slug || wanted == lesson.file.parent_path().filename().string();
}

void mark_terms(Step& step, const Glossary& glossary) {
  mark_terms(step.text, glossary);
  mark_terms(step.after, glossary);
  if (!step.question) return;
  for (Choice& choice : step.question->choices) mark_terms(choice.hint, glossary);
  for (Text* text : {&step.question->prompt, &step.question->hint, &step.question->look}) mark_terms(*text, glossary);
}

}  // namespace

Course load_course(const fs::path& folder, const kernel::Catalogue& kernels, std::string_view language, uint64_t seed) {
  Course course;
  for (const fs::path& lesson : lesson_folders(folder, course.problems)) {
    const fs::path file = file_of(lesson, "lesson", "md", language);
    const Result<std::string> text = read_file(file, kLargestFile);
    if (text)
      course.lessons.push_back(parse_lesson(*text, file, kernels, course.problems));
    else
      course.problems.insert(course.problems.end(), text.errors().begin(), text.errors().end());
    let_turns_pass();
  }
  std::stable_sort(course.lessons.begin(), course.lessons.end(),
                   [](const Lesson& a, const Lesson& b) { return a.number < b.number; });
  refuse_same_numbers(course.lessons, course.problems);
  let_turns_pass();
  course.glossary = load_glossary(file_of(folder, "glossary", "toml", language), course.problems);
  for (Lesson& lesson : course.lessons) {
    let_turns_pass();
    shuffle_choices(lesson, seed);
    for (Step& step : lesson.steps) mark_terms(step, course.glossary);
  }
  return course;
}

Lesson parse_lesson(std::string_view text, const fs::path& file, const kernel::Catalogue& kernels,
                    Diagnostics& problems) {
  return LessonReader(text, file, kernels, problems).read();
}

Result<const Lesson*> find_lesson(const Course& course, std::string_view wanted) {
  std::vector<std::string> names, numbered;
  for (const Lesson& lesson : course.lessons) {
    if (is_called(lesson, wanted)) return &lesson;
    names.push_back(lesson.slug);
    numbered.push_back(fmt::format("{} {}", lesson.number, lesson.slug));
  }
  if (names.empty()) return error(fmt::format("There is no lesson \"{}\": the folder has none.", wanted));
  const std::string nearest = nearest_name(wanted, names);
  return error(fmt::format("There is no lesson \"{}\"{} There are {}.", wanted,
                           nearest.empty() ? "." : fmt::format("; did you mean {}?", nearest),
                           fmt::join(numbered, ", ")));
}

}  // namespace tilescope::lesson
