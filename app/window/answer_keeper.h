#pragma once

#include <filesystem>
#include <future>

#include "lesson/answers.h"

namespace tilescope::window {

/// Where the window keeps a student's answers; empty where there is no folder for it.
std::filesystem::path answers_file();

/// Keeps a student's answers from one start to the next.
class AnswerKeeper {
 public:
  /// Empty: nothing is kept.
  explicit AnswerKeeper(std::filesystem::path file) : file_(std::move(file)) {}

  /// The attempts that were kept. A file that cannot be read is put aside, and notice() says so.
  std::map<lesson::StepPlace, lesson::Attempt> start();
  /// Has the attempts written on a thread of its own when there are others than before.
  void note(const std::map<lesson::StepPlace, lesson::Attempt>& attempts);
  /// Writes what is not written yet and waits for it.
  void finish(const std::map<lesson::StepPlace, lesson::Attempt>& attempts);

  /// A sentence for the user; empty when there is nothing to say.
  const std::string& notice() const { return notice_; }

 private:
  void end_writing();

  std::filesystem::path file_;
  std::string notice_;
  std::string written_;  ///< As JSON.
  std::future<Result<std::monostate>> writing_;
};

}  // namespace tilescope::window
