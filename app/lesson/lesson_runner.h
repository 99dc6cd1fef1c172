#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/worker.h"
#include "lesson/answer.h"
#include "lesson/course.h"

namespace tilescope::lesson {

/// A step with every value filled in from its run.
struct Page {
  const Lesson* lesson = nullptr;
  size_t step = 0;
  Text text, prompt, hint, look, after;
  std::vector<Spans> choices;
  Diagnostics problems;  ///< Of what could not be evaluated; it reads "?".
};

/// How far the student is with a step's question.
struct Attempt {
  int wrong = 0;
  bool right = false, gave_up = false;
  bool judging = false;  ///< The last answer is being evaluated.
  Message message;       ///< To the last answer, or why there is none to show.
  SaidAnswer answer;     ///< The right one, once it was given or given up; empty of what was made so.
  /// What was answered, the last one last; of a task only the last: its settings, or the edited text.
  std::vector<SaidAnswer> given;
  std::string asked;  ///< The question, as Markdown with its values, as it was when it was answered.
  bool done() const { return right || gave_up; }
};

/// The right answer to the page's question in the page's language; empty of a task that was done.
std::string answer_words(const Attempt& attempt, const Page& page);
/// What was answered to it, in the page's language.
std::vector<std::string> given_words(const Attempt& attempt, const Page& page);

/// A step of a course, in whatever language.
struct StepPlace {
  std::string slug;  ///< Of the lesson.
  size_t step = 0;
  auto operator<=>(const StepPlace&) const = default;
};

/// A student's answer; of a task the scene as it is now.
using Answer = std::variant<std::string, size_t, Click, Scene>;

/// Lessons as a window needs them: pages are filled in and answers judged on a thread of its own, by running the
/// scenes. All methods belong to the window's thread; none waits.
class LessonRunner {
 public:
  /// `runs` must outlive it. `woken` is called from the worker when poll() has something. `seed`: of the random
  /// parameters; see sample_parameters().
  LessonRunner(Course course, run::RunCache& runs, uint64_t seed, std::function<void()> woken);

  const Course& course() const { return *course_; }
  /// The same lessons in another language: attempts stay. The open page is closed.
  void use_course(Course course);
  /// The lesson of that slug; null when there is none.
  const Lesson* find(const std::string& slug) const;

  /// Asks for a page; the same one again does nothing. A step beyond the last is the last.
  void open(const Lesson& lesson, size_t step);
  /// Takes over what the worker has finished; true when anything changed.
  bool poll() { return worker_.poll(); }
  /// Of the step that was opened last; null until it is filled in.
  const Page* page() const { return page_ ? &*page_ : nullptr; }
  /// The scene of a step with what was sampled for it; none when the lesson has none yet.
  std::optional<Scene> scene(const Lesson& lesson, size_t step) const;

  const Attempt& attempt(const Lesson& lesson, size_t step) const;
  /// How far the student is with each question that was answered or given up, by the lesson's slug and the step.
  const std::map<StepPlace, Attempt>& attempts() const { return attempts_; }
  /// Takes up attempts of an earlier sitting.
  void restore(std::map<StepPlace, Attempt> attempts) { attempts_ = std::move(attempts); }
  /// Judges an answer to the open page's question.
  void answer(Answer given);
  /// Shows the right answer and what comes after.
  void give_up();

 private:
  std::map<std::string, int64_t> sampled(const Lesson& lesson, size_t step) const;
  AnswerContext evidence_of(const Lesson& lesson, size_t step);
  void take(Page page);

  std::shared_ptr<const Course> course_;  ///< Jobs under way keep the one that they began with.
  uint64_t seed_;
  std::optional<StepPlace> open_;
  std::optional<Page> page_;
  std::map<StepPlace, Attempt> attempts_;
  std::shared_ptr<std::atomic<uint64_t>> newest_page_ = std::make_shared<std::atomic<uint64_t>>(0);
  Runs runs_;  ///< The worker's alone.
  Worker worker_;
};

}  // namespace tilescope::lesson
