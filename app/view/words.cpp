#include "view/words.h"

#include <algorithm>
#include <bit>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/words.h"
#include "kernel/model.h"

namespace tilescope::view {
namespace {

constexpr size_t kMostStretches = 4;

std::string stretch_text(uint32_t first, uint32_t last) {
  if (first == last) return fmt::format("{}", first);
  return last == first + 1 ? fmt::format("{}, {}", first, last) : tr_format("{} to {}", first, last);
}

std::vector<std::string> stretches_of(uint32_t mask) {
  std::vector<std::string> stretches;
  for (uint32_t lane = 0; lane < 32; ++lane) {
    if ((mask >> lane & 1) == 0) continue;
    const uint32_t first = lane;
    while (lane + 1 < 32 && (mask >> (lane + 1) & 1) != 0) ++lane;
    stretches.push_back(stretch_text(first, lane));
  }
  return stretches;
}

std::string range_text(uint64_t first, uint64_t last) {
  return first == last ? fmt::format("[{}]", first) : fmt::format("[{}…{}]", first, last);
}

}  // namespace

std::string name_of(const run::TracedArray& array, uint64_t index) {
  return element_name(array.allocation, array.address_of(index));
}

const char* tile_word(const run::BlockAccesses& accesses) {
  for (const run::TracedArray& array : accesses.arrays())
    if (array.allocation.space == Space::Shared && array.side != run::Side::None && accesses.has_two_inputs())
      return accesses.has_sum_index() ? tr_later("k-tile") : tr_later("tile");
  return tr_later("round");
}

std::string region_text(const run::Region& region) {
  return range_text(region.row, region.row_end - 1) + range_text(region.column, region.column_end - 1);
}

std::string elements_text(const run::TracedArray& array, const std::vector<uint64_t>& elements) {
  const std::vector<uint64_t>& shape = array.allocation.shape;
  std::vector<std::pair<uint64_t, uint64_t>> ranges(shape.size(), {UINT64_MAX, 0});
  for (const uint64_t index : elements) {
    uint64_t rest = array.allocation.bytes_before(array.address_of(index)) / size_of(array.allocation.element);
    for (size_t d = shape.size(); d-- > 0; rest /= shape[d])
      ranges[d] = {std::min(ranges[d].first, rest % shape[d]), std::max(ranges[d].second, rest % shape[d])};
  }
  std::string text;
  for (const auto& [first, last] : ranges) text += range_text(first, last);
  return text;
}

std::string bytes_text(uint64_t bytes) {
  if (bytes >= 1024 && bytes < uint64_t{1} << 20 && bytes % 1024 == 0) return fmt::format("{} KiB", bytes / 1024);
  return kernel::human_bytes(static_cast<double>(bytes)).text();
}

std::string lanes_counted(uint32_t mask) {
  return plural(static_cast<uint64_t>(std::popcount(mask)), "{} lane", "{} lanes");
}

std::string lanes_text(uint32_t mask) {
  const int count = std::popcount(mask);
  const std::vector<std::string> stretches = stretches_of(mask);
  if (count == 1) return tr_format("lane {}", stretches.front());
  if (stretches.size() > kMostStretches || stretches.empty()) return lanes_counted(mask);
  return tr_format("lanes {}", kernel::join_with_and({stretches.begin(), stretches.end()}).text());
}

std::string instruction_text(const Focus& focus, const analysis::StepRef& at) {
  if (focus.hidden.figures()) return tr_format("instruction {}", grouped(at.step + 1));
  return tr_format("instruction {} of {}", grouped(at.step + 1), grouped(focus.traced->timeline.steps(at.warp)));
}

std::string covered_text(int step) {
  return step > 0 ? tr_format("Step {} asks about this.", step) : tr("The question asks about this.");
}

std::string covered_access_text(const session::HiddenFacts& hidden) {
  return covered_text(
      hidden.asked_in(hidden.has(session::Fact::Accesses) ? session::Fact::Accesses : session::Fact::Counts));
}

}  // namespace tilescope::view
