#pragma once

#include <cstdint>
#include <string>

namespace tilescope::cli {

/// Options of the `lesson` commands: list, show, check, play and sheet, and those below.
struct LessonOptions {
  std::string lesson;           ///< "3", "shared-tiles"; of `check` empty: all.
  std::string language = "en";  ///< "zh"
  std::string folder;           ///< Empty: the lessons that ship.
  int step = 0;                 ///< From 1; 0: from the first.
  uint64_t seed = 0;            ///< Of the drawn parameters; 0: the first of each list.
  bool answers = false;
  bool json = false;
  bool missed = false;       ///< Of export: only what was not right at once.
  std::string student;       ///< Of `export`: the student's name.
  std::string answers_file;  ///< Of `export`: empty: those that the window keeps.
  std::string handed_in;     ///< Of `collect`: the folder.
  std::string output;        ///< Of `sheet`: the folder; empty: Markdown on stdout.
};

/// The student's answers as Markdown to print, or with `json` as the file to hand in.
int run_lesson_export(const LessonOptions& options);
/// The answers of a class: a row for each student, a row for each question.
int run_lesson_collect(const LessonOptions& options);

}  // namespace tilescope::cli
