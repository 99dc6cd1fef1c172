#include "window/lessons.h"

#include <algorithm>

#include "base/file.h"
#include "lesson/link.h"
#include "ui/lesson_panel.h"
#include "window/system.h"

namespace tilescope::window {
namespace {

std::vector<kernel::Kernel> kernels_of(const lesson::Course& course) {
  std::vector<kernel::Kernel> kernels;
  for (const lesson::Lesson& lesson : course.lessons)
    for (const lesson::Step& step : lesson.steps) {
      if (step.scene && step.scene->kernel) kernels.push_back(*step.scene->kernel);
      if (step.question && step.question->solution_source) kernels.push_back(*step.question->solution_source);
    }
  return kernels;
}

const lesson::Lesson* lesson_of(const lesson::LessonRunner& lessons, const std::string& slug) {
  if (const lesson::Lesson* found = lessons.find(slug)) return found;
  return lessons.course().lessons.empty() ? nullptr : &lessons.course().lessons.front();
}

}  // namespace

lesson::Course load_course(const kernel::Catalogue& catalogue, const std::string& language) {
  return lesson::load_course(data_folder() / "lessons", catalogue, language);
}

void add_kernels(const lesson::Course& course, session::Workspace& workspace) {
  workspace.add_kernels(kernels_of(course));
}

void need_characters(const lesson::Course& course, ui::FontBook& fonts) {
  for (const lesson::Lesson& lesson : course.lessons)
    if (const Result<std::string> text = read_file(lesson.file)) fonts.need(*text);
  for (const lesson::Term& term : course.glossary.terms) fonts.need(term.name + term.text);
}

std::string link_to(const session::Workspace& workspace, const lesson::LessonRunner& lessons) {
  session::State state = workspace.state();
  const lesson::Lesson* lesson = lessons.find(state.lesson);
  const auto scene = lesson ? lessons.scene(*lesson, state.lesson_step) : std::nullopt;
  if (scene && !state.compared && ui::show_command(*scene).inputs == state.inputs) {
    session::State step;
    step.lesson = state.lesson;
    step.lesson_step = state.lesson_step;
    step.language = state.language;
    step.theme = state.theme;
    state = step;
  }
  state.compiler = compile::Choice::Automatic;  // Of this machine.
  return page_address() + "#" + lesson::link_of(state, lessons.course(), workspace.catalogue());
}

std::string link_to(const lesson::Tour& tour) { return page_address() + "#" + link_of_tour(tour); }

void show_state(session::Workspace& workspace, const lesson::LessonRunner& lessons, session::State state) {
  if (!workspace.knows(state.inputs.kernel)) state.inputs = session::Inputs();  // A file that was open last time.
  const lesson::Lesson* lesson = state.inputs.kernel.empty() ? lesson_of(lessons, state.lesson) : nullptr;
  if (lesson && !lesson->steps.empty()) {
    state.lesson = lesson->slug;
    state.lesson_step = std::min<uint32_t>(state.lesson_step, static_cast<uint32_t>(lesson->steps.size()) - 1);
  }
  const auto scene = lesson ? lessons.scene(*lesson, state.lesson_step) : std::nullopt;
  if (scene) state.inputs = ui::show_command(*scene).inputs;
  if (state.inputs.kernel.empty() && !workspace.catalogue().kernels.empty())
    state.inputs.kernel = workspace.catalogue().kernels.front().name;
  workspace.apply(session::LoadState{std::move(state)});
  if (scene) workspace.apply(ui::show_command(*scene));
}

}  // namespace tilescope::window
