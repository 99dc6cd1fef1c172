#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "base/memory.h"
#include "ptx/module.h"
#include "trace/event.h"

/// ptxas does not issue every shared-memory instruction of the PTX as it is written. What follows was found by
/// assembling small PTX programs with CUDA 13.0's ptxas for sm_75, sm_80, sm_86, sm_89 and sm_90 and reading the widths
/// out of the cubins; the five agree but where noted. Over every preset of the kernels that ship and these five, the
/// plan has the cubin's widths in the cubin's proportions.
///
/// Modelled here:
/// - Loads of 4 or 8 bytes (scalars, .v2) from one base register plus constants, between two things that order shared
///   memory, become one load where the address is known: an aligned pair of words a 64-bit load, and three or four
///   words of an aligned 16 bytes a 128-bit one. Order, distance and number do not matter. A word loaded twice is
///   loaded once. Alignment is known from the arrays' true offsets in the block's window, not from their .align, and
///   from the low bits of sums, products, shifts and masks.
/// - Stores merge too, but only neighbours in the text, and only when they fill the 8 or 16 bytes.
/// - A loop without branches and with a constant trip count is written out, in full or 4 times, when its body is small
///   enough (see unroll.cpp), unless .pragma "nounroll" forbids it; then loads of different iterations merge. Before
///   sm_90 a loop within a loop may be far larger for that: a 128x128x8 tile with 8x8 a thread is 8 LDS and 2 LDS.128
///   an iteration on sm_90, and 32 LDS.128 for all 8 iterations on the others.
/// - These part loads: shared and generic stores, atomics but those on global memory, barriers, fences, calls, the ends
///   of basic blocks. Global stores, shuffles and global atomics do not. Volatile or guarded accesses and those of
///   less than 4 bytes never merge.
///
/// Seen and not modelled: loops written out in part with a remainder, or with a trip count that is not known when
/// compiling, merge across the copies too; loads move out of short branches and then merge; a load
/// of what the thread just stored there is dropped, as is one whose value nobody uses; global and local accesses merge
/// as shared ones do when a mask or the frame proves alignment, which a kernel's pointer arguments do not; arrays in
/// local memory may go to registers, and registers may spill; on sm_90 cp.async.wait_all is followed by a 32-bit LDS,
/// and a constant added to the index before the array's address is not always seen through.
namespace tilescope::analysis {

/// Shared-memory accesses of one thread that ptxas issues as one.
struct MergedAccess {
  uint32_t leader = 0;  ///< pc of the first of them in program order, at which the merged access counts.
  int32_t offset = 0;   ///< The merged access's address less that of the leader: 0 or negative.
  uint8_t bytes = 0;    ///< Bytes a lane of the merged access: 4 (the same word again), 8 or 16.
};

/// The role of one execution of an instruction: an access as written, or a part of a merged one.
struct MergeRole {
  static constexpr uint32_t kAsWritten = UINT32_MAX;
  uint32_t access = kAsWritten;  ///< Index into MergePlan::accesses.
  bool leads = false;            ///< The merged access counts here; at its other parts nothing does.
  bool as_written() const { return access == kAsWritten; }
};

/// The differences between a kernel's shared-memory accesses in PTX and in ptxas's code.
struct MergePlan {
  std::vector<MergedAccess> accesses;
  /// For each pc its role the first, second, ... time that a warp runs it, then from the start again. Empty: always as
  /// written. Longer than one in a loop that ptxas unrolls.
  std::vector<std::vector<MergeRole>> roles;
};

/// Gives the roles of a plan, which must outlive it, while the warps of a block run.
class MergeRoles {
 public:
  explicit MergeRoles(const MergePlan* plan) : plan_(plan), runs_(plan ? plan->roles.size() : 0) {}
  void block_begin();
  /// The role of a warp's next execution of a shared-memory instruction that is not an atomic, with at least one lane.
  MergeRole next(const trace::Step& step);

 private:
  const MergePlan* plan_;
  /// For each pc whose role changes from run to run: how often each warp of the block has run it.
  std::vector<std::vector<uint32_t>> runs_;
};

/// Machine instructions of a kernel, each counted once however often it runs.
struct MachineLoads {
  uint32_t fmas = 0;                          ///< FFMA
  std::array<uint32_t, 3> shared_loads = {};  ///< LDS of at most 4, of 8 and of 16 bytes per lane.
};
/// Of the kernel of that name in a cubin for sm_70 to sm_90. Nullopt if there is none.
std::optional<MachineLoads> read_machine_loads(std::span<const uint8_t> cubin, std::string_view entry);

/// What ptxas does to `function`, a flat function of `module` (see ptx::flatten), for the module's target.
/// `shared_arrays` are the __shared__ arrays with their offsets in the block's window, as ptxas and the emulator place
/// them and in that order: static arrays of the module, then of the function, then dynamic shared memory.
///
/// With the kernel's machine code, loops are written out as often as makes its loads per FMA those of the machine code,
/// or nearly: that decides where the rules above are not quite ptxas's.
MergePlan plan_load_merge(const ptx::Module& module, const ptx::Function& function,
                          const std::vector<Allocation>& shared_arrays,
                          const std::optional<MachineLoads>& machine = std::nullopt);

}  // namespace tilescope::analysis
