#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
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
  std::vector<Text> choice_hints;  ///< Of each choice; empty where it has none of its own.
  Diagnostics problems;            ///< Values that could not be evaluated; they read "?".
};

/// How far the student is with a step's question.
struct Attempt {
  int wrong = 0;
  bool right = false, gave_up = false;
  bool judging = false;  ///< The last answer is being evaluated.
  Message message;       ///< The reply to the last answer, or why there is none.
  SaidAnswer answer;     ///< The right one, once answered or given up; empty for a task that was done.
  /// The given answers in order; of a task only the last: its settings, or the edited text.
  std::vector<SaidAnswer> given;
  std::string asked;    ///< The question as Markdown with its values at the time of the answer.
  bool mended = false;  ///< Missed, and right at once when it was asked again in another form.
  bool done() const { return right || gave_up; }
  bool missed() const { return done() && (wrong > 0 || gave_up); }
};

/// The right answer to the page's question in the page's language; empty for a task that was done.
std::string answer_words(const Attempt& attempt, const Page& page);
/// The given answer, in the page's language.
std::vector<std::string> given_words(const Attempt& attempt, const Page& page);

/// The hint after the attempt's last answer: that of the wrong choice, else the question's.
const Text& hint_of(const Attempt& attempt, const Page& page);

/// A step of a course, in any language.
struct StepPlace {
  std::string slug;  ///< Of the lesson.
  size_t step = 0;
  auto operator<=>(const StepPlace&) const = default;
};

/// Lessons for a window: pages are filled in and answers judged on a separate thread, by running the scenes. All
/// methods are called from the window's thread; none waits.
class LessonRunner {
 public:
  using Attempts = std::map<StepPlace, Attempt>;

  /// `runs` must outlive it. `woken` is called from the worker when poll() has something. `seed`: of the random
  /// parameters; see sample_parameters().
  LessonRunner(Course course, run::RunCache& runs, uint64_t seed, std::function<void()> woken);

  const Course& course() const { return *course_; }
  /// Switches to the lessons in another language: attempts are kept, the open page is closed.
  void use_course(Course course);
  /// The lesson of that slug, or null.
  const Lesson* find(const std::string& slug) const;

  /// Requests a page; the same one again does nothing. A step beyond the last is the last.
  void open(const Lesson& lesson, size_t step);
  /// Takes over results of the worker; true if anything changed.
  bool poll() { return worker_.poll(); }
  /// The page of the step opened last; null until it is filled in.
  const Page* page() const { return page_ ? &*page_ : nullptr; }
  /// The scene of a step with its sampled values, once its question is done the one that explains the answer; nullopt
  /// if the lesson has none yet.
  std::optional<Scene> scene(const Lesson& lesson, size_t step) const;

  const Attempt& attempt(const Lesson& lesson, size_t step) const;
  /// The student's progress with each question answered or given up, by the lesson's slug and the step.
  const Attempts& attempts() const { return attempts_; }
  /// While presenting, the questions are covered and answered anew for the class: attempt() and scene() are of this
  /// presentation, attempts() stays the student's. Each presentation begins covered.
  void present(bool on);
  bool presents() const { return presented_ != nullptr; }
  /// Covers the open page's answer again while presenting.
  void cover();
  /// Restores attempts of an earlier session.
  void restore(Attempts attempts) { attempts_ = std::move(attempts); }
  /// Judges an answer to the open page's question.
  void answer(Answer given);
  /// Shows the right answer and the text after it.
  void give_up();
  /// Asks a question once more in another form, as if for the first time: other random values, the choices in another
  /// order. Until another page is opened; the first attempt stays, and is mended by an answer that is right at once.
  void ask_again(const StepPlace& place);
  bool asks_again(const Lesson& lesson, size_t step) const { return again_of({lesson.slug, step}) != nullptr; }
  /// The step whose question was done since the last call, if its picture is to change with that.
  std::optional<StepPlace> take_revealed() { return std::exchange(revealed_, std::nullopt); }

 private:
  /// A question in its other form.
  struct Again {
    StepPlace place;
    uint64_t seed = 0;
    std::shared_ptr<const Lesson> lesson;  ///< With its choices in another order.
    Attempt attempt;
  };
  const Again* again_of(const StepPlace& place) const { return again_ && again_->place == place ? &*again_ : nullptr; }
  /// The lesson as the place's question is asked now.
  const Lesson* lesson_at(const StepPlace& place) const;
  Attempt& attempt_at(const StepPlace& place);

  /// Whose question is answered: it may be another one's by the time it is judged.
  struct Asking {
    StepPlace place;
    std::shared_ptr<const Lesson> again;  ///< What is asked again, where the attempt is at that.
    std::shared_ptr<Attempts> presented;  ///< Of the presentation in which it was asked.
  };
  Asking asking() const { return {*open_, again_ ? again_->lesson : nullptr, presented_}; }

  std::map<std::string, int64_t> sampled(const Lesson& lesson, size_t step) const;
  AnswerContext evidence_of(const Lesson& lesson, size_t step);
  void take(Page page);
  void take(const Asking& asked, const Attempt& attempt);

  std::shared_ptr<const Course> course_;  ///< Running jobs keep the one they began with.
  uint64_t seed_;
  std::optional<StepPlace> open_;
  std::optional<Page> page_;
  std::optional<StepPlace> revealed_;
  Attempts attempts_;
  std::shared_ptr<Attempts> presented_;  ///< Null: not presenting.
  std::optional<Again> again_;
  std::shared_ptr<std::atomic<uint64_t>> newest_page_ = std::make_shared<std::atomic<uint64_t>>(0);
  Runs runs_;  ///< The worker's alone.
  Worker worker_;
};

}  // namespace tilescope::lesson
