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
  finding.count += kept.count;
  if (is_better(finding, kept))
    kept = std::move(finding);
  else
    kept.count = finding.count;
}

void Findings::add(const Findings& others) {
  for (const Finding& finding : others) add(finding);
}

void Findings::unite(const Findings& others) {
  for (const Finding& finding : others) {
    Finding& kept = same_as(finding);
    kept.count = std::max(kept.count, finding.count);
  }
}

}  // namespace tilescope::analysis
