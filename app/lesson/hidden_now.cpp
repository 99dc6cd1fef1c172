#include "lesson/hidden_now.h"

#include <string_view>

#include "lesson/expression.h"
#include "lesson/run_fields.h"

namespace tilescope::lesson {
namespace {
using session::Fact;
using session::HiddenFacts;
using Path = std::vector<std::string>;

constexpr int kWrongBeforeLook = 2;

/// `step`: of the question, from 1; 0 of the open step's own.
void add(HiddenFacts& hidden, const HiddenFacts& more, int step = 0) {
  for (const Fact fact : session::kAllFacts)
    if (more.has(fact)) hidden.add(fact, step);
}

void remove(HiddenFacts& hidden, const HiddenFacts& shown) {
  for (const Fact fact : session::kAllFacts)
    if (shown.has(fact)) hidden.remove(fact);
}

/// A name of a run that a formula speaks of.
struct RunName {
  const Scene* scene = nullptr;  ///< The run's where it is named, else null: that of the step.
  std::string_view name, member;
};

RunName run_name(const Lesson& lesson, const Path& path) {
  const Scene* const scene = path.size() > 1 ? find_scene(lesson, path[0]) : nullptr;
  const size_t first = scene ? 1 : 0;
  return {scene, path[first], first + 1 < path.size() ? std::string_view(path[first + 1]) : ""};
}

bool is_recorded(const RunName& name) { return name.name == "recorded" || name.name == "published"; }

/// Calls `visit` for each name in the question's formulas.
template <class Visit>
void for_each_name(const Lesson& lesson, const Question& question, Visit visit) {
  const auto visit_formula = [&](const Formula& formula) {
    const Result<Expression> expression = Expression::parse(formula.text);
    if (!expression) return;  // Reported where it is evaluated.
    for (const Path& path : expression->paths()) visit(run_name(lesson, path));
  };
  if (!question.answer.empty()) visit_formula(question.answer);
  for (const Choice& choice : question.choices) visit_formula(choice.when);
}

/// The scene's parameters, those that it does not set included.
kernel::Settings all_settings(const Scene& scene) {
  kernel::Settings settings = scene.settings;
  for (const kernel::Parameter& parameter : scene.kernel->description.parameters)
    settings.emplace(parameter.name, std::to_string(parameter.default_value));
  return settings;
}

/// What the scene in view and the scene of a question have in common, and so what a picture of one reveals about the
/// other.
class Likeness {
 public:
  Likeness(const Scene& shown, const Scene& asked)
      : same_kernel_(shown.kernel->name == asked.kernel->name),
        same_program_(same_kernel_ && all_settings(shown) == all_settings(asked)),
        same_run_(same_program_ && shown.size == asked.size && shown.arch == asked.arch),
        same_request_(same_program_ && shown.cursor.anchor == asked.cursor.anchor) {}

  /// What it reveals about a name in the question's formulas.
  HiddenFacts shows(const RunName& name) const {
    if (name.name == "ptx") return {};  // Only the PTX shows it, which is program text.
    const HiddenFacts about = told_by(name.name, name.member);
    HiddenFacts shown;
    if (about.has(Fact::Counts) && same_kernel_) shown.add(Fact::Totals);
    if (about.has(Fact::Counts) && same_request_ && name.name == "at") shown.add(Fact::Counts);
    if (about.has(Fact::Totals) && same_program_) shown.add(Fact::Totals);
    if (about.has(Fact::Accesses) && same_run_) shown.add(Fact::Accesses);
    if (about.has(Fact::Resources) && same_program_) shown.add(Fact::Resources);
    if (about.has(Fact::Findings) && same_run_) shown.add(Fact::Findings);
    // The plots show what was recorded of all kernels.
    if (about.has(Fact::Speed) && (is_recorded(name) || same_program_)) shown.add(Fact::Speed);
    return shown;
  }
  bool same_run() const { return same_run_; }

 private:
  bool same_kernel_, same_program_, same_run_, same_request_;
};

/// Whether the question is about what one request costs, which the strip shows.
bool asks_for_request(const Lesson& lesson, const Question& question) {
  bool asks = false;
  for_each_name(lesson, question, [&](const RunName& name) {
    asks = asks || (name.name == "at" && told_by(name.name, name.member).has(Fact::Counts));
  });
  return asks;
}

HiddenFacts told_by_scene(const Lesson& lesson, const Scene& shown, size_t later) {
  HiddenFacts hidden;
  const Question& question = *lesson.steps[later].question;
  const Scene* const asked = scene_of(lesson, later);
  if (question.kind == QuestionKind::Task || !asked) return hidden;
  const Likeness likeness(shown, *asked);
  for_each_name(lesson, question, [&](const RunName& name) {
    // The question is about the step's own run; others are for comparison.
    const bool own = !name.scene || Likeness(*name.scene, *asked).same_run();
    if (own || is_recorded(name)) add(hidden, likeness.shows(name));
  });
  return hidden;
}

}  // namespace

HiddenFacts hidden_by(const Lesson& lesson, const Question& question) {
  HiddenFacts hidden;
  if (question.kind == QuestionKind::Task) return hidden;
  for_each_name(lesson, question, [&](const RunName& name) { add(hidden, told_by(name.name, name.member)); });
  if (question.kind == QuestionKind::Click && question.target == ClickTarget::Line) hidden.add(Fact::Defect);
  return hidden;
}

HiddenFacts hidden_now(const Lesson& lesson, size_t step, const AttemptAt& attempt_at) {
  const std::optional<Question>& question = lesson.steps[step].question;
  const Scene* const shown = scene_of(lesson, step);
  HiddenFacts hidden;
  if (!shown || (question && question->kind == QuestionKind::Task)) return hidden;
  for (size_t later = step + 1; later < lesson.steps.size(); ++later)
    if (lesson.steps[later].question && !attempt_at(later).done())
      add(hidden, told_by_scene(lesson, *shown, later), static_cast<int>(later) + 1);
  if (!question) return hidden;
  const HiddenFacts own = hidden_by(lesson, *question);
  const Attempt& attempt = attempt_at(step);
  // The picture shows why the answer is right; its number is in the text.
  HiddenFacts explaining = own;
  if (!asks_for_request(lesson, *question)) explaining.remove(Fact::Counts);
  explaining.remove(Fact::Totals);
  explaining.remove(Fact::Speed);
  // What the answer reveals is not attributed to a later step. After two wrong answers the student must be able to see
  // the place to look at, and no more than the right answer shows.
  remove(hidden, explaining);
  if (!attempt.done() && attempt.wrong < kWrongBeforeLook) add(hidden, own);
  return hidden;
}

}  // namespace tilescope::lesson
