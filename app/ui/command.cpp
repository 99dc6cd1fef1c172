#include "ui/command.h"

#include <algorithm>

#include "ui/lesson_panel.h"
#include "ui/question.h"

namespace tilescope::ui {
namespace {

/// Does what covers or uncovers the open page's answer, and shows the picture for that in place of the other.
template <class Change>
void change_cover(const Services& services, Change change) {
  session::Workspace& workspace = *services.workspace;
  const auto [lesson, step] = place_of(workspace, services.lessons);
  if (!lesson) return change();
  const bool done = services.lessons->attempt(*lesson, step).done();
  const auto before = services.lessons->scene(*lesson, step);
  change();
  if (services.lessons->attempt(*lesson, step).done() == done) return;
  workspace.apply(session::Pin{});  // It may be the answer.
  const auto after = services.lessons->scene(*lesson, step);
  if (revealed_scene(*lesson, step) && before && after && workspace.state().inputs == show_command(*before).inputs)
    workspace.apply(show_command(*after));
}

/// Executes each command.
struct Apply {
  const Services& services;

  void operator()(const session::Command& command) const { services.workspace->apply(command); }
  void operator()(const AnswerQuestion& command) const {
    if (services.lessons) services.lessons->answer(command.answer);
  }
  void operator()(const GiveUp&) const {
    if (services.lessons) services.lessons->give_up();
  }
  void operator()(const CoverAnswer&) const {
    if (services.lessons) change_cover(services, [&] { services.lessons->cover(); });
  }
  void operator()(const AskAgain& command) const {
    if (!services.lessons) return;
    services.lessons->ask_again(command.place);
    const lesson::Lesson* const lesson = services.lessons->find(command.place.slug);
    if (!lesson) return;
    services.workspace->apply(session::ChooseLesson{lesson->slug, static_cast<uint32_t>(command.place.step)});
    if (const auto scene = services.lessons->scene(*lesson, command.place.step))
      services.workspace->apply(show_command(*scene));
  }
  void operator()(const CountWork& command) const {
    if (services.counter) services.counter->want(command.requests);
  }
  void operator()(const Measure& command) const {
    if (services.measuring) services.measuring->measure(command.job);
  }
  void operator()(const FillPlot& command) const {
    if (services.measuring) services.measuring->fill(command.jobs);
  }
  void operator()(const MeasureAll&) const {
    if (services.measuring) services.measuring->measure_all(services.workspace->catalogue());
  }
  void operator()(const CancelMeasuring&) const {
    if (services.measuring) services.measuring->cancel();
  }
  void operator()(const MeasureCpu&) const {
    if (services.measuring) services.measuring->measure_cpu();
  }
  void operator()(const SetMeasuredSize& command) const {
    if (services.measuring) services.measuring->set_size(command.size, command.extents);
  }
  void operator()(const FileCommand& command) const {
    if (services.files) services.files(command);
  }
  void operator()(const ShowKeys&) const {
    if (services.keys) services.keys();
  }
};

void open_page(const Services& services) {
  if (const bool on = services.workspace->state().present; services.lessons && services.lessons->presents() != on)
    change_cover(services, [&] { services.lessons->present(on); });
  const auto [lesson, step] = place_of(*services.workspace, services.lessons);
  if (lesson) services.lessons->open(*lesson, step);
}

/// Shows the picture that explains an answer, if its step is still open.
void show_revealed(const Services& services) {
  const auto revealed = services.lessons->take_revealed();
  const auto [lesson, step] = place_of(*services.workspace, services.lessons);
  if (!revealed || !lesson || *revealed != lesson::StepPlace{lesson->slug, step}) return;
  services.workspace->apply(show_command(*services.lessons->scene(*lesson, step)));
}

/// Takes over what the lessons' thread has judged. What was to be clicked is marked once it is known.
bool poll_lessons(const Services& services) {
  const auto [lesson, step] = place_of(*services.workspace, services.lessons);
  const bool was_open = lesson && !services.lessons->attempt(*lesson, step).done();
  const bool changed = services.lessons->poll();
  show_revealed(services);
  if (!was_open) return changed;
  const lesson::Attempt& attempt = services.lessons->attempt(*lesson, step);
  if (attempt.done() && attempt.answer.click)
    services.workspace->apply(session::Pin{target_of(*attempt.answer.click, *services.workspace)});
  return changed;
}

}  // namespace

void apply(const Command& command, const Services& services) {
  std::visit(Apply{services}, command);
  open_page(services);
}

bool poll(const Services& services) {
  bool changed = services.workspace->poll();
  if (services.lessons) changed |= poll_lessons(services);
  if (services.measuring) changed |= services.measuring->poll();
  if (services.counter) changed |= services.counter->poll();
  open_page(services);
  return changed;
}

std::pair<const lesson::Lesson*, size_t> place_of(const session::Workspace& workspace,
                                                  const lesson::LessonRunner* lessons) {
  const session::State& state = workspace.state();
  const lesson::Lesson* lesson = lessons && state.in_lesson() ? lessons->find(state.lesson) : nullptr;
  if (!lesson || lesson->steps.empty()) return {};
  return {lesson, std::min<size_t>(state.lesson_step, lesson->steps.size() - 1)};
}

}  // namespace tilescope::ui
