#include "analysis/findings.h"

#include <algorithm>
#include <string_view>
#include <tuple>
#include <utility>

namespace tilescope::analysis {
namespace {

/// A line, or below zero an instruction that has none.
int64_t place_of(const Site& site) { return site.line > 0 ? site.line : -1 - int64_t{site.pc}; }

/// Equal for findings that are one; its order is that of the list. A kind belongs to one checker.
auto key_of(const Finding& finding) {
  return std::tuple(place_of(finding.site), finding.other ? place_of(*finding.other) : 0, finding.checker, finding.kind,
                    std::string_view(finding.array));
}

int reach(const Finding& finding) {
  if (!finding.other) return 0;
  const Thread &a = finding.site.thread, &b = finding.other->thread;
  return a.block != b.block ? 2 : a.warp != b.warp ? 1 : 0;
}

/// The block that was running when it was found, as blocks run in their order.
uint32_t block_of(const Finding& finding) {
  return std::max(finding.site.thread.block, finding.other ? finding.other->thread.block : 0);
}

bool is_better(const Finding& finding, const Finding& kept) {
  return std::tuple(-reach(finding), block_of(finding)) < std::tuple(-reach(kept), block_of(kept));
}

bool is_race_in_block(const Finding& finding) {
  const bool is_race = finding.kind == FindingKind::ReadWriteRace || finding.kind == FindingKind::WriteWriteRace;
  return is_race && finding.other && reach(finding) < 2;
}

/// Whether one barrier can end both races: there is a place for it between the lines of either.
bool one_barrier_ends(const Finding& a, const Finding& b) {
  const auto a_lines = std::minmax({a.site.line, a.other->line}), b_lines = std::minmax({b.site.line, b.other->line});
  if (a_lines.first <= 0 || b_lines.first <= 0 || a.site.called_from != b.site.called_from) return false;
  return a_lines == b_lines || (a_lines.first < b_lines.second && b_lines.first < a_lines.second);
}

}  // namespace

Findings::Findings(std::initializer_list<Finding> findings) {
  for (const Finding& finding : findings) add(finding);
}

Finding& Findings::same_as(const Finding& finding) {
  const auto at = std::lower_bound(findings_.begin(), findings_.end(), finding,
                                   [](const Finding& a, const Finding& b) { return key_of(a) < key_of(b); });
  if (at != findings_.end() && key_of(*at) == key_of(finding)) return *at;
  const auto added = findings_.insert(at, finding);
  added->count = 0;
  return *added;
}

void Findings::add(Finding finding) {
  Finding& kept = same_as(finding);
  const bool is_new = kept.count == 0;
  const int reach_before = reach(kept);
  finding.count += kept.count;
  if (is_better(finding, kept))
    kept = std::move(finding);
  else
    kept.count = finding.count;
  if (is_new || reach(kept) != reach_before) note_block_barriers();
}

void Findings::add(const Findings& others) {
  for (const Finding& finding : others) add(finding);
}

void Findings::unite(const Findings& others) {
  for (const Finding& finding : others) {
    Finding& kept = same_as(finding);
    kept.count = std::max(kept.count, finding.count);
  }
  note_block_barriers();
}

void Findings::note_block_barriers() {
  for (Finding& finding : findings_)
    finding.needs_block_barrier =
        is_race_in_block(finding) && reach(finding) == 0 &&
        std::any_of(findings_.begin(), findings_.end(), [&](const Finding& other) {
          return is_race_in_block(other) && reach(other) == 1 && one_barrier_ends(finding, other);
        });
}

}  // namespace tilescope::analysis
