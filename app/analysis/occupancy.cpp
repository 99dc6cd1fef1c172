#include "analysis/occupancy.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/arithmetic.h"
#include "base/words.h"

namespace tilescope::analysis {
namespace {


uint64_t warps_of(const BlockResources& block) { return round_up(block.threads, arch::kWarpSize) / arch::kWarpSize; }

uint32_t blocks_by_warps(const arch::Limits& limits, const BlockResources& block) {
  if (block.threads == 0 || block.threads > limits.threads_per_block) return 0;
  return limits.warps_per_sm / static_cast<uint32_t>(warps_of(block));
}

// Registers are given to whole warps, out of the share of the sub-partition that a warp runs on. Where a block may have
// all of an SM's registers, as on every architecture known, this also keeps the block's own limit.
uint32_t blocks_by_registers(const arch::Limits& limits, const BlockResources& block) {
  if (block.registers_per_thread > limits.registers_per_thread) return 0;
  const uint64_t per_warp = round_up(uint64_t{block.registers_per_thread} * arch::kWarpSize, limits.register_unit);
  if (per_warp == 0 || block.threads == 0) return Occupancy::kUnlimited;
  if (block.threads > limits.threads_per_block) return 0;
  const uint64_t warps = limits.registers_per_sm / limits.sub_partitions / per_warp * limits.sub_partitions;
  return static_cast<uint32_t>(warps / warps_of(block));
}

// Static and dynamic bytes; the sum of two sizes near 2^64 counts as the largest.
uint64_t shared_asked(const BlockResources& block) {
  const uint64_t sum = block.static_shared_bytes + block.dynamic_shared_bytes;
  return sum < block.static_shared_bytes ? std::numeric_limits<uint64_t>::max() : sum;
}

uint64_t shared_given(const arch::Limits& limits, const BlockResources& block) {
  const uint64_t asked = shared_asked(block);
  if (asked > limits.shared_per_block_opt_in) return asked;
  return round_up(asked + limits.shared_reserved_per_block, limits.shared_unit);
}

// Only dynamic shared memory can go past the limit that holds without opting in.
bool shared_fits(const arch::Limits& limits, const BlockResources& block) {
  return block.static_shared_bytes <= limits.shared_per_block && shared_asked(block) <= limits.shared_per_block_opt_in;
}

uint32_t blocks_by_shared_memory(const arch::Limits& limits, const BlockResources& block) {
  if (!shared_fits(limits, block)) return 0;
  const uint64_t given = shared_given(limits, block);
  return given == 0 ? Occupancy::kUnlimited : static_cast<uint32_t>(limits.shared_per_sm / given);
}

uint32_t blocks_by_barriers(const arch::Limits& limits, const BlockResources& block) {
  if (limits.barriers_per_sm == 0 || block.barriers == 0) return Occupancy::kUnlimited;
  return limits.barriers_per_sm / block.barriers;
}

std::array<std::pair<OccupancyLimiter, uint32_t>, 5> counts_of(const Occupancy& o) {
  return {{{OccupancyLimiter::Warps, o.blocks_by_warps},
           {OccupancyLimiter::Registers, o.blocks_by_registers},
           {OccupancyLimiter::SharedMemory, o.blocks_by_shared_memory},
           {OccupancyLimiter::Blocks, o.blocks_by_blocks},
           {OccupancyLimiter::Barriers, o.blocks_by_barriers}}};
}

std::string shared_too_large(const arch::Limits& limits, const BlockResources& block) {
  if (block.static_shared_bytes > limits.shared_per_block)
    return tr_format("{} bytes of static shared memory; a block can have {}", block.static_shared_bytes,
                     limits.shared_per_block);
  return tr_format("{} bytes of shared memory; a block can have {}", shared_asked(block),
                   limits.shared_per_block_opt_in);
}

std::string why_none(const arch::Limits& limits, const BlockResources& block, OccupancyLimiter limiter) {
  switch (limiter) {
    case OccupancyLimiter::Warps:
      return block.threads == 0 ? tr("a block needs at least one thread")
                                : tr_format("{} threads; a block can have {}", block.threads, limits.threads_per_block);
    case OccupancyLimiter::Registers:
      if (block.registers_per_thread > limits.registers_per_thread)
        return tr_format("{} registers a thread; a thread can have {}", block.registers_per_thread,
                         limits.registers_per_thread);
      return tr_format("{} registers a thread, {} threads: more than the {} registers that a block can have",
                       block.registers_per_thread, block.threads, limits.registers_per_block);
    case OccupancyLimiter::SharedMemory: return shared_too_large(limits, block);
    case OccupancyLimiter::Blocks: break;  // Every architecture holds a block.
    case OccupancyLimiter::Barriers:
      return tr_format("{} barriers; an SM has {}", block.barriers, limits.barriers_per_sm);
  }
  return {};
}

std::string what_is_used(const arch::Limits& limits, const BlockResources& block, const Occupancy& occupancy) {
  switch (occupancy.limiter) {
    case OccupancyLimiter::Warps: return tr_format("{} threads", block.threads);
    case OccupancyLimiter::Registers:
      return tr_format("{} a thread, {} threads", block.registers_per_thread, block.threads);
    case OccupancyLimiter::SharedMemory:
      return tr_format("{} bytes a block of {} on an SM", occupancy.shared_bytes_per_block, limits.shared_per_sm);
    case OccupancyLimiter::Blocks: return tr_format("an SM holds at most {}", limits.blocks_per_sm);
    case OccupancyLimiter::Barriers:
      return tr_format("{} a block of {} on an SM", block.barriers, limits.barriers_per_sm);
  }
  return {};
}

// Every limit that allows no more blocks than the first: "warps and registers".
std::string limiters_of(const Occupancy& occupancy) {
  std::string all;
  for (const auto& [limiter, count] : counts_of(occupancy)) {
    if (count != occupancy.blocks_per_sm) continue;
    const std::string name = tr(to_string(limiter));
    all = all.empty() ? name : tr_format("{} and {}", all, name);
  }
  return all;
}

std::string sentence(const arch::Limits& limits, const BlockResources& block, const Occupancy& occupancy) {
  if (occupancy.blocks_per_sm == 0)
    return tr_format("cannot be launched: {}", why_none(limits, block, occupancy.limiter));
  const uint64_t warps = warps_of(block);
  return tr_format("limited by {}: {}: {} of {} on an SM that holds {}", limiters_of(occupancy),
                   what_is_used(limits, block, occupancy), counted(occupancy.blocks_per_sm, "{} block", "{} blocks"),
                   counted(warps, "{} warp", "{} warps"), limits.warps_per_sm);
}

}  // namespace

std::string_view to_string(OccupancyLimiter limiter) {
  constexpr std::array<std::string_view, 5> names{tr_later("warps"), tr_later("registers"), tr_later("shared memory"),
                                                  tr_later("blocks"), tr_later("barriers")};
  return names[static_cast<size_t>(limiter)];
}

Occupancy occupancy(const arch::Limits& limits, const BlockResources& block) {
  Occupancy result;
  result.blocks_by_warps = blocks_by_warps(limits, block);
  result.blocks_by_registers = blocks_by_registers(limits, block);
  result.blocks_by_shared_memory = blocks_by_shared_memory(limits, block);
  result.blocks_by_blocks = limits.blocks_per_sm;
  result.blocks_by_barriers = blocks_by_barriers(limits, block);
  const auto counts = counts_of(result);
  const auto fewest =
      std::min_element(counts.begin(), counts.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
  result.limiter = fewest->first;
  result.blocks_per_sm = fewest->second;
  result.shared_bytes_per_block = shared_given(limits, block);
  if (result.blocks_per_sm != 0) result.warps_per_sm = result.blocks_per_sm * static_cast<uint32_t>(warps_of(block));
  result.theoretical = static_cast<double>(result.warps_per_sm) / limits.warps_per_sm;
  result.sentence = sentence(limits, block, result);
  return result;
}

}  // namespace tilescope::analysis
