#include "lesson/lesson_runner.h"

#include <algorithm>
#include <atomic>

#include <fmt/ranges.h>

#include "lesson/sheet.h"

namespace tilescope::lesson {
namespace {

Page fill(const AnswerContext& context) {
  const Step& step = context.lesson->steps[context.step];
  Page page;
  page.lesson = context.lesson;
  page.step = context.step;
  const auto filled = [&](const Text& text) { return filled_in(text, context, page.problems); };
  page.text = filled(step.text);
  if (step.question) {
    page.prompt = filled(step.question->prompt);
    page.hint = filled(step.question->hint);
    page.look = filled(step.question->look);
    page.choices = filled_in_choices(context, page.problems);
    for (const Choice& choice : step.question->choices) page.choice_hints.push_back(filled(choice.hint));
  }
  page.after = filled(step.after);
  return page;
}

/// The given answer as the student sees it; a choice's text.
SaidAnswer said(const AnswerContext& context, const Answer& answer) {
  if (const auto* text = std::get_if<std::string>(&answer)) return {.words = *text};
  if (const auto* click = std::get_if<Click>(&answer)) return {.words = describe(*click), .click = *click};
  const Question& question = *context.lesson->steps[context.step].question;
  if (const auto* choice = std::get_if<size_t>(&answer)) {
    Diagnostics ignored;
    SaidAnswer chosen{.choices = {*choice}};
    chosen.words = words_of(chosen, question, filled_in_choices(context, ignored));
    return chosen;
  }
  const Scene& scene = std::get<Scene>(answer);
  if (question.edits_source) return {.words = scene.kernel->source};
  std::vector<std::string> settings;
  for (const auto& [name, value] : scene.settings) settings.push_back(fmt::format("{} = {}", name, value));
  return {.words = fmt::format("{}", fmt::join(settings, ", "))};
}

/// The right answer as shown: a number with its unit; empty for a task, which is on screen.
SaidAnswer right_of(const Attempt& attempt, const Answer& answer, const Verdict& verdict) {
  if (std::holds_alternative<std::string>(answer)) return verdict.answer;
  return std::holds_alternative<Scene>(answer) ? SaidAnswer() : attempt.given.back();
}

}  // namespace

std::string answer_words(const Attempt& attempt, const Page& page) {
  const Question& question = *page.lesson->steps[page.step].question;
  if (question.kind == QuestionKind::Task) return attempt.gave_up ? solution_of_task(question) : "";
  return words_of(attempt.answer, question, page.choices);
}

std::vector<std::string> given_words(const Attempt& attempt, const Page& page) {
  std::vector<std::string> words;
  for (const SaidAnswer& given : attempt.given)
    words.push_back(words_of(given, *page.lesson->steps[page.step].question, page.choices));
  return words;
}

const Text& hint_of(const Attempt& attempt, const Page& page) {
  if (attempt.given.empty() || attempt.given.back().choices.empty()) return page.hint;
  const size_t choice = attempt.given.back().choices.front();
  const bool has_own = choice < page.choice_hints.size() && !page.choice_hints[choice].empty();
  return has_own ? page.choice_hints[choice] : page.hint;
}

LessonRunner::LessonRunner(Course course, run::RunCache& runs, uint64_t seed, std::function<void()> woken)
    : course_(std::make_shared<const Course>(std::move(course))),
      seed_(seed),
      runs_(runs),
      worker_(std::move(woken), [this](const Message& why) {
        for (Attempts* const attempts : {&attempts_, presented_.get()})
          for (auto& [place, attempt] : attempts ? *attempts : Attempts())
            if (std::exchange(attempt.judging, false)) attempt.message = why;
      }) {}

void LessonRunner::use_course(Course course) {
  course_ = std::make_shared<const Course>(std::move(course));
  open_.reset();
  page_.reset();
  again_.reset();
}

const Lesson* LessonRunner::find(const std::string& slug) const {
  for (const Lesson& lesson : course_->lessons)
    if (lesson.slug == slug) return &lesson;
  return nullptr;
}

std::map<std::string, int64_t> LessonRunner::sampled(const Lesson& lesson, size_t step) const {
  const auto& question = lesson.steps[step].question;
  const Again* const again = again_of({lesson.slug, step});
  return question ? sample_parameters(*question, again ? again->seed : seed_) : std::map<std::string, int64_t>{};
}

const Lesson* LessonRunner::lesson_at(const StepPlace& place) const {
  const Again* const again = again_of(place);
  return again ? again->lesson.get() : find(place.slug);
}

Attempt& LessonRunner::attempt_at(const StepPlace& place) {
  if (again_of(place)) return again_->attempt;
  return presented_ ? (*presented_)[place] : attempts_[place];
}

void LessonRunner::present(bool on) {
  if (on == presents()) return;
  presented_ = on ? std::make_shared<Attempts>() : nullptr;
  if (!again_) return;
  again_.reset();
  open_.reset();
  page_.reset();
}

void LessonRunner::cover() {
  if (presented_ && open_) presented_->erase(*open_);
}

void LessonRunner::ask_again(const StepPlace& place) {
  const Lesson* const lesson = find(place.slug);
  if (!lesson || place.step >= lesson->steps.size() || !lesson->steps[place.step].question) return;
  const Question& question = *lesson->steps[place.step].question;
  // Other values than the first time, and than the last.
  const auto before = sampled(*lesson, place.step);
  uint64_t seed = (again_of(place) ? again_->seed : seed_) + 1;
  constexpr int kMostDraws = 64;
  for (int i = 0; i < kMostDraws && !before.empty() && sample_parameters(question, seed) == before; ++i) ++seed;
  auto other = std::make_shared<Lesson>(*lesson);
  shuffle_choices(*other, seed);
  again_ = {place, seed, std::move(other), {}};
  open_.reset();
  open(*lesson, place.step);
}

std::optional<Scene> LessonRunner::scene(const Lesson& lesson, size_t step) const {
  if (attempt(lesson, step).done())
    if (const std::optional<Scene> scene = revealed_scene(lesson, step))
      return with_parameters(*scene, sampled(lesson, step));
  const Scene* scene = scene_of(lesson, step);
  return scene ? std::optional(with_parameters(*scene, sampled(lesson, step))) : std::nullopt;
}

AnswerContext LessonRunner::evidence_of(const Lesson& lesson, size_t step) {
  return {&lesson, step, &runs_, sampled(lesson, step)};
}

void LessonRunner::open(const Lesson& lesson, size_t step) {
  if (lesson.steps.empty()) return;
  const StepPlace place{lesson.slug, std::min(step, lesson.steps.size() - 1)};
  if (open_ == place) return;
  open_ = place;
  page_.reset();
  if (!again_of(place)) again_.reset();
  const auto is_newest = [newest = newest_page_, number = ++*newest_page_] { return *newest == number; };
  worker_.append([this, is_newest, course = course_, again = again_ ? again_->lesson : nullptr,
                  context = evidence_of(*lesson_at(place), place.step)](const Worker::Turn& turn) {
    if (!is_newest()) return;
    runs_.set_cancel(&turn.cancel());
    // A run is a few megabytes: drop those of other pages.
    runs_.note_unused();
    Page page = fill(context);
    runs_.forget_unused();
    turn.deliver([this, page = std::move(page)] { take(page); });
  });
}

void LessonRunner::take(Page page) {
  if (open_ && page.lesson == lesson_at(*open_) && page.step == open_->step) page_ = std::move(page);
}

void LessonRunner::take(const Asking& asked, const Attempt& attempt) {
  const auto& [place, again, presented] = asked;
  if (again && (!again_of(place) || again_->lesson != again)) return;  // It is no longer asked.
  Attempts& attempts = presented ? *presented : attempts_;
  (again ? again_->attempt : attempts[place]) = attempt;
  if (again && attempt.right && attempt.wrong == 0) attempts[place].mended = true;
  const Lesson* const lesson = find(place.slug);
  if (attempt.done() && presented == presented_ && lesson && revealed_scene(*lesson, place.step)) revealed_ = place;
}

const Attempt& LessonRunner::attempt(const Lesson& lesson, size_t step) const {
  static const Attempt kNone;
  if (const Again* const again = again_of({lesson.slug, step})) return again->attempt;
  const Attempts& attempts = presented_ ? *presented_ : attempts_;
  const auto found = attempts.find({lesson.slug, step});
  return found == attempts.end() ? kNone : found->second;
}

void LessonRunner::answer(Answer given) {
  if (!page_ || !page_->lesson->steps[page_->step].question) return;
  Attempt& attempt = attempt_at(*open_);
  if (attempt.judging || attempt.done()) return;
  attempt.judging = true;
  attempt.asked = to_markdown(page_->prompt);
  worker_.append([this, course = course_, asked = asking(), context = evidence_of(*page_->lesson, page_->step), attempt,
                  given = std::move(given)](const Worker::Turn& turn) mutable {
    runs_.set_cancel(&turn.cancel());
    const Result<Verdict> verdict = judge(context, given);
    attempt.judging = false;
    attempt.right = verdict && verdict->right;
    attempt.message = verdict ? verdict->failing : sentence_of(verdict.errors().front());
    if (verdict && std::holds_alternative<Scene>(given)) attempt.given.clear();
    if (verdict) attempt.given.push_back(said(context, given));
    if (verdict && !verdict->right) ++attempt.wrong;
    if (attempt.right) attempt.answer = right_of(attempt, given, *verdict);
    turn.deliver([this, asked, attempt] { take(asked, attempt); });
  });
}

void LessonRunner::give_up() {
  if (!page_ || !page_->lesson->steps[page_->step].question) return;
  Attempt& open = attempt_at(*open_);
  if (open.done()) return;
  open.asked = to_markdown(page_->prompt);
  worker_.append([this, course = course_, asked = asking(), context = evidence_of(*page_->lesson, page_->step),
                  attempt = open](const Worker::Turn& turn) mutable {
    runs_.set_cancel(&turn.cancel());
    const Result<SaidAnswer> answer = solve(context);
    attempt.gave_up = true;
    attempt.judging = false;
    attempt.message = answer ? Message() : sentence_of(answer.errors().front());
    if (answer) attempt.answer = *answer;
    turn.deliver([this, asked, attempt] { take(asked, attempt); });
  });
}

}  // namespace tilescope::lesson
