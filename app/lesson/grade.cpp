#include "lesson/grade.h"

#include <algorithm>

#include <fmt/format.h>

#include "lesson/expression.h"
#include "lesson/run_fields.h"
#include "wording/finding.h"
#include "wording/stop.h"

namespace tilescope::lesson {
namespace {

std::string size_text(const kernel::Size& size) {
  if (size.m == size.n && size.n == size.k) return fmt::format("{}", size.m);
  return fmt::format("M={} N={} K={}", size.m, size.n, size.k);
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
    item.message = report.stopped ? wording::stop_text(*report.stopped, wording::Advice::CommandLine)
                                  : wording::unverified_text(report);
  else if (const auto& wrong = report.verified->first_wrong)
    item.message = fmt::format(
        "{} elements are wrong, the first {}: {} instead of {:.6g}.", report.verified->wrong, name_of(*wrong),
        wrong->written ? fmt::format("{:.6g}", wrong->got) : "no thread wrote it", wrong->expected);
  return item;
}

GradeItem judge_findings(const run::Report& report, const std::string& size) {
  GradeItem item{fmt::format("clean at {}", size), report.findings.empty() && !report.stopped, ""};
  if (report.stopped) item.message = wording::stop_text(*report.stopped, wording::Advice::CommandLine);
  if (!report.findings.empty())
    item.message =
        fmt::format("{}: {}", to_string(report.findings.front().checker), wording::sentence(report.findings.front()));
  return item;
}

/// A kernel with a wrong result gets no marks for the rest: an empty kernel is clean and spills nothing.
void demand(GradeItem& item, bool right) {
  if (right) return;
  if (item.passed) item.message = "The result is wrong, so this is not marked.";
  item.passed = false;
}

GradeItem judge_requirement(const Requirement& requirement, const std::shared_ptr<const Object>& run) {
  GradeItem item{requirement.name, false, requirement.message};
  const Result<Expression> expression = Expression::parse(requirement.holds.text);
  if (!expression) return item.message = first_message(expression.errors()), item;
  const Result<Value> value = expression->evaluate([&](const std::string& name) -> Result<Value> {
    const auto found = run->fields.find(name);
    if (found != run->fields.end()) return found->second;
    return error(fmt::format("There is no {}.", name));
  });
  if (!value) return item.message = first_message(value.errors()), item;
  item.passed = value->number() && *value->number() != 0;
  if (item.passed) item.message.clear();
  return item;
}

}  // namespace

bool Grade::passed() const { return points() == items.size(); }

size_t Grade::points() const {
  return static_cast<size_t>(
      std::count_if(items.begin(), items.end(), [](const GradeItem& item) { return item.passed; }));
}

Result<kernel::Kernel> student_kernel(const Lesson& lesson, const std::filesystem::path& file,
                                      const kernel::OpenWith& with) {
  if (!lesson.grade) return error(fmt::format("Lesson {} marks no kernels: its file has no [grade].", lesson.number));
  Result<kernel::Kernel> kernel = kernel::open_like(file, *lesson.grade->like, with);
  if (!kernel) return kernel;
  // In the folder of a class the other files are the others' work.
  for (const source::File& header : kernel->headers)
    if (header.path.extension() == ".cu" || header.path.extension() == ".cpp")
      return error_at({file.string()},
                      Message("{} includes {}, a file of its own that may be another's work; only headers "
                              "(.h, .cuh) are read.",
                              file.filename().string(), header.name));
  return kernel;
}

Grade grade_kernel(const Lesson& lesson, const kernel::Kernel& kernel, Runs& runs) {
  const GradeRules& rules = *lesson.grade;
  Grade grade{kernel.name, {}};
  Scene scene;
  scene.kernel = std::make_shared<const kernel::Kernel>(kernel);
  scene.settings = rules.settings;
  scene.check = true;
  std::shared_ptr<const Object> first;
  bool right_at_first = false;
  for (const kernel::Size& size : rules.sizes) {
    scene.size = size;
    const auto run = runs.run(scene);
    if (!run) {
      grade.items.push_back({fmt::format("right at {}", size_text(size)), false, first_message(run.errors())});
      continue;
    }
    const GradeItem result = judge_result((*run)->report(), size_text(size));
    GradeItem findings = judge_findings((*run)->report(), size_text(size));
    demand(findings, result.passed);
    grade.items.push_back(result);
    grade.items.push_back(std::move(findings));
    if (size != rules.sizes.front()) continue;
    first = describe_run(*run);
    right_at_first = result.passed;
  }
  for (const Requirement& requirement : rules.requirements) {
    grade.items.push_back(first ? judge_requirement(requirement, first)
                                : GradeItem{requirement.name, false, "The kernel did not run."});
    demand(grade.items.back(), right_at_first);
  }
  return grade;
}

}  // namespace tilescope::lesson
