#include "emulator/register_rows.h"

#include <algorithm>
#include <bit>
#include <functional>
#include <numeric>
#include <queue>
#include <utility>

namespace tilescope::emulator {
namespace {

/// A set of registers, one bit each.
class RegisterSet {
 public:
  explicit RegisterSet(size_t registers) : words_((registers + 63) / 64) {}
  void add(int32_t r) { word(r) |= bit(r); }
  void remove(int32_t r) { word(r) &= ~bit(r); }
  void add_all(const RegisterSet& other) {
    for (size_t w = 0; w < words_.size(); ++w) words_[w] |= other.words_[w];
  }
  template <class Visit>
  void for_each(Visit visit) const {
    for (size_t w = 0; w < words_.size(); ++w)
      for (uint64_t rest = words_[w]; rest; rest &= rest - 1)
        visit(64 * w + static_cast<size_t>(std::countr_zero(rest)));
  }
  bool operator==(const RegisterSet&) const = default;

 private:
  uint64_t& word(int32_t r) { return words_[static_cast<size_t>(r) / 64]; }
  static uint64_t bit(int32_t r) { return uint64_t{1} << (r % 64); }
  std::vector<uint64_t> words_;
};

/// The registers whose values are needed where each basic block begins and where it ends.
class Needed {
 public:
  Needed(const ptx::Function& function, const ptx::ControlFlow& flow, const RegisterUse& use)
      : function_(function),
        flow_(flow),
        use_(use),
        at_begin_(flow.blocks.size(), RegisterSet(function.registers.size())) {
    at_end_ = at_begin_;
    for (bool changed = true; changed;) {
      changed = false;
      for (size_t b = flow.blocks.size(); b-- > 0;) changed |= visit(b);
    }
  }

  const RegisterSet& at_begin(size_t block) const { return at_begin_[block]; }
  const RegisterSet& at_end(size_t block) const { return at_end_[block]; }

 private:
  // Back through the block; true if more is needed where it begins than was known.
  bool visit(size_t b) {
    const ptx::BasicBlock& block = flow_.blocks[b];
    for (const int32_t successor : block.successors) at_end_[b].add_all(at_begin_[static_cast<size_t>(successor)]);
    RegisterSet needed = at_end_[b];
    for (int32_t pc = block.last; pc >= block.first; --pc) {
      const auto at = static_cast<size_t>(pc);
      // A guarded instruction leaves the old value in some lanes.
      if (function_.instructions[at].guard < 0)
        for (const int32_t r : use_.writes[at]) needed.remove(r);
      for (const int32_t r : use_.reads[at]) needed.add(r);
    }
    const bool changed = needed != at_begin_[b];
    at_begin_[b] = std::move(needed);
    return changed;
  }

  const ptx::Function& function_;
  const ptx::ControlFlow& flow_;
  const RegisterUse& use_;
  std::vector<RegisterSet> at_begin_, at_end_;
};

/// The instructions between which a register is used, both inclusive; none: first > last.
struct Extent {
  int32_t first = INT32_MAX, last = -1;
  void reach(int32_t pc) {
    first = std::min(first, pc);
    last = std::max(last, pc);
  }
};

std::vector<Extent> extents_of(const ptx::Function& function, const ptx::ControlFlow& flow, const RegisterUse& use) {
  std::vector<Extent> extents(function.registers.size());
  const Needed needed(function, flow, use);
  for (size_t b = 0; b < flow.blocks.size(); ++b) {
    needed.at_begin(b).for_each([&](size_t r) { extents[r].reach(flow.blocks[b].first); });
    needed.at_end(b).for_each([&](size_t r) { extents[r].reach(flow.blocks[b].last); });
  }
  for (size_t pc = 0; pc < use.reads.size(); ++pc) {
    for (const int32_t r : use.reads[pc]) extents[static_cast<size_t>(r)].reach(static_cast<int32_t>(pc));
    for (const int32_t r : use.writes[pc]) extents[static_cast<size_t>(r)].reach(static_cast<int32_t>(pc));
  }
  for (size_t r = 0; r < extents.size(); ++r)
    if (use.is_kept[r]) extents[r] = {0, INT32_MAX};
  return extents;
}

}  // namespace

SharedRows share_rows(const ptx::Function& function, const ptx::ControlFlow& flow, const RegisterUse& use,
                      const std::vector<uint8_t>& lane_sizes) {
  using InUse = std::pair<int32_t, uint32_t>;  // Until when, and the row.
  const std::vector<Extent> extents = extents_of(function, flow, use);
  std::vector<size_t> order(extents.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::ranges::stable_sort(order, {}, [&](size_t r) { return extents[r].first; });
  SharedRows shared;
  shared.row.resize(extents.size());
  std::array<std::priority_queue<InUse, std::vector<InUse>, std::greater<>>, kLaneSizes> in_use;
  for (const size_t r : order) {
    auto& rows = in_use[lane_sizes[r]];
    uint32_t& row = shared.row[r];
    if (!rows.empty() && rows.top().first < extents[r].first) {
      row = rows.top().second;
      rows.pop();
    } else {
      row = shared.count[lane_sizes[r]]++;
    }
    rows.push({extents[r].last, row});
  }
  return shared;
}

}  // namespace tilescope::emulator
