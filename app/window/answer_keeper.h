#pragma once

#include <filesystem>

#include "base/async.h"
#include "lesson/answers.h"

namespace tilescope::window {

/// The file in which the window keeps a student's answers; empty if there is no folder for it.
std::filesystem::path answers_file();

/// Keeps a student's answers between starts.
class AnswerKeeper {
 public:
  /// Empty: nothing is kept.
  explicit AnswerKeeper(std::filesystem::path file) : file_(std::move(file)) {}

  /// The kept attempts. A file that cannot be read is put aside, and notice() says so.
  std::map<lesson::StepPlace, lesson::Attempt> start();
  /// Writes the attempts on another thread if they have changed.
  void note(const std::map<lesson::StepPlace, lesson::Attempt>& attempts);
  /// Writes anything not yet written and waits for it.
  void finish(const std::map<lesson::StepPlace, lesson::Attempt>& attempts);

  /// A sentence for the user, or empty.
  const std::string& notice() const { return notice_; }

 private:
  void end_writing();

  std::filesystem::path file_;
  std::string notice_;
  std::string written_;  ///< As JSON.
  Async<Result<std::monostate>> writing_;
};

}  // namespace tilescope::window
