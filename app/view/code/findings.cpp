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

/// "C is wrong", "scores, out are right", "C is right in 16 of 1 024 blocks". The report must be verified.
std::string verdict_words(const Report& report) {
  const run::Verification& verified = *report.verified;
  const bool right = verified.wrong == 0, several = verified.arrays.find(',') != std::string::npos;
  if (!right) return several ? tr_format("{} are wrong", verified.arrays) : tr_format("{} is wrong", verified.arrays);
  if (!report.counts.has_all_blocks()) {
    const std::string where = counted_where(report);
    return several ? tr_format("{} are right in {}", verified.arrays, where)
                   : tr_format("{} is right in {}", verified.arrays, where);
  }
  return several ? tr_format("{} are right", verified.arrays) : tr_format("{} is right", verified.arrays);
}

std::string verified_words(const Report& report) {
  if (!report.verified) return tr_format("not verified: {}", wording::unverified_text(report));
  const run::Verification& verified = *report.verified;
  const std::string elements = plural(verified.elements, "{} element", "{} elements");
  if (verified.wrong > 0) return tr_format("{}: {} of {}", verdict_words(report), grouped(verified.wrong), elements);
  if (verified.bound == 0) return tr_format("{}: {}, to the bit", verdict_words(report), elements);
  return tr_format("{}: {}, largest error {:.1e}, rounding allows {:.1e}", verdict_words(report), elements,
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
  const std::string message = wrong.written ? tr_format("Got {:g}, expected {}.", wrong.got, expected_of(wrong))
                                            : tr_format("No thread wrote it; expected {}.", expected_of(wrong));
  return {tr_format("{} is wrong", name_of(wrong)), tr("verification"), message, 0, target_of(traced, wrong)};
}

/// How far apart the threads of a race are: 0 in one warp, 1 in one block, 2 in two blocks.
int reach_of(const analysis::Finding& race) {
  if (race.site.thread.block != race.other->thread.block) return 2;
  return race.site.thread.warp == race.other->thread.warp ? 0 : 1;
}

bool is_race(const analysis::Finding& finding) {
  return finding.checker == analysis::Checker::Racecheck && finding.other.has_value();
}

/// What memcheck found, then the races, those between most threads first, then the rest.
std::vector<const analysis::Finding*> sorted(const analysis::Findings& findings) {
  std::vector<const analysis::Finding*> result;
  for (const analysis::Finding& finding : findings) result.push_back(&finding);
  const auto rank = [](const analysis::Finding* finding) {
    if (is_race(*finding)) return 3 - reach_of(*finding);
    return finding->checker == analysis::Checker::Memcheck ? 0 : 4;
  };
  std::stable_sort(result.begin(), result.end(), [&](const auto* a, const auto* b) { return rank(a) < rank(b); });
  return result;
}

/// Whether a barrier of the block between the two accesses of `wide` also is between those of `narrow`, of one warp.
bool cures(const analysis::Finding& wide, const analysis::Finding& narrow) {
  using analysis::FindingKind;
  const bool plain = wide.kind == FindingKind::ReadWriteRace && narrow.kind == FindingKind::ReadWriteRace;
  if (!plain || !is_race(wide) || !is_race(narrow) || reach_of(wide) != 1 || reach_of(narrow) != 0) return false;
  if (wide.space != Space::Shared || narrow.space != Space::Shared) return false;
  const bool same_way = (wide.site.pc < wide.other->pc) == (narrow.site.pc < narrow.other->pc);
  const uint32_t begin = std::max(std::min(wide.site.pc, wide.other->pc), std::min(narrow.site.pc, narrow.other->pc));
  const uint32_t end = std::min(std::max(wide.site.pc, wide.other->pc), std::max(narrow.site.pc, narrow.other->pc));
  return same_way && begin < end;
}

FindingRow row_of(const run::TracedBlock& traced, const analysis::Finding& finding) {
  const std::string message = wording::sentence(finding);
  FindingRow row{tr_format("{} {}", tr(to_string(finding.kind)), wording::on_line(finding.site)),
                 std::string(to_string(finding.checker)),
                 message,
                 finding.site.line,
                 element_of(traced, finding),
                 std::string(to_string(finding.kind))};
  if (finding.count > 1) row.message = tr_format("{} And {} more like it.", message, grouped(finding.count - 1));
  return row;
}

void add_problems(std::vector<FindingRow>& rows, const std::string& title, const Diagnostics& problems) {
  for (const Diagnostic& problem : problems)
    rows.push_back({title, tr("emulator"), text_of(problem), problem.at.line, {}});
}

/// One row for each finding; a race that the barrier of another one cures is in that one's row.
void add_findings(std::vector<FindingRow>& rows, const run::TracedBlock& traced, const analysis::Findings& findings) {
  std::vector<const analysis::Finding*> left = sorted(findings);
  for (size_t i = 0; i < left.size(); ++i) {
    rows.push_back(row_of(traced, *left[i]));
    for (size_t j = i + 1; j < left.size();) {
      const analysis::Finding& other = *left[j];
      if (!cures(*left[i], other)) {
        ++j;
        continue;
      }
      rows.back().message +=
          ' ' + tr_format("The same barrier is what {} lacks, written {} and read {} within one warp.",
                          wording::element_of(other), wording::on_line(other.site), wording::on_line(*other.other));
      left.erase(left.begin() + static_cast<std::ptrdiff_t>(j));
    }
  }
}

/// One row for each finding that depends on a guess.
void add_unproved(std::vector<FindingRow>& rows, const run::TracedBlock& traced, const analysis::Findings& unproved) {
  for (const analysis::Finding* finding : sorted(unproved)) {
    FindingRow row = row_of(traced, *finding);
    row.source = tr_format("{}, not verified", row.source);
    row.unproved = true;
    rows.push_back(std::move(row));
  }
}

/// "C is wrong · 2 races · 1 other finding"
std::string verdict_text(const Report& counts, const analysis::Findings& findings) {
  std::vector<std::string> parts;
  if (counts.stopped) parts.push_back(tr("the run was stopped"));
  if (counts.verified) parts.push_back(verdict_words(counts));
  const auto races = static_cast<size_t>(std::count_if(findings.begin(), findings.end(), is_race));
  if (races > 0) parts.push_back(plural(races, "{} race", "{} races"));
  if (const size_t others = findings.size() - races; others > 0)
    parts.push_back(races > 0 ? plural(others, "{} other finding", "{} other findings")
                              : plural(others, "{} finding", "{} findings"));
  if (parts.empty()) return tr("not verified");
  std::string text = parts.front();
  for (size_t i = 1; i < parts.size(); ++i) text += " · " + parts[i];
  return text;
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

const run::Verification* verification_of(const run::TracedBlock& traced, const run::GridCounts* counted) {
  const Report& report = counted ? counted->report : traced.report;
  return report.verified ? &*report.verified : nullptr;
}

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
  const analysis::Findings findings = all_findings(traced, counted, checked);
  add_findings(list.rows, traced, findings);
  const bool is_wrong = counts.verified && counts.verified->wrong > 0;
  list.verified = counts.verified.has_value();
  list.count = findings.empty() && (is_wrong || counts.stopped) ? 1 : findings.size();
  list.wrong = list.count > 0 || counts.not_verified == run::Unverified::NoReference;
  list.verdict = verdict_text(counts, findings);
  add_problems(list.rows, tr("the grid was not counted"), unfinished.counting);
  add_problems(list.rows, tr("the block was not checked"), unfinished.checking);
  list.right = counts.verified ? counts.verified->wrong == 0 : list.rows.empty();
  add_unproved(list.rows, traced, all_findings(traced, counted, checked, &Report::unproved));
  return list;
}

}  // namespace tilescope::view
