#pragma once

#include <string>
#include <vector>

#include "lesson/lesson_runner.h"
#include "ui/context.h"

namespace tilescope::ui {

/// The scene of a lesson's step as a command. `inputs` name its kernel, which the workspace must know.
session::ShowScene show_command(const lesson::Scene& scene);

/// What the open questions of the lesson that is on show ask for and the step's scene would tell.
session::HiddenFacts hidden_now(const Context& context);

/// Whether the open question is answered by a click on a line of the program text.
bool picks_line_now(const Context& context);

/// What the lesson's scene emphasises; nothing once its run is another: a slider was moved, or another kernel chosen.
std::vector<std::string> emphasised_now(const Context& context);

/// The panels that the open step of the lesson has on show, as its scene names them; empty: all.
std::vector<std::string> panels_now(const Context& context);

/// What the lesson keeps from frame to frame.
struct LessonState {
  std::string place;            ///< The lesson and the step that the following is about.
  std::string typed;            ///< A number that is being typed as an answer.
  bool wants_focus = false;     ///< What was typed goes on in the field, as soon as ImGui can give it the keyboard.
  bool asked = false;           ///< The step's question was open in the last frame.
  bool more_below = false;      ///< The page goes on below what is seen of it.
  float scroll_by = 0;          ///< In the next frame.
  float question_height = 0;    ///< What the open question took in the last frame; 0: not known yet.
  int wrong_seen = 0;           ///< Wrong answers whose hints have been scrolled into view.
  bool gave_keys_back = false;  ///< Escape was pressed: digits are shortcuts again.
  float class_height = 0;       ///< What the question to the class took in the last frame.
  bool wants_answers_saved = false;  ///< The student's answers are to be written to files, by who has them.
};

/// Whether the stage shows another run than the lesson's step is about: another kernel, size or setting, or two runs.
/// What a task asks to be changed may be.
bool shows_other_scene(const Context& context);

/// Whether a digit begins the answer to the open question or chooses it, wherever the keyboard is, and is no shortcut.
bool takes_digits_now(const session::Workspace& workspace, const lesson::LessonRunner* lessons,
                      const LessonState& kept);

/// Says where the lesson's page is in one line, with buttons to the steps beside it, in that many pixels: for the bar
/// of a presentation. Nothing where no lesson is open.
void show_lesson_line(const Context& context, float room);

/// The step's question for a class to think about: its words, and a button for the answer. Fills ImGui's current window
/// at the width that it has.
void show_question_to_class(const Context& context, LessonState& kept);
/// Its height in pixels; 0 where the step asks nothing.
float question_to_class_height(const Context& context, const LessonState& kept);

/// The lesson: text, question, what comes after the answer, previous and next. Fills ImGui's current window. Goes to
/// another step by sending ChooseLesson and the step's scene.
void show_lesson(const Context& context, LessonState& kept);

}  // namespace tilescope::ui
