#include "window/answer_keeper.h"

#include "base/file.h"
#include "base/words.h"
#include "window/state_keeper.h"

namespace tilescope::window {
namespace fs = std::filesystem;

fs::path answers_file() {
  const fs::path folder = state_folder();
  return folder.empty() ? fs::path{} : folder / "answers.json";
}

std::map<lesson::StepPlace, lesson::Attempt> AnswerKeeper::start() {
  std::error_code problem;
  if (file_.empty() || !fs::exists(file_, problem)) return {};
  Result<lesson::Answers> kept = lesson::load_answers(file_);
  if (kept) {
    written_ = to_json(*kept);
    return std::move(kept->attempts);
  }
  const fs::path aside = file_.parent_path() / "answers-unreadable.json";
  fs::rename(file_, aside, problem);
  notice_ = tr_format("The answers from last time cannot be read. {} The file is kept as {}.",
                      text_of(kept.errors().front()), (problem ? file_ : aside).filename().string());
  return {};
}

void AnswerKeeper::note(const std::map<lesson::StepPlace, lesson::Attempt>& attempts) {
  if (file_.empty() || (writing_.is_pending() && !writing_.is_made())) return;
  end_writing();
  std::string text = to_json(lesson::Answers{"", attempts});
  if (text == written_ || (written_.empty() && attempts.empty())) return;
  written_ = std::move(text);
  const auto save = [attempts, file = file_] { return lesson::save_answers(lesson::Answers{"", attempts}, file); };
  writing_ = Async<Result<std::monostate>>(save, [] {});
}

void AnswerKeeper::end_writing() {
  if (!writing_.is_pending()) return;
  const Result<std::monostate> saved = writing_.take();
  if (!saved && notice_.empty())
    notice_ = tr_format("Your answers will not be there next time. {}", text_of(saved.errors().front()));
}

void AnswerKeeper::finish(const std::map<lesson::StepPlace, lesson::Attempt>& attempts) {
  end_writing();
  note(attempts);
  end_writing();
}

}  // namespace tilescope::window
