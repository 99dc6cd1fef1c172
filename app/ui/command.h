#pragma once

#include <cstdint>
#include <variant>
#include <vector>

#include "lesson/lesson_runner.h"
#include "measure/measurement_service.h"
#include "run/counted_work.h"
#include "session/workspace.h"

/// What the user asks for in the window, as plain values: panels make them, apply() does them at the start of the next
/// frame. What draws starts nothing itself.
namespace tilescope::ui {

struct AnswerQuestion {
  lesson::Answer answer;
};                 ///< Of the open page.
struct GiveUp {};  ///< Shows the answer to the open page's question, where one is open.
struct CountWork {
  std::vector<run::Request> requests;
};  ///< For the plots, in this order, in place of what they wanted before.
struct Measure {
  measure::Job job;
};  ///< What is on show, before all else.
struct FillPlot {
  std::vector<measure::Job> jobs;
};  ///< What else is on show, in this order, when there is time for it.
struct MeasureAll {};
struct CancelMeasuring {};
struct MeasureCpu {};
struct SetMeasuredSize {
  int64_t size = 0;
};

using Command = std::variant<session::Command, AnswerQuestion, GiveUp, CountWork, Measure, FillPlot, MeasureAll,
                             CancelMeasuring, MeasureCpu, SetMeasuredSize>;

/// What the window shows and commands act on. Null: not there; commands that need it do nothing.
struct Services {
  session::Workspace* workspace = nullptr;
  lesson::LessonRunner* lessons = nullptr;
  measure::MeasurementService* measuring = nullptr;
  run::WorkCounter* counter = nullptr;
};

/// Does what a command says.
void apply(const Command& command, const Services& services);

/// Takes over what other threads have finished, and opens the page of the lesson on show; true when what is shown has
/// changed.
bool poll(const Services& services);

/// The lesson on show and the number of its step; null without one.
std::pair<const lesson::Lesson*, size_t> place_of(const session::Workspace& workspace,
                                                  const lesson::LessonRunner* lessons);

}  // namespace tilescope::ui
