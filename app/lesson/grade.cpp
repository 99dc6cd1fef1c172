#include "lesson/grade.h"

#include <algorithm>
#include <iterator>
#include <numeric>
#include <random>
#include <set>
#include <span>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/words.h"
#include "kernel/declaration.h"
#include "kernel/model.h"
#include "lesson/expression.h"
#include "lesson/run_fields.h"
#include "run/inputs.h"
#include "source/program.h"
#include "source/tokens.h"
#include "wording/finding.h"
#include "wording/stop.h"

namespace tilescope::lesson {
namespace {

/// "128" where all are equal, else "M=128 N=64".
std::string size_words(const kernel::Description& description, const kernel::Size& size) {
  if (size.m == size.n && size.n == size.k) return fmt::format("{}", size.m);
  return kernel::size_text(kernel::used_extents(description), size);
}

std::string first_message(const Diagnostics& problems) {
  const auto worst =
      std::find_if(problems.begin(), problems.end(), [](const Diagnostic& d) { return d.severity == Severity::Error; });
  const Diagnostic& problem = worst == problems.end() ? problems.front() : *worst;
  return problem.at.line > 0 ? fmt::format("line {}: {}", problem.at.line, text_of(problem)) : text_of(problem);
}

GradeItem judge_result(const run::Report& report, const std::string& size) {
  GradeItem item{fmt::format("right at {}", size), report.verified && report.verified->wrong == 0, ""};
  if (!report.verified)
    item.message =
        report.stopped ? wording::stop_text(*report.stopped, wording::Advice::Grade) : wording::unverified_text(report);
  else if (const auto& wrong = report.verified->first_wrong)
    item.message = fmt::format(
        "{} elements are wrong; the first is {}: {} instead of {:.6g}.", report.verified->wrong, name_of(*wrong),
        wrong->written ? fmt::format("{:.6g}", wrong->got) : "no thread wrote it", wrong->expected);
  return item;
}

GradeItem judge_findings(const run::Report& report, const std::string& size) {
  GradeItem item{fmt::format("clean at {}", size), report.findings.empty() && !report.stopped, ""};
  if (report.stopped) item.message = wording::stop_text(*report.stopped, wording::Advice::Grade);
  if (!report.findings.empty())
    item.message =
        fmt::format("{}: {}", to_string(report.findings.front().checker), wording::sentence(report.findings.front()));
  return item;
}

/// A kernel with a wrong result gets no marks for the rest: an empty kernel is clean and spills nothing.
void demand(GradeItem& item, bool right) {
  if (right) return;
  if (item.passed) item.message = "Not marked, because the result is wrong.";
  item.passed = false;
}

/// The counts say what a kernel reads and writes only if it does so by loads and stores, and leaves its inputs alone.
GradeItem judge_means(const SceneRun& run, bool may_be_atomic, const std::string& size) {
  GradeItem item{fmt::format("loads and stores at {}", size), false, ""};
  const analysis::PcCounts& memory = run.report().counts.memory;
  uint64_t atomics = memory.global_atomic.requests + memory.shared_atomic.requests;
  for (const kernel::ArrayShape& array : run.traced->prepared->configuration.arrays) {
    const auto found = run.arrays.find(array.name);
    const bool is_result = array.space == Space::Global && array.role != kernel::Role::Input;
    if (may_be_atomic && is_result && found != run.arrays.end()) atomics -= found->second.global_atomic.requests;
  }
  if (atomics > 0)
    item.message = "The kernel uses atomic instructions; use loads and stores, which are what is counted here.";
  for (const kernel::ArrayShape& array : run.traced->prepared->configuration.arrays) {
    const auto found = run.arrays.find(array.name);
    if (found == run.arrays.end() || array.role != kernel::Role::Input || array.space != Space::Global) continue;
    if (found->second.global_store.requests > 0)
      item.message = fmt::format("The kernel writes to {}, which is an input.", array.name);
  }
  item.passed = item.message.empty();
  return item;
}

/// The scene with these numbers added to the elements of its inputs.
Scene with_added(Scene scene, const kernel::Settings& added) {
  kernel::Kernel kernel = *scene.kernel;
  const Result<kernel::Configuration> launch = kernel::configure(kernel.description, scene.settings, scene.size);
  for (size_t i = 0; launch && i < launch->arrays.size(); ++i) {
    const kernel::ArrayShape& array = launch->arrays[i];
    const auto found = added.find(array.name);
    if (found == added.end()) continue;
    kernel::ArrayContent content{std::string(array.bytes, '\0')};
    const auto bytes = std::as_writable_bytes(std::span(content.bytes));
    run::fill_array(scene.seed.value_or(run::Request{}.seed), array, bytes.data());
    run::for_each_element(array, [&](uint64_t, uint64_t at) {
      std::byte* const element = &bytes[at * size_of(array.element)];
      run::put_scalar(element, array.element, run::number_at(element, array.element) + std::stod(found->second));
    });
    kernel.description.arrays[i].content = std::make_shared<const kernel::ArrayContent>(std::move(content));
    kernel.description.text += fmt::format("\n# {} + {}", array.name, found->second);  // Another run than without.
  }
  scene.kernel = std::make_shared<const kernel::Kernel>(std::move(kernel));
  return scene;
}

/// Empty where the requirement holds of a run with these values, else why it does not.
std::string failing_of(const Requirement& requirement, const std::shared_ptr<const Object>& run) {
  const Result<Expression> expression = Expression::parse(requirement.holds.text);
  if (!expression) return first_message(expression.errors());
  const Result<Value> value = expression->evaluate([&](const std::string& name) -> Result<Value> {
    const auto found = run->fields.find(name);
    if (found != run->fields.end()) return found->second;
    return error(fmt::format("There is no {}.", name));
  });
  if (!value) return first_message(value.errors());
  const bool holds = value->number() && *value->number() != 0;
  return holds ? "" : requirement.message.empty() ? requirement.holds.text : requirement.message;
}

/// The names of the macros that the file does not have.
std::vector<std::string> unused_macros(const kernel::Kernel& kernel, const kernel::Configuration& launch) {
  std::set<std::string, std::less<>> words;
  const auto add_words = [&](const std::string& text) {
    for (const source::Token& token : source::tokenize(text)) words.emplace(source::text_of(text, token));
  };
  add_words(kernel.source);
  for (const source::File& header : kernel.headers) add_words(header.text);
  std::vector<std::string> unused;
  for (const auto& [name, value] : launch.parameters)
    if (kernel.description.parameter(name)->option.empty() && !words.contains(name)) unused.push_back(name);
  return unused;
}

/// Multiples of a lesson's sizes, or any size where one of them is no multiple of kFineTile.
constexpr int64_t kFineTile = 8;
int64_t drawn_extent(const std::vector<kernel::Size>& sizes, int64_t kernel::Size::*extent, bool any_size,
                     std::mt19937_64& engine) {
  if (any_size) return 33 + static_cast<int64_t>(engine() % 64);
  int64_t step = 0;
  for (const kernel::Size& size : sizes) step = std::gcd(step, size.*extent);
  return step * static_cast<int64_t>(1 + engine() % 3);
}

}  // namespace

bool Grade::passed() const { return points() == items.size(); }

size_t Grade::points() const {
  return static_cast<size_t>(
      std::count_if(items.begin(), items.end(), [](const GradeItem& item) { return item.passed; }));
}

Result<kernel::Kernel> student_kernel(const Lesson& lesson, const std::filesystem::path& file,
                                      const kernel::OpenWith& with) {
  if (!lesson.grade) return error(fmt::format("Lesson {} has no kernel to hand in.", lesson.number));
  Result<kernel::Kernel> kernel = kernel::open_like(file, *lesson.grade->like, with);
  if (!kernel) return kernel;
  // In the folder of a class the other files are the others' work. A kernel in an included file is opened from there.
  std::vector<std::pair<std::filesystem::path, std::string>> included;
  if (kernel->file != file)
    included.emplace_back(kernel->file, kernel->file.lexically_relative(file.parent_path()).string());
  for (const source::File& header : kernel->headers) included.emplace_back(header.path, header.name);
  for (const auto& [path, name] : included)
    if (path.extension() == ".cu" || path.extension() == ".cpp" || source::leads_up(name))
      return error_at(
          {file.string()},
          Message("{} includes {}. Only headers (.h, .cuh) in its own folder may be included: other files may be "
                  "another student's work.",
                  file.filename().string(), name));
  return kernel;
}

kernel::Size drawn_size(const GradeRules& rules, uint64_t seed) {
  const bool any_size = std::any_of(rules.sizes.begin(), rules.sizes.end(), [](const kernel::Size& size) {
    return size.m % kFineTile != 0 || size.n % kFineTile != 0 || size.k % kFineTile != 0;
  });
  std::mt19937_64 engine(seed);
  kernel::Size size;
  do {
    size = {drawn_extent(rules.sizes, &kernel::Size::m, any_size, engine),
            drawn_extent(rules.sizes, &kernel::Size::n, any_size, engine),
            drawn_extent(rules.sizes, &kernel::Size::k, any_size, engine)};
  } while (std::find(rules.sizes.begin(), rules.sizes.end(), size) != rules.sizes.end());
  return size;
}

std::string launch_text(const GradeRules& rules, const kernel::Kernel& kernel) {
  const kernel::Description& description = kernel.description;
  const std::string name = description.entry.empty()  // Then it is the file's only one.
                               ? source::read_program(kernel.source, kernel.headers).kernels.front().name
                               : description.entry;
  std::string text = tr_format("It is called as `{}`.", kernel::declaration(description, name));
  const kernel::Size& size = rules.sizes.front();
  const Result<kernel::Configuration> launch = kernel::configure(description, rules.settings, size);
  if (!launch) return text;
  if (!launch->macros.empty())
    text += " " + tr_format("The compiler is given the macros {}.", fmt::join(launch->macros, ", "));
  text += " " + tr_format("At {} the grid has {} blocks of {} threads.", size_words(description, size),
                          to_string(launch->grid), to_string(launch->block));
  if (const std::vector<std::string> unused = unused_macros(kernel, *launch); kernel.is_users && !unused.empty())
    text += " " + tr_format("The file does not use {}.", kernel::join_with_and({unused.begin(), unused.end()}).text());
  return text;
}

Grade grade_kernel(const Lesson& lesson, const kernel::Kernel& kernel, Runs& runs, uint64_t seed) {
  const GradeRules& rules = *lesson.grade;
  Grade grade{kernel.name, {}, launch_text(rules, kernel)};
  Scene scene;
  scene.kernel = std::make_shared<const kernel::Kernel>(kernel);
  scene.settings = rules.settings;
  scene.check = true;
  std::vector<GradeItem> required;
  for (const Requirement& requirement : rules.requirements) required.push_back({requirement.name, true, ""});
  const auto fail_required = [&](size_t i, const std::string& size, const std::string& why) {
    if (std::exchange(required[i].passed, false)) required[i].message = fmt::format("At {}: {}", size, why);
  };
  std::vector<kernel::Size> sizes = rules.sizes;
  sizes.push_back(drawn_size(rules, seed));
  const auto is_right_with = [&](const kernel::Settings& added) {
    const auto run = runs.run(with_added(scene, added));
    return run && judge_result((*run)->report(), "").passed;
  };
  std::mt19937_64 engine(seed);
  for (const kernel::Size& size : sizes) {
    scene.size = size;
    // One that lets some blocks do the work of others does not know which is looked at.
    if (const auto launch = kernel::configure(kernel.description, scene.settings, size)) {
      scene.block_x = static_cast<uint32_t>(engine() % launch->grid.x);
      scene.block_y = static_cast<uint32_t>(engine() % launch->grid.y);
    }
    // A kernel that makes the inputs anew in place of loading them does not know these.
    if (size == sizes.back()) scene.seed = std::mt19937_64(seed)();
    const std::string words = size_words(kernel.description, size);
    const auto run = runs.run(scene);
    if (!run) {
      grade.items.push_back({fmt::format("right at {}", words), false, first_message(run.errors())});
      for (size_t i = 0; i < required.size(); ++i) fail_required(i, words, "The kernel did not run.");
      continue;
    }
    const GradeItem result = judge_result((*run)->report(), words);
    GradeItem findings = judge_findings((*run)->report(), words);
    const GradeItem means = judge_means(**run, rules.atomics, words);
    demand(findings, result.passed);
    grade.items.push_back(result);
    grade.items.push_back(std::move(findings));
    if (result.passed && !means.passed) grade.items.push_back(means);
    const std::shared_ptr<const Object> names = describe_run(*run);
    for (size_t i = 0; i < required.size(); ++i) {
      const Requirement& requirement = rules.requirements[i];
      const std::string failing = !result.passed                     ? "Not marked, because the result is wrong."
                                  : !means.passed                    ? means.message
                                  : requirement.added.empty()        ? failing_of(requirement, names)
                                  : is_right_with(requirement.added) ? ""
                                                                     : requirement.message;
      if (!failing.empty()) fail_required(i, words, failing);
    }
  }
  std::move(required.begin(), required.end(), std::back_inserter(grade.items));
  return grade;
}

}  // namespace tilescope::lesson
