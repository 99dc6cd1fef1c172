#pragma once

#include <condition_variable>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <variant>
#include <vector>

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
  Message message;       ///< To the last answer.
  Message answer;        ///< The right one, once it was given or given up; empty of what was made so.
  bool done() const { return right || gave_up; }
};

/// A student's answer; of a task the scene as it is now.
using Answer = std::variant<std::string, size_t, Click, Scene>;

/// Lessons as a window needs them: pages are filled in and answers judged on a thread of its own, by running the
/// scenes. All methods belong to the window's thread; none waits.
class Desk {
 public:
  /// `kernels` and `compiler` must outlive it. `woken` is called from the worker when poll() has something. `seed`: of
  /// the random parameters; see draw().
  Desk(Course course, compile::Compiler& compiler, uint64_t seed, std::function<void()> woken);
  ~Desk();
  Desk(const Desk&) = delete;
  Desk& operator=(const Desk&) = delete;

  const Course& course() const { return *course_; }
  /// The same lessons in another language: attempts stay. The open page is closed.
  void use_course(Course course);
  /// The lesson of that slug; null when there is none.
  const Lesson* find(const std::string& slug) const;

  /// Asks for a page; the same one again does nothing. A step beyond the last is the last.
  void open(const Lesson& lesson, size_t step);
  /// Takes over what the worker has finished; true when anything changed.
  bool poll();
  /// Of the step that was opened last; null until it is filled in.
  const Page* page() const { return page_ ? &*page_ : nullptr; }
  /// The scene of a step with what was drawn for it; none when the lesson has none yet.
  std::optional<Scene> scene(const Lesson& lesson, size_t step) const;

  const Attempt& attempt(const Lesson& lesson, size_t step) const;
  /// Judges an answer to the open page's question.
  void answer(Answer given);
  /// Shows the right answer and what comes after.
  void give_up();

 private:
  struct Shared;
  struct Place {
    std::string slug;
    size_t step = 0;
    auto operator<=>(const Place&) const = default;
  };
  std::map<std::string, int64_t> drawn(const Lesson& lesson, size_t step) const;
  void ask(std::function<void()> job);
  static void work(const std::shared_ptr<Shared>& shared);

  std::shared_ptr<const Course> course_;  ///< Jobs under way keep the one that they began with.
  uint64_t seed_;
  std::optional<Place> open_;
  std::optional<Page> page_;
  mutable std::map<Place, Attempt> attempts_;
  std::shared_ptr<Shared> shared_;
  std::jthread worker_;
};

}  // namespace tilescope::lesson
