#include <random>
#include <set>

#include <fmt/format.h>
#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "base/file.h"
#include "cli/commands.h"
#include "cli/console.h"
#include "cli/kernel_options.h"
#include "cli/option_checks.h"
#include "cli/text.h"
#include "lesson/course.h"
#include "lesson/grade.h"

namespace tilescope::cli {
namespace {

struct GradeOptions {
  std::string file;
  std::string lesson, entry;
  std::vector<std::string> include;
  double max_seconds = 60;
  uint64_t seed = std::random_device()();
  bool json = false;
};

std::string as_json(const lesson::Lesson& lesson, const lesson::Grade& grade, uint64_t seed) {
  nlohmann::ordered_json json{{"kernel", grade.kernel},   {"lesson", lesson.number},
                              {"passed", grade.passed()}, {"points", grade.points()},
                              {"of", grade.items.size()}, {"seed", seed},
                              {"launch", grade.launch},   {"items", nlohmann::ordered_json::array()}};
  for (const lesson::GradeItem& item : grade.items)
    json["items"].push_back({{"name", item.name}, {"passed", item.passed}, {"message", item.message}});
  return to_text(json);
}

std::string as_text(const lesson::Lesson& lesson, const lesson::Grade& grade, uint64_t seed, const Style& style) {
  std::string text = fmt::format("{}  lesson {}: {}\n\n", style.bold(grade.kernel), lesson.number, lesson.title);
  if (!grade.passed()) text.append(fmt::format("{}\n\n", wrapped(grade.launch, 96)));
  std::set<std::string> said;  // What fails at every size is said once.
  for (const lesson::GradeItem& item : grade.items) {
    text.append(fmt::format("{}  {}\n", item.passed ? style.good("passed") : style.bad("failed"), item.name));
    if (!item.message.empty())
      text.append(
          fmt::format("      {}\n", said.insert(item.message).second ? wrapped(item.message, 90, 6) : "as above"));
  }
  return text.append(fmt::format("\n{} of {}; --seed {} repeats this extra size and its inputs\n", grade.points(),
                                 grade.items.size(), seed));
}

void add_grade_options(CLI::App& command, GradeOptions& options) {
  command.add_option("file", options.file, "The student's .cu file")->required();
  command.add_option("--lesson", options.lesson, "The lesson whose rules apply: its number or name")->required();
  add_file_options(command, options.entry, options.include);
  command.add_option("--max-seconds", options.max_seconds, "Seconds that one run may take (default 60)")
      ->check(number_between(kLeastSeconds, kMostSeconds));
  command.add_option("--seed", options.seed, "Chooses the extra size and its inputs: a whole number")
      ->check(whole_number());
  command.add_flag("--json", options.json, "One JSON object instead of text");
  add_compiler_option(command);
}

/// Marks a student's kernel by a lesson's rules. 0: passed; 1: not passed; 2: cannot be marked.
int run_grade(const GradeOptions& options) {
  const kernel::Catalogue kernels = kernel::load_catalogue(data_folder() / "kernels");
  const lesson::Course course = lesson::load_course(data_folder() / "lessons", kernels);
  const Result<const lesson::Lesson*> found = lesson::find_lesson(course, options.lesson);
  if (!found) return fail(found.errors());
  const Result<kernel::Kernel> kernel =
      lesson::student_kernel(**found, options.file, {options.entry, {options.include.begin(), options.include.end()}});
  if (!kernel) return fail(kernel.errors());
  compile::Compiler compiler;
  ProgressLine line;
  run::Control control = control_for(line);
  if (options.max_seconds > 0) control.seconds = control.block_seconds = options.max_seconds;
  control.step_budget = 20'000'000;
  run::RunCache cache(compiler, control);
  lesson::Runs runs(cache);
  const lesson::Grade grade = lesson::grade_kernel(**found, *kernel, runs, options.seed);
  line.clear();
  if (interrupted()) return kInterrupted;
  return finish(
      options.json ? as_json(**found, grade, options.seed) : as_text(**found, grade, options.seed, terminal_style()),
      grade.passed() ? kFine : kFinding);
}

}  // namespace

void add_grade(CLI::App& app, Action& chosen) {
  add_command(app, chosen, "grade", "Mark a kernel by the rules of a lesson", add_grade_options, run_grade);
}

}  // namespace tilescope::cli
