#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "analysis/machine_code.h"

/// How long the machine code of a kernel keeps a warp and its scheduler busy, read out of what ptxas wrote into it:
/// registers, stall counts, scoreboards. Nothing is executed: how often its loops turn follows from what was counted.
namespace tilescope::analysis {

/// A machine instruction, as far as its time goes.
struct MachineStep {
  static constexpr uint8_t kNone = 7;

  MachineKind kind = MachineKind::Other;
  uint8_t stall = 1;      ///< Clocks from its issue to the next instruction's, at least.
  uint8_t sets = kNone;   ///< The scoreboard that its result releases, 0 to 5.
  uint8_t frees = kNone;  ///< The scoreboard that is released when its operands have been read.
  uint8_t waits = 0;      ///< Bit for each scoreboard that must be released before it issues.
  /// Of an FMA's operands, from the even bank of registers and the odd one; see issue_clocks().
  std::array<uint8_t, 2> bank_reads = {};
};

/// From the target of a backward branch to the branch, both inclusive.
struct MachineTurn {
  size_t first = 0, last = 0;
};

/// All instructions of a kernel, and its loops in the order of their first instructions; each lies wholly within
/// another or outside of it.
struct MachineKernel {
  std::vector<MachineStep> steps;
  std::vector<MachineTurn> loops;
  /// Clocks in which a scheduler issues a turn of each loop without those within it, and last what is in no loop; see
  /// issue_clocks().
  std::vector<double> issue;
};

/// Of the kernel of that name in a cubin for sm_70 to sm_90. Nullopt if there is none.
std::optional<MachineKernel> read_machine_kernel(std::span<const uint8_t> cubin, std::string_view entry);

/// What a warp executed, counted; means over the warps.
struct WarpWork {
  double fmas = 0, global_loads = 0, global_stores = 0;
  double shared_loads = 0, shared_stores = 0;  ///< As ptxas merges them.
  double barriers = 0;
};

/// What a warp shares its SM with while its block is alone there.
struct BlockShare {
  double warps = 1;  ///< Of the block, which do the same at the same time.
  // Clocks of the data path for a request of each kind, on average.
  double shared_load = 1, shared_store = 1, global_load = 1, global_store = 1, copy = 1;
};

/// What a warp takes of an SM.
struct WarpTime {
  double slots = 0;       ///< Instructions that it issues.
  double issue = 0;       ///< Clocks of its scheduler; see issue_clocks().
  double alone = 0;       ///< Clocks of its block alone on an SM, if loads from global memory came at once.
  double load_waits = 0;  ///< How often it waits for such a load, with nothing else to do.
  double spills = 0;      ///< Loads and stores of local memory.
  /// Lines of 128 bytes of machine code that its turns of loops fetch anew, because a loop is larger than the SM's
  /// instruction cache.
  double fetches = 0;
};

/// A block by itself goes from barrier to barrier: its warps do the same at once, so that a request waits for those of
/// the others, and between two barriers it takes what a warp takes, joined with what the warps of one scheduler issue.
/// Nothing where no number of turns of the loops explains what was counted, because branches skip parts of them.
std::optional<WarpTime> warp_time(const MachineKernel& kernel, const WarpWork& work, const BlockShare& share);

}  // namespace tilescope::analysis
