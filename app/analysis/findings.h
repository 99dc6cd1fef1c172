#pragma once

#include <algorithm>
#include <initializer_list>
#include <iterator>
#include <vector>

#include "analysis/finding.h"

namespace tilescope::analysis {

/// What was found in a kernel, each finding once. Findings of one kind are one where their place, the other side's
/// place and the array are the same. A place is a line, or an instruction where the code has no lines, so that the
/// copies that unrolling makes of a line are one finding. One instance is kept and the others are counted. Kept is the
/// one whose two threads are furthest apart (in one warp, in one block, in two blocks), because what mends that one
/// mends them all; of several such the one in the lowest block, then the first. Findings are in the order of place, the
/// other side's place, checker, kind and array. A race in one warp knows whether the __syncthreads() against a race
/// between warps ends it, too.
class Findings {
 public:
  Findings() = default;
  Findings(std::initializer_list<Finding> findings);

  /// Adds further instances.
  void add(Finding finding);
  void add(const Findings& others);
  /// Adds what another run found, of the same blocks, more or fewer. Instances may be the same in both: a finding of
  /// both keeps its instance, and the larger of the two counts.
  void unite(const Findings& others);

  /// Removes the findings for which `stays` is false, and returns them.
  template <class Stays>
  Findings remove_unless(Stays stays) {
    const auto first = std::stable_partition(findings_.begin(), findings_.end(), stays);
    Findings removed;
    removed.findings_.assign(std::make_move_iterator(first), std::make_move_iterator(findings_.end()));
    findings_.erase(first, findings_.end());
    return removed;
  }

  bool empty() const { return findings_.empty(); }
  size_t size() const { return findings_.size(); }
  const Finding& operator[](size_t index) const { return findings_[index]; }
  const Finding& front() const { return findings_.front(); }
  const Finding& back() const { return findings_.back(); }
  auto begin() const { return findings_.begin(); }
  auto end() const { return findings_.end(); }

 private:
  /// The finding that is the same one; where there is none yet, this one is added with a count of 0.
  Finding& same_as(const Finding& finding);
  void note_block_barriers();
  std::vector<Finding> findings_;
};

}  // namespace tilescope::analysis
