#include "run/launch.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "run/count.h"

namespace tilescope::run {
namespace {

constexpr uint64_t kSampleBlocks = 16;

/// Of `total` blocks that cost as much as the first did, all where that is within the limit, else a sample.
std::vector<uint32_t> affordable_blocks(uint64_t total, uint64_t limit, uint64_t cost_of_one) {
  const uint64_t affordable = limit / std::max<uint64_t>(1, cost_of_one);
  if (limit == Scope::kAll || total <= affordable) return all_blocks(total);
  return spread_blocks(total, std::clamp<uint64_t>(affordable, 3, kSampleBlocks));
}

std::vector<uint32_t> with(const std::vector<uint32_t>& some, std::vector<uint32_t> others) {
  std::ranges::sort(others);
  std::vector<uint32_t> all;
  std::set_union(some.begin(), some.end(), others.begin(), others.end(), std::back_inserter(all));
  return all;
}

std::vector<uint32_t> without(const std::vector<uint32_t>& all, const std::vector<uint32_t>& some) {
  std::vector<uint32_t> rest;
  std::set_difference(all.begin(), all.end(), some.begin(), some.end(), std::back_inserter(rest));
  return rest;
}

}  // namespace

std::vector<uint32_t> spread_blocks(uint64_t total, uint64_t count) {
  const uint64_t number = std::min(total, count);
  std::vector<uint32_t> blocks(number);
  for (uint64_t i = 0; i < number; ++i)
    blocks[i] = static_cast<uint32_t>(number == 1 ? 0 : i * (total - 1) / (number - 1));
  return blocks;
}

std::vector<uint32_t> all_blocks(uint64_t total) { return spread_blocks(total, total); }

GridRun run_launch(const LaunchedKernel& launch, const Scope& scope, const Control& control) {
  const uint64_t total = launch.blocks();
  const bool checks_all = scope.checked == Scope::kAll, checks_none = scope.checked == 0;
  if (launch.runs_together())
    return run_grid(launch,
                    {.blocks = all_blocks(total),
                     .check = checks_all || (!checks_none && total <= kSampleBlocks),
                     .accesses = scope.accesses},
                    control);
  if (scope.run == Scope::kAll && (checks_all || checks_none))
    return run_grid(launch, {.blocks = all_blocks(total), .check = checks_all, .accesses = scope.accesses}, control);

  uint64_t cost = 0;
  std::vector<uint32_t> done{0};
  // All that is checked is one run, so that a race of the first block with a later one is found.
  const auto choose_checked = [&](const emulator::Counts& first) {
    cost = cost_of(first, launch.program->function());
    std::vector<uint32_t> checked = checks_none ? done : affordable_blocks(total, scope.checked, cost);
    std::vector<uint32_t> rest = without(checked, done);
    done = std::move(checked);
    return rest;
  };
  GridRun result = run_grid(
      launch, {.blocks = {0}, .then = choose_checked, .check = !checks_none, .accesses = scope.accesses}, control);
  if (!result.finished()) return result;
  std::vector<uint32_t> chosen = affordable_blocks(total, scope.run, cost);
  done = with(done, result.companions);
  if (std::vector<uint32_t> rest = without(chosen, done); !rest.empty())
    result.merge(run_grid(launch, {.blocks = std::move(rest), .before = done, .accesses = scope.accesses}, control));
  chosen = with(chosen, result.companions);
  if (chosen.size() < total) result.sample = std::move(chosen);
  return result;
}

}  // namespace tilescope::run
