#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

#include "arch/arch.h"

namespace tilescope::analysis {

/// What one block of a kernel takes.
struct BlockResources {
  uint64_t threads = 0;
  uint32_t registers_per_thread = 0;
  uint64_t static_shared_bytes = 0;
  uint64_t dynamic_shared_bytes = 0;
  uint32_t barriers = 1;  ///< Named barriers the kernel uses ("used 1 barriers" of ptxas -v).
};

enum class OccupancyLimiter : uint8_t { Warps, Registers, SharedMemory, Blocks, Barriers };
/// "warps", "registers", "shared memory", "blocks", "barriers"
std::string_view to_string(OccupancyLimiter limiter);

/// How many blocks of a kernel an SM can hold at once.
struct Occupancy {
  /// Of a limit that does not apply: a kernel without registers, without shared memory.
  static constexpr uint32_t kUnlimited = std::numeric_limits<uint32_t>::max();

  uint32_t blocks_per_sm = 0;  ///< 0: such a block cannot be launched; `sentence` says why.
  uint32_t warps_per_sm = 0;
  double theoretical = 0;  ///< warps_per_sm over the most that the SM holds, 0 to 1.
  OccupancyLimiter limiter =
      OccupancyLimiter::Warps;   ///< The first, in the enumeration's order, that allows fewest blocks.
  uint32_t blocks_by_warps = 0;  ///< Blocks that each limit would allow by itself.
  uint32_t blocks_by_registers = 0;
  uint32_t blocks_by_shared_memory = 0;
  uint32_t blocks_by_blocks = 0;
  uint32_t blocks_by_barriers = 0;
  uint64_t shared_bytes_per_block = 0;  ///< As given by the hardware: reserved bytes and rounding included.
  /// For people: "limited by registers: 94 a thread, 256 threads: 2 blocks of 8 warps on an SM that holds 64".
  std::string sentence;
};

/// Occupancy as the toolkit's cuda_occupancy.h computes it, with its defaults: the largest carve-out of shared memory
/// is available (a driver without a preference grows the carve-out until shared memory no longer limits, or to the
/// largest), and the kernel has opted in to as much dynamic shared memory as it asks for.
/// Never fails: what cannot be launched has 0 blocks and a sentence that names the limit.
Occupancy occupancy(const arch::Limits& limits, const BlockResources& block);

}  // namespace tilescope::analysis
