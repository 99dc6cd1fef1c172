#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <string_view>

#include "arch/arch.h"

namespace tilescope::analysis {

/// The resources of one block.
struct BlockResources {
  uint64_t threads = 0;
  uint32_t registers_per_thread = 0;
  uint64_t static_shared_bytes = 0;
  uint64_t dynamic_shared_bytes = 0;
  uint32_t barriers = 1;  ///< Named barriers the kernel uses ("used 1 barriers" of ptxas -v).

  uint64_t warps() const;
  /// Static and dynamic; the sum of two sizes near 2^64 counts as the largest.
  uint64_t shared_bytes() const;
};

enum class OccupancyLimiter : uint8_t { Warps, Registers, SharedMemory, Blocks, Barriers };
constexpr std::array<OccupancyLimiter, 5> kLimiters{OccupancyLimiter::Warps, OccupancyLimiter::Registers,
                                                    OccupancyLimiter::SharedMemory, OccupancyLimiter::Blocks,
                                                    OccupancyLimiter::Barriers};
/// "warps", "registers", "shared memory", "blocks", "barriers"
std::string_view to_string(OccupancyLimiter limiter);

/// How many blocks of a kernel an SM can hold at once. wording::sentence() says it.
struct Occupancy {
  /// Of a limit that does not apply: a kernel without registers, without shared memory.
  static constexpr uint32_t kUnlimited = std::numeric_limits<uint32_t>::max();

  BlockResources block;  ///< The block, and the limits.
  arch::Limits limits;
  uint32_t blocks_per_sm = 0;  ///< 0: such a block cannot be launched, because of `limiter`.
  uint32_t warps_per_sm = 0;
  double theoretical = 0;  ///< warps_per_sm over the SM's maximum, 0 to 1.
  OccupancyLimiter limiter =
      OccupancyLimiter::Warps;   ///< The first, in the enumeration's order, that allows fewest blocks.
  uint32_t blocks_by_warps = 0;  ///< Blocks that each limit would allow by itself.
  uint32_t blocks_by_registers = 0;
  uint32_t blocks_by_shared_memory = 0;
  uint32_t blocks_by_blocks = 0;
  uint32_t blocks_by_barriers = 0;
  uint64_t shared_bytes_per_block = 0;  ///< As allocated: including reserved bytes and rounding.
  uint64_t registers_per_warp = 0;      ///< As allocated: including rounding.

  uint32_t blocks_by(OccupancyLimiter by) const;
};

/// Occupancy as the toolkit's cuda_occupancy.h computes it, with its defaults: the largest carve-out of shared memory
/// is available (a driver without a preference grows the carve-out until shared memory no longer limits, or to the
/// largest), and the kernel has opted in to its dynamic shared memory.
/// Never fails: a block that cannot be launched gives 0 blocks, and `limiter` says why.
Occupancy occupancy(const arch::Limits& limits, const BlockResources& block);

}  // namespace tilescope::analysis
