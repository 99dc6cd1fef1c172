#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/words.h"
#include "lesson/lesson_runner.h"
#include "ui/context.h"

namespace tilescope::ui {

/// The scene of a lesson's step as a command. `inputs` name its kernel, which must be in the workspace.
session::ShowScene show_command(const lesson::Scene& scene);

/// The facts that the shown lesson's open questions are about and the step's scene would reveal.
session::HiddenFacts hidden_now(const Context& context);

/// Whether the open question is answered by a click on a line of the program text.
bool picks_line_now(const Context& context);

/// What the lesson's scene emphasises; empty once the run is a different one: a slider was moved, or a kernel chosen.
std::vector<std::string> emphasised_now(const Context& context);

/// The panels shown by the lesson's open step, by their names in the scene; empty: all.
std::vector<std::string> panels_now(const Context& context);

/// State of the lesson between frames.
struct LessonState {
  std::string place;          ///< The lesson and the step of the following.
  std::string typed;          ///< A number being typed as an answer.
  bool wants_focus = false;   ///< Typing continues in the field as soon as ImGui can give it the keyboard.
  bool asked = false;         ///< The step's question was open in the last frame.
  bool more_below = false;    ///< The page continues below its visible part.
  float scroll_by = 0;        ///< In the next frame.
  float question_height = 0;  ///< The open question's height in the last frame; 0: not known yet.
  int wrong_seen = 0;         ///< Wrong answers whose hints have been scrolled into view.
  bool wants_check = false;   ///< Enter was pressed where no control has the keyboard, since the last frame.
  std::optional<session::Inputs> judged;  ///< The run that a task's last answer was.
  bool gave_keys_back = false;            ///< Escape was pressed: digits are shortcuts again.
  float class_height = 0;                 ///< Height of the question to the class in the last frame.
};

/// Puts the open lesson aside; else goes back to it, to the run that was on screen then or to its step's, or to the
/// first lesson if there was none.
std::vector<Command> lesson_switch(const session::Workspace& workspace, const lesson::LessonRunner* lessons);

/// Shows a step of a lesson with its own run.
std::vector<Command> commands_to(const lesson::LessonRunner& runner, const lesson::Lesson& lesson, size_t step);

/// The answer to the step's open question, else the next step: what a presenter's clicker does. `way` -1: the step
/// before. Empty without a lesson, and at its ends.
std::vector<Command> turn_page(const session::Workspace& workspace, const lesson::LessonRunner* lessons, int way);
/// The step's own run, at the place that it is about; empty without a lesson.
std::vector<Command> scene_again(const session::Workspace& workspace, const lesson::LessonRunner* lessons);

/// Whether the stage shows a run other than the lesson step's: another kernel, size or setting, or two runs. Settings
/// that a task says to change do not count.
bool shows_other_scene(const Context& context);

/// Whether a digit is no shortcut, wherever the keyboard is: it begins the answer to the open question, or that has
/// choices, which may begin with digits.
bool takes_digits_now(const session::Workspace& workspace, const lesson::LessonRunner* lessons,
                      const LessonState& kept);
/// Whether a letter chooses the answer to the open question, and is not a shortcut.
bool takes_letter_now(const session::Workspace& workspace, const lesson::LessonRunner* lessons, const LessonState& kept,
                      char letter);

/// The place in the lesson in one line, with buttons to the neighbouring steps, in that many pixels: for the bar of a
/// presentation. Nothing if no lesson is open.
void show_lesson_line(const Context& context, float room);

/// The step's question for a class to think about: its words, and a button for the answer. Fills ImGui's current window
/// at the width that it has.
void show_question_to_class(const Context& context, LessonState& kept);
/// Its height in pixels; 0 if the step has no question.
float question_to_class_height(const Context& context, const LessonState& kept);

/// What covers an answer that a presentation has shown, in English.
inline constexpr const char* kCoverAnswer = tr_later("Cover the answer");

/// The lesson: text, question, text after the answer, previous and next. Fills ImGui's current window. Goes to
/// another step by sending ChooseLesson and the step's scene.
void show_lesson(const Context& context, LessonState& kept);

}  // namespace tilescope::ui
