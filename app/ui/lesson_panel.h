#pragma once

#include <string>
#include <vector>

#include "lesson/desk.h"
#include "ui/context.h"

namespace tilescope::ui {

/// The scene of a lesson's step as a command. `inputs` name its kernel, which the workspace must know.
session::ShowScene show_command(const lesson::Scene& scene);

/// What the open question of the lesson that is on show asks for.
session::Cover cover_now(const Context& context);

/// Whether the open question is answered by a click on a line of the program text.
bool picks_line_now(const Context& context);

/// What the lesson's scene emphasises; nothing once its run is another: a slider was moved, or another kernel chosen.
std::vector<std::string> emphasised_now(const Context& context);

/// What lies below what is seen of a lesson's page.
struct Below {
  std::string words;  ///< Empty: nothing.
  view::Ink ink{};
  float jump = 0;  ///< How far down to scroll for it.
};

/// What the lesson keeps from frame to frame.
struct LessonKept {
  std::string place;        ///< The lesson and the step that the following is about.
  std::string typed;        ///< A number that is being typed as an answer.
  bool wants_focus = false;  ///< What was typed goes on in the field, as soon as ImGui can give it the keyboard.
  bool asked = false;        ///< The step's question was open in the last frame.
  Below below;
  float scroll_by = 0;          ///< In the next frame.
  bool gave_keys_back = false;  ///< Escape was pressed: digits are shortcuts again.
  float class_height = 0;       ///< What the question to the class took in the last frame.
};

/// Whether a digit begins the answer to the open question or chooses it, wherever the keyboard is, and is no shortcut.
bool takes_digits_now(const Context& context, const LessonKept& kept);

/// Opens the lesson's page and says where it is in one line, with buttons to the steps beside it, in that many pixels: for the bar of a
/// presentation. Nothing where no lesson is open.
void show_lesson_line(const Context& context, float room);

/// The step's question for a class to think about: its words, and a button for the answer. Fills ImGui's current window
/// at the width that it has.
void show_question_to_class(const Context& context, LessonKept& kept);
/// Its height in pixels; 0 where the step asks nothing.
float question_to_class_height(const Context& context, const LessonKept& kept);

/// Shows the answer to the step's question, as its button does. Nothing where none is open.
void show_answer(const Context& context);

/// The lesson: text, question, what comes after the answer, previous and next. Fills ImGui's current window. Goes to
/// another step by sending ChooseLesson and the step's scene.
void show_lesson(const Context& context, LessonKept& kept);

}  // namespace tilescope::ui
