#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <variant>
#include <vector>

#include "lesson/lesson_runner.h"
#include "measure/measurement_service.h"
#include "run/counted_work.h"
#include "session/launch_list.h"
#include "session/workspace.h"
#include "view/picture.h"

/// The user's commands in the window as plain values: panels make them, apply() executes them at the start of the next
/// frame. Code that draws starts no work itself.
namespace tilescope::ui {

struct AnswerQuestion {
  lesson::Answer answer;
};                      ///< Of the open page.
struct GiveUp {};       ///< Shows the answer to the open page's question, if one is open.
struct CoverAnswer {};  ///< Of the open page, again, in a presentation.
struct AskAgain {
  lesson::StepPlace place;
};  ///< Opens a step and asks its question in another form.
struct CountWork {
  std::vector<run::Request> requests;
};  ///< For the plots, in this order, in place of what they wanted before.
struct Measure {
  measure::Job job;
};  ///< The shown configuration, before all else.
struct FillPlot {
  std::vector<measure::Job> jobs;
};  ///< Other shown configurations, in this order, when there is time.
struct MeasureAll {};
struct CancelMeasuring {};
struct MeasureCpu {};
/// As measure::MeasurementService::set_size().
struct SetMeasuredSize {
  int64_t size = 0;
  std::string extents;
};
struct SavePicture {
  std::string name;  ///< "timeline"
  view::Picture picture;
  bool svg = false;  ///< Else PNG.
  std::string csv;   ///< Not empty: what the picture shows, as a table, which is written in its place.
};
struct SaveAnswers {};  ///< The student's, to hand in and to print.
struct SaveDescription {
  bool replaces = false;  ///< Also another description that is there already.
};                        ///< What the launch form says, beside the kernel's file.
struct OpenEntry {
  std::string name;
};  ///< Another kernel of the file on show.
struct OpenLaunch {
  size_t index = 0;  ///< Of the list.
};                   ///< Another launch of the user's program.
struct OpenFile {
  std::filesystem::path file;
};  ///< A .cu file.
struct EditOutside {
  std::string kernel;
};                     ///< Writes its text, with the user's changes, for another editor.
struct AskForFile {};  ///< The field for the path of a .cu file or a saved state.

struct ShowKeys {};  ///< The list of all keys, and away again.

/// What reads and writes files.
using FileCommand =
    std::variant<SavePicture, SaveAnswers, SaveDescription, OpenEntry, OpenLaunch, OpenFile, EditOutside, AskForFile>;
using Command = std::variant<session::Command, AnswerQuestion, GiveUp, CoverAnswer, AskAgain, CountWork, Measure,
                             FillPlot, MeasureAll, CancelMeasuring, MeasureCpu, SetMeasuredSize, ShowKeys, FileCommand>;

/// What the window shows and commands act on. Null: absent; commands that need it do nothing.
struct Services {
  session::Workspace* workspace = nullptr;
  lesson::LessonRunner* lessons = nullptr;
  measure::MeasurementService* measuring = nullptr;
  run::WorkCounter* counter = nullptr;
  const session::LaunchList* launches = nullptr;
  std::function<void(const FileCommand&)> files = {};
  std::function<void()> keys = {};  ///< For ShowKeys.
};

/// Executes a command.
void apply(const Command& command, const Services& services);

/// Takes over results of other threads, and opens the page of the shown lesson; true if the shown state has
/// changed.
bool poll(const Services& services);

/// The shown lesson and the number of its step; null without one, and while it is put aside.
std::pair<const lesson::Lesson*, size_t> place_of(const session::Workspace& workspace,
                                                  const lesson::LessonRunner* lessons);

}  // namespace tilescope::ui
