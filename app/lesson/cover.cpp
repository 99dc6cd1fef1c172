#include "lesson/cover.h"

#include <map>
#include <string_view>

#include "lesson/expression.h"

namespace tilescope::lesson {
namespace {
using session::Cover;
using Path = std::vector<std::string>;

constexpr int kWrongBeforeLook = 2;

constexpr Cover kCounts{.counts = true}, kAccesses{.accesses = true}, kResources{.resources = true},
    kSpeed{.speed = true}, kFindings{.findings = true};

/// What a name of a run tells; scope.cpp has the names. Those that are missing stand in no picture.
const std::map<std::string_view, Cover>& names_of_runs() {
  static const std::map<std::string_view, Cover> names{
      {"global_load", kCounts},
      {"global_store", kCounts},
      {"local_load", kCounts},
      {"local_store", kCounts},
      {"shared_load", kCounts},
      {"shared_store", kCounts},
      {"shared_load_as_written", kCounts},
      {"shared_store_as_written", kCounts},
      {"fma", kCounts},
      {"instructions", kCounts},
      {"thread_instructions", kCounts},
      {"instructions_per_fma", kCounts},
      {"lanes_per_instruction", kCounts},
      {"divergent_branches", kCounts},
      {"barriers", kCounts},
      {"bank_conflicts", kCounts},
      {"words_per_output", kCounts},
      {"fma_per_shared_word", kCounts},
      {"ptx", kCounts},
      // The stage shows the blocks of the grid where they lie in C.
      {"blocks", {.accesses = true, .resources = true}},
      {"grid", {.accesses = true, .resources = true}},
      {"threads", kResources},
      {"warps", kResources},
      {"total_threads", kResources},
      {"total_warps", kResources},
      {"shared_bytes", kResources},
      {"registers", kResources},
      {"spill_bytes", kResources},
      {"occupancy", kResources},
      {"blocks_per_sm", kResources},
      {"warps_per_sm", kResources},
      {"limiter", kResources},
      {"blocks_by", kResources},
      {"bound", kSpeed},
      {"recorded", kSpeed},
      {"published", kSpeed},
      {"findings", kFindings},
      {"clean", kFindings},
      {"correct", kFindings},
      {"wrong_elements", kFindings},
      {"stopped", kFindings},
  };
  return names;
}

/// Of at("load A"): `member` is what is asked of the request.
Cover cover_of_request(std::string_view member) {
  if (member == "lane") return kAccesses;
  if (member == "lanes" || member == "distinct_addresses") return {.counts = true, .accesses = true};
  return kCounts;
}

Cover cover_of_path(const Lesson& lesson, const Path& path) {
  const size_t first = path.size() > 1 && find_scene(lesson, path[0]) ? 1 : 0;
  const std::string& name = path[first];
  const std::string_view member = first + 1 < path.size() ? std::string_view(path[first + 1]) : "";
  if (name == "at") return cover_of_request(member);
  if (name == "line") return member == "number" ? Cover{} : kCounts;
  const auto known = names_of_runs().find(name);
  return known == names_of_runs().end() ? Cover{} : known->second;
}

void add(Cover& cover, const Cover& other) {
  cover.counts |= other.counts;
  cover.accesses |= other.accesses;
  cover.resources |= other.resources;
  cover.speed |= other.speed;
  cover.findings |= other.findings;
}

void add_formula(Cover& cover, const Lesson& lesson, const Formula& formula) {
  const Result<Expression> expression = Expression::parse(formula.text);
  if (!expression) return;  // Reported where it is evaluated.
  for (const Path& path : expression->paths()) add(cover, cover_of_path(lesson, path));
}

}  // namespace

Cover cover_of(const Lesson& lesson, const Question& question) {
  Cover cover;
  if (question.kind == QuestionKind::Task) return cover;
  if (!question.answer.empty()) add_formula(cover, lesson, question.answer);
  for (const Choice& choice : question.choices) add_formula(cover, lesson, choice.when);
  return cover;
}

Cover cover_now(const Lesson& lesson, size_t step, const Attempt& attempt) {
  const std::optional<Question>& question = lesson.steps[step].question;
  if (!question || attempt.done() || attempt.wrong >= kWrongBeforeLook) return {};
  return cover_of(lesson, *question);
}

}  // namespace tilescope::lesson
