#include "lesson/desk.h"

#include <algorithm>
#include <deque>

namespace tilescope::lesson {
namespace {

Page fill(const Evidence& evidence) {
  const Step& step = evidence.lesson->steps[evidence.step];
  Page page{evidence.lesson, evidence.step, {}, {}, {}, {}, {}, {}, {}};
  const auto filled = [&](const Text& text) { return filled_in(text, evidence, page.problems); };
  page.text = filled(step.text);
  if (step.question) {
    page.prompt = filled(step.question->prompt);
    page.hint = filled(step.question->hint);
    page.look = filled(step.question->look);
    for (const Choice& choice : step.question->choices)
      page.choices.push_back(filled_in(choice.text, evidence, page.problems));
  }
  page.after = filled(step.after);
  return page;
}

Result<Verdict> judged(const Evidence& evidence, const Answer& answer) {
  if (const auto* scene = std::get_if<Scene>(&answer)) {
    const auto run = evidence.runs->run(*scene);
    if (!run) return run.errors();
    return judge(evidence, run->get());
  }
  if (const auto* text = std::get_if<std::string>(&answer)) return judge(evidence, *text);
  if (const auto* choice = std::get_if<size_t>(&answer)) return judge(evidence, *choice);
  return judge(evidence, std::get<Click>(answer));
}

/// What was answered right; of a task nothing, it is on screen.
std::string words_of(const Evidence& evidence, const Answer& answer, const Verdict& verdict) {
  if (std::holds_alternative<std::string>(answer)) return verdict.answer;
  if (const auto* click = std::get_if<Click>(&answer)) return describe(*click);
  const auto* choice = std::get_if<size_t>(&answer);
  Diagnostics ignored;
  return choice ? plain_text(filled_in(evidence.lesson->steps[evidence.step].question->choices[*choice].text, evidence,
                                       ignored))
                : "";
}

}  // namespace

/// What the window's thread and the worker share.
struct Desk::Shared {
  Shared(compile::Compiler& compiler, std::function<void()> wake)
      : runs(compiler, control_of(cancel)), woken(std::move(wake)) {}
  static session::Control control_of(const std::atomic<bool>& cancel) {
    session::Control control;
    control.cancel = &cancel;
    return control;
  }

  std::atomic<bool> cancel = false;
  Runs runs;  ///< The worker's alone.
  std::function<void()> woken;
  std::mutex mutex;
  std::condition_variable changed;
  bool ends = false;
  std::deque<std::function<void()>> jobs;
  std::optional<Page> page;
  std::vector<std::pair<Place, Attempt>> attempts;
};

Desk::Desk(Course course, compile::Compiler& compiler, uint64_t seed, std::function<void()> woken)
    : course_(std::make_shared<const Course>(std::move(course))),
      seed_(seed),
      shared_(std::make_shared<Shared>(compiler, std::move(woken))) {
  worker_ = std::jthread([shared = shared_] { work(shared); });
}

Desk::~Desk() {
  const std::lock_guard lock(shared_->mutex);
  shared_->ends = true;
  shared_->cancel = true;
  shared_->changed.notify_all();
}

void Desk::work(const std::shared_ptr<Shared>& shared) {
  for (;;) {
    std::function<void()> job;
    {
      std::unique_lock lock(shared->mutex);
      shared->changed.wait(lock, [&] { return shared->ends || !shared->jobs.empty(); });
      if (shared->ends) return;
      job = std::move(shared->jobs.front());
      shared->jobs.pop_front();
    }
    job();
    shared->woken();
  }
}

void Desk::ask(std::function<void()> job) {
  const std::lock_guard lock(shared_->mutex);
  shared_->jobs.push_back(std::move(job));
  shared_->changed.notify_all();
}

void Desk::use_course(Course course) {
  course_ = std::make_shared<const Course>(std::move(course));
  open_.reset();
  page_.reset();
}

const Lesson* Desk::find(const std::string& slug) const {
  for (const Lesson& lesson : course_->lessons)
    if (lesson.slug == slug) return &lesson;
  return nullptr;
}

std::map<std::string, int64_t> Desk::drawn(const Lesson& lesson, size_t step) const {
  const auto& question = lesson.steps[step].question;
  return question ? draw(*question, seed_) : std::map<std::string, int64_t>{};
}

std::optional<Scene> Desk::scene(const Lesson& lesson, size_t step) const {
  const Scene* scene = scene_of(lesson, step);
  return scene ? std::optional(with_drawn(*scene, drawn(lesson, step))) : std::nullopt;
}

void Desk::open(const Lesson& lesson, size_t step) {
  if (lesson.steps.empty()) return;
  const Place place{lesson.slug, std::min(step, lesson.steps.size() - 1)};
  if (open_ == place) return;
  open_ = place;
  page_.reset();
  ask([shared = shared_, course = course_,
       evidence = Evidence{&lesson, place.step, &shared_->runs, drawn(lesson, place.step)}] {
    // A run is a few megabytes: those of other pages go.
    shared->runs.note_unused();
    Page page = fill(evidence);
    shared->runs.forget_unused();
    const std::lock_guard lock(shared->mutex);
    shared->page = std::move(page);
  });
}

bool Desk::poll() {
  const std::lock_guard lock(shared_->mutex);
  const bool changed = shared_->page || !shared_->attempts.empty();
  if (shared_->page && open_ && shared_->page->lesson == find(open_->slug) && shared_->page->step == open_->step)
    page_ = std::move(shared_->page);
  shared_->page.reset();
  for (auto& [place, attempt] : shared_->attempts) attempts_[place] = std::move(attempt);
  shared_->attempts.clear();
  return changed;
}

const Attempt& Desk::attempt(const Lesson& lesson, size_t step) const { return attempts_[{lesson.slug, step}]; }

void Desk::answer(Answer given) {
  if (!page_ || !page_->lesson->steps[page_->step].question) return;
  const Place place = *open_;
  Attempt& attempt = attempts_[place];
  if (attempt.judging || attempt.done()) return;
  attempt.judging = true;
  const Evidence evidence{page_->lesson, page_->step, &shared_->runs, drawn(*page_->lesson, page_->step)};
  ask([shared = shared_, course = course_, place, evidence, attempt, given = std::move(given)]() mutable {
    const Result<Verdict> verdict = judged(evidence, given);
    attempt.judging = false;
    attempt.right = verdict && verdict->right;
    attempt.message = verdict ? Message() : sentence_of(verdict.errors().front());
    if (verdict && !verdict->right) ++attempt.wrong;
    if (attempt.right) attempt.answer = words_of(evidence, given, *verdict);
    const std::lock_guard lock(shared->mutex);
    shared->attempts.emplace_back(place, std::move(attempt));
  });
}

void Desk::give_up() {
  if (!page_ || !page_->lesson->steps[page_->step].question) return;
  const Place place = *open_;
  const Evidence evidence{page_->lesson, page_->step, &shared_->runs, drawn(*page_->lesson, page_->step)};
  ask([shared = shared_, course = course_, place, evidence, attempt = attempts_[place]]() mutable {
    const Result<std::string> answer = right_answer(evidence);
    attempt.gave_up = true;
    attempt.judging = false;
    attempt.answer = answer ? Message(*answer) : sentence_of(answer.errors().front());
    const std::lock_guard lock(shared->mutex);
    shared->attempts.emplace_back(place, std::move(attempt));
  });
}

}  // namespace tilescope::lesson
