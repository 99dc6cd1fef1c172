#include "lesson/hidden_facts.h"

#include <array>
#include <string_view>

#include "lesson/expression.h"
#include "lesson/run_fields.h"

namespace tilescope::lesson {
namespace {
using session::HiddenFacts;
using Path = std::vector<std::string>;

constexpr int kWrongBeforeLook = 2;

struct Fact {
  bool HiddenFacts::*covered;
  int HiddenFacts::Steps::*step;
};
using Steps = HiddenFacts::Steps;
constexpr std::array kFacts{
    Fact{&HiddenFacts::counts, &Steps::counts},     Fact{&HiddenFacts::totals, &Steps::totals},
    Fact{&HiddenFacts::accesses, &Steps::accesses}, Fact{&HiddenFacts::resources, &Steps::resources},
    Fact{&HiddenFacts::speed, &Steps::speed},       Fact{&HiddenFacts::findings, &Steps::findings},
    Fact{&HiddenFacts::defect, &Steps::defect},
};

/// `step`: of the question, from 1; 0 of the open step's own. What is covered already stays with the question that
/// covers it.
void add(HiddenFacts& hidden, const HiddenFacts& other, int step = 0) {
  for (const Fact& fact : kFacts) {
    if (!(other.*fact.covered) || hidden.*fact.covered) continue;
    hidden.*fact.covered = true;
    hidden.asked_in.*fact.step = step;
  }
}

void remove(HiddenFacts& hidden, const HiddenFacts& shown) {
  for (const Fact& fact : kFacts) {
    if (!(shown.*fact.covered)) continue;
    hidden.*fact.covered = false;
    hidden.asked_in.*fact.step = 0;
  }
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

/// What a picture of `shown` reveals of a question about `asked`.
class Telling {
 public:
  Telling(const Scene& shown, const Scene& asked)
      : same_kernel_(shown.kernel->name == asked.kernel->name),
        same_program_(same_kernel_ && all_settings(shown) == all_settings(asked)),
        same_run_(same_program_ && shown.size == asked.size && shown.arch == asked.arch),
        same_request_(same_program_ && shown.cursor.anchor == asked.cursor.anchor) {}

  /// Of one name in its formulas.
  HiddenFacts of(const RunName& name) const {
    HiddenFacts told = told_by(name.name, name.member);
    const bool is_recorded = name.name == "recorded" || name.name == "published";
    // Only the PTX shows it, which is program text.
    if (name.name == "ptx") return {};
    told.totals = told.counts && same_kernel_;
    told.counts = told.counts && same_request_ && name.name == "at";
    told.accesses = told.accesses && same_run_;
    told.resources = told.resources && same_program_;
    told.findings = told.findings && same_run_;
    // The plots show what was recorded of all kernels.
    told.speed = told.speed && (is_recorded || same_program_);
    return told;
  }
  bool same_run() const { return same_run_; }

 private:
  bool same_kernel_, same_program_, same_run_, same_request_;
};

/// Whether the question is about what one request costs, which the strip shows.
bool asks_for_request(const Lesson& lesson, const Question& question) {
  bool asks = false;
  for_each_name(lesson, question, [&](const RunName& name) {
    asks = asks || (name.name == "at" && told_by(name.name, name.member).counts);
  });
  return asks;
}

HiddenFacts told_by_scene(const Lesson& lesson, const Scene& shown, size_t later) {
  HiddenFacts hidden;
  const Question& question = *lesson.steps[later].question;
  const Scene* const asked = scene_of(lesson, later);
  if (question.kind == QuestionKind::Task || !asked) return hidden;
  const Telling telling(shown, *asked);
  for_each_name(lesson, question, [&](const RunName& name) {
    // The question is about the step's own run; others are for comparison.
    const bool own = !name.scene || Telling(*name.scene, *asked).same_run();
    if (own || name.name == "recorded" || name.name == "published") add(hidden, telling.of(name));
  });
  return hidden;
}

}  // namespace

HiddenFacts hidden_by(const Lesson& lesson, const Question& question) {
  HiddenFacts hidden;
  if (question.kind == QuestionKind::Task) return hidden;
  for_each_name(lesson, question, [&](const RunName& name) { add(hidden, told_by(name.name, name.member)); });
  hidden.defect = question.kind == QuestionKind::Click && question.target == ClickTarget::Line;
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
  explaining.counts = asks_for_request(lesson, *question);
  explaining.totals = explaining.speed = false;
  if (attempt.done()) {
    remove(hidden, explaining);
  } else if (attempt.wrong < kWrongBeforeLook) {
    // What the answer reveals is not attributed to a later step.
    remove(hidden, explaining);
    add(hidden, own);
  } else {
    // The student must be able to see the place to look at.
    HiddenFacts seen = own;
    seen.totals = own.counts;
    remove(hidden, seen);
  }
  return hidden;
}

}  // namespace tilescope::lesson
