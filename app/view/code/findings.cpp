#include "view/code/findings.h"

#include <algorithm>

#include "base/words.h"
#include "view/code/code_lines.h"
#include "wording/finding.h"
#include "wording/stop.h"

namespace tilescope::view {
namespace {
using run::Report;
using session::Target;

std::string verified_words(const Report& report) {
  if (!report.verified) return tr_format("not verified: {}", wording::unverified_text(report));
  const run::Verification& verified = *report.verified;
  const std::string elements = plural(verified.elements, "{} element", "{} elements");
  if (verified.wrong > 0) return tr_format("{} is wrong: {} of {}", verified.arrays, grouped(verified.wrong), elements);
  if (verified.bound == 0) return tr_format("{} is right: {}, to the bit", verified.arrays, elements);
  return tr_format("{} is right: {}, largest error {:.1e}, rounding allows {:.1e}", verified.arrays, elements,
                   verified.max_error, verified.bound);
}

std::string verified_text(const Report& report) {
  const std::string words = verified_words(report);
  if (!report.verified || report.verified->reference.empty()) return words;
  return tr_format("{} (expected: what {} computes)", words, report.verified->reference);
}

/// The allocated array's row-major number of the element.
Target target_of(const run::TracedBlock& traced, const run::WrongElement& wrong) {
  for (const kernel::ArrayShape& array : traced.prepared->configuration.arrays) {
    if (array.space != Space::Global || array.name != wrong.array) continue;
    uint64_t index = 0;
    for (size_t d = 0; d < std::min(wrong.index.size(), array.shape.size()); ++d)
      index = index * array.shape[d] + static_cast<uint64_t>(wrong.index[d]);
    return {Target::Kind::Element, Space::Global, array.name, index, 0};
  }
  return {};
}

FindingRow wrong_row(const run::TracedBlock& traced, const run::WrongElement& wrong) {
  const std::string message =
      wrong.written ? tr_format("Got {:g}, expected {:g} ± {:.1e}.", wrong.got, wrong.expected, wrong.bound)
                    : tr_format("No thread wrote it; expected {:g} ± {:.1e}.", wrong.expected, wrong.bound);
  return {tr_format("{} is wrong", name_of(wrong)), tr("verification"), message, 0, target_of(traced, wrong)};
}

FindingRow row_of(const run::TracedBlock& traced, const analysis::Finding& finding) {
  const std::string message = wording::sentence(finding);
  FindingRow row{tr_format("{} {}", tr(to_string(finding.kind)), wording::on_line(finding.site)),
                 std::string(to_string(finding.checker)), message, finding.site.line, element_of(traced, finding)};
  if (finding.count > 1) row.message = tr_format("{} And {} more like it.", message, grouped(finding.count - 1));
  return row;
}

void add_problems(std::vector<FindingRow>& rows, const std::string& title, const Diagnostics& problems) {
  for (const Diagnostic& problem : problems)
    rows.push_back({title, tr("emulator"), text_of(problem), problem.at.line, {}});
}

/// The blocks watched by the two checkers that are always on.
std::string always_checked_text(const Report& counts, bool is_counting) {
  const std::string where = counted_where(counts);
  return is_counting ? tr_format("memcheck and synccheck: {}, the grid is being counted", where)
                     : tr_format("memcheck and synccheck: {}", where);
}

std::string checked_text(const run::CheckResult* checked, const Unfinished& unfinished) {
  if (checked) return tr_format("racecheck and initcheck: {}", counted_where(checked->report));
  return unfinished.checking.empty() ? tr("racecheck and initcheck are to come")
                                     : tr("racecheck and initcheck did not run");
}

}  // namespace

Target element_of(const run::TracedBlock& traced, const analysis::Finding& finding) {
  const run::TracedArray* array = traced.accesses.find(finding.space, finding.address);
  if (!array || finding.array.empty()) return {};
  return {Target::Kind::Element, finding.space, array->allocation.name, array->index_of(finding.address), 0};
}

FindingList finding_list(const run::TracedBlock& traced, const run::GridCounts* counted,
                         const run::CheckResult* checked, const Unfinished& unfinished) {
  const Report& counts = counted ? counted->report : traced.report;
  FindingList list;
  list.summary = verified_text(counts);
  list.checked = tr_format("{}; {}", always_checked_text(counts, !counted && unfinished.counting.empty()),
                           checked_text(checked, unfinished));
  if (counts.stopped)
    list.rows.push_back({tr("the run was stopped"),
                         tr("emulator"),
                         wording::stop_text(*counts.stopped, wording::Advice::Window),
                         0,
                         {}});
  if (counts.verified && counts.verified->first_wrong)
    list.rows.push_back(wrong_row(traced, *counts.verified->first_wrong));
  for (const analysis::Finding& finding : all_findings(traced, counted, checked))
    list.rows.push_back(row_of(traced, finding));
  add_problems(list.rows, tr("the grid was not counted"), unfinished.counting);
  add_problems(list.rows, tr("the block was not checked"), unfinished.checking);
  list.right = counts.verified ? counts.verified->wrong == 0 : list.rows.empty();
  return list;
}

}  // namespace tilescope::view
