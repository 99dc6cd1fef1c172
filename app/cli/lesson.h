#pragma once

#include <cstdint>
#include <string>

namespace CLI {
class App;
}

namespace tilescope::cli {

/// What the `lesson` commands take.
struct LessonOptions {
  std::string lesson;           ///< "3", "shared-tiles"; of `check` empty: all.
  std::string language = "en";  ///< "zh"
  std::string folder;           ///< Empty: the lessons that ship.
  int step = 0;                 ///< From 1; 0: from the first.
  uint64_t seed = 0;            ///< Of the drawn parameters; 0: the first of each list.
  bool answers = false;
  bool json = false;
  std::string student;       ///< Of `export`: whose answers they are.
  std::string answers_file;  ///< Of `export`: empty: those that the window keeps.
  std::string handed_in;     ///< Of `collect`: the folder.
};

/// Adds list, show, check, play, sheet, export and collect to `command`; `choose` is called with the one that was
/// given.
void add_lesson_commands(CLI::App& command, LessonOptions& options, int (*&chosen)(const LessonOptions&));

int run_lesson_list(const LessonOptions& options);
/// A lesson as text, its values computed; with `answers` the right answers too.
int run_lesson_show(const LessonOptions& options);
/// Validates lessons by running all that they claim. 0: nothing found; 1: something.
int run_lesson_check(const LessonOptions& options);
/// Walks through the steps at the terminal: text, question, answer, explanation.
int run_lesson_play(const LessonOptions& options);
/// A lab sheet as Markdown.
int run_lesson_sheet(const LessonOptions& options);
/// The student's answers as Markdown to print, or with `json` as the file to hand in.
int run_lesson_export(const LessonOptions& options);
/// The answers of a class: a row for each student, a row for each question.
int run_lesson_collect(const LessonOptions& options);

}  // namespace tilescope::cli
