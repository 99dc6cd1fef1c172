#include "analysis/occupancy.h"

#include <algorithm>

#include "base/arithmetic.h"
#include "base/words.h"

namespace tilescope::analysis {
namespace {

uint32_t blocks_by_warps(const arch::Limits& limits, const BlockResources& block) {
  if (block.threads == 0 || block.threads > limits.threads_per_block) return 0;
  return limits.warps_per_sm / static_cast<uint32_t>(block.warps());
}

uint64_t registers_given(const arch::Limits& limits, const BlockResources& block) {
  return round_up(uint64_t{block.registers_per_thread} * arch::kWarpSize, limits.register_unit);
}

// Registers are allocated to whole warps, from the share of the warp's sub-partition. If a block may have all of an
// SM's registers, as on every known architecture, this also respects the block's own limit.
uint32_t blocks_by_registers(const arch::Limits& limits, const BlockResources& block) {
  if (block.registers_per_thread > limits.registers_per_thread) return 0;
  const uint64_t per_warp = registers_given(limits, block);
  if (per_warp == 0 || block.threads == 0) return Occupancy::kUnlimited;
  if (block.threads > limits.threads_per_block) return 0;
  const uint64_t warps = limits.registers_per_sm / limits.sub_partitions / per_warp * limits.sub_partitions;
  return static_cast<uint32_t>(warps / block.warps());
}

uint64_t shared_given(const arch::Limits& limits, const BlockResources& block) {
  const uint64_t asked = block.shared_bytes();
  if (asked > limits.shared_per_block_opt_in) return asked;
  return round_up(asked + limits.shared_reserved_per_block, limits.shared_unit);
}

// Only dynamic shared memory can go past the limit that holds without opting in.
bool shared_fits(const arch::Limits& limits, const BlockResources& block) {
  return block.static_shared_bytes <= limits.shared_per_block && block.shared_bytes() <= limits.shared_per_block_opt_in;
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

}  // namespace

std::string_view to_string(OccupancyLimiter limiter) {
  constexpr std::array<std::string_view, 5> names{tr_later("warps"), tr_later("registers"), tr_later("shared memory"),
                                                  tr_later("blocks"), tr_later("barriers")};
  return names[static_cast<size_t>(limiter)];
}

uint64_t BlockResources::warps() const { return round_up(threads, arch::kWarpSize) / arch::kWarpSize; }

uint64_t BlockResources::shared_bytes() const {
  const uint64_t sum = static_shared_bytes + dynamic_shared_bytes;
  return sum < static_shared_bytes ? std::numeric_limits<uint64_t>::max() : sum;
}

uint32_t Occupancy::blocks_by(OccupancyLimiter by) const {
  switch (by) {
    case OccupancyLimiter::Warps: return blocks_by_warps;
    case OccupancyLimiter::Registers: return blocks_by_registers;
    case OccupancyLimiter::SharedMemory: return blocks_by_shared_memory;
    case OccupancyLimiter::Blocks: return blocks_by_blocks;
    case OccupancyLimiter::Barriers: return blocks_by_barriers;
  }
  return 0;
}

Occupancy occupancy(const arch::Limits& limits, const BlockResources& block) {
  Occupancy result;
  result.block = block;
  result.limits = limits;
  result.blocks_by_warps = blocks_by_warps(limits, block);
  result.blocks_by_registers = blocks_by_registers(limits, block);
  result.blocks_by_shared_memory = blocks_by_shared_memory(limits, block);
  result.blocks_by_blocks = limits.blocks_per_sm;
  result.blocks_by_barriers = blocks_by_barriers(limits, block);
  result.limiter = *std::min_element(kLimiters.begin(), kLimiters.end(), [&](OccupancyLimiter a, OccupancyLimiter b) {
    return result.blocks_by(a) < result.blocks_by(b);
  });
  result.blocks_per_sm = result.blocks_by(result.limiter);
  result.shared_bytes_per_block = shared_given(limits, block);
  result.registers_per_warp = registers_given(limits, block);
  if (result.blocks_per_sm != 0) result.warps_per_sm = result.blocks_per_sm * static_cast<uint32_t>(block.warps());
  result.theoretical = static_cast<double>(result.warps_per_sm) / limits.warps_per_sm;
  return result;
}

}  // namespace tilescope::analysis
