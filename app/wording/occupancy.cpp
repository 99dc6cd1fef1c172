#include "wording/occupancy.h"

#include "base/words.h"

namespace tilescope::wording {
namespace {

using analysis::BlockResources;
using analysis::Occupancy;
using analysis::OccupancyLimiter;

std::string shared_too_large(const arch::Limits& limits, const BlockResources& block) {
  if (block.static_shared_bytes > limits.shared_per_block)
    return tr_format("{} bytes of static shared memory; a block can have {}", block.static_shared_bytes,
                     limits.shared_per_block);
  return tr_format("{} bytes of shared memory; a block can have {}", block.shared_bytes(),
                   limits.shared_per_block_opt_in);
}

std::string why_none(const arch::Limits& limits, const BlockResources& block, OccupancyLimiter limiter) {
  switch (limiter) {
    case OccupancyLimiter::Warps:
      return block.threads == 0 ? tr("a block needs at least one thread")
                                : tr_format("{} threads; a block can have {}", block.threads, limits.threads_per_block);
    case OccupancyLimiter::Registers:
      if (block.registers_per_thread > limits.registers_per_thread)
        return tr_format("{} registers per thread; a thread can have {}", block.registers_per_thread,
                         limits.registers_per_thread);
      return tr_format("{} registers per thread, {} threads: more than the {} registers that a block can have",
                       block.registers_per_thread, block.threads, limits.registers_per_block);
    case OccupancyLimiter::SharedMemory: return shared_too_large(limits, block);
    case OccupancyLimiter::Blocks: break;  // Every architecture holds a block.
    case OccupancyLimiter::Barriers:
      return tr_format("{} barriers; an SM has {}", block.barriers, limits.barriers_per_sm);
  }
  return {};
}

std::string what_is_used(const Occupancy& occupancy) {
  const arch::Limits& limits = occupancy.limits;
  const BlockResources& block = occupancy.block;
  switch (occupancy.limiter) {
    case OccupancyLimiter::Warps: return plural(block.threads, "{} thread", "{} threads");
    case OccupancyLimiter::Registers:
      return tr_format("{} per thread, {}", block.registers_per_thread,
                       plural(block.threads, "{} thread", "{} threads"));
    case OccupancyLimiter::SharedMemory:
      return tr_format("{} bytes per block, {} per SM", occupancy.shared_bytes_per_block, limits.shared_per_sm);
    case OccupancyLimiter::Blocks: return tr_format("at most {} per SM", limits.blocks_per_sm);
    case OccupancyLimiter::Barriers:
      return tr_format("{} per block, {} per SM", block.barriers, limits.barriers_per_sm);
  }
  return {};
}

}  // namespace

std::string limiters(const Occupancy& occupancy) {
  std::string all;
  for (const OccupancyLimiter limiter : analysis::kLimiters) {
    if (occupancy.blocks_by(limiter) != occupancy.blocks_per_sm) continue;
    const std::string name = tr(to_string(limiter));
    all = all.empty() ? name : tr_format("{} and {}", all, name);
  }
  return all;
}

std::string sentence(const Occupancy& occupancy) {
  if (occupancy.blocks_per_sm == 0)
    return tr_format("cannot be launched: {}", why_none(occupancy.limits, occupancy.block, occupancy.limiter));
  return tr_format("limited by {} ({}): {} of {} per SM, which holds {}", limiters(occupancy), what_is_used(occupancy),
                   plural(occupancy.blocks_per_sm, "{} block", "{} blocks"),
                   plural(occupancy.block.warps(), "{} warp", "{} warps"), occupancy.limits.warps_per_sm);
}

}  // namespace tilescope::wording
