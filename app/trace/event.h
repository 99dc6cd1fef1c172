#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/memory.h"
#include "base/message.h"

namespace tilescope::trace {

constexpr uint32_t kLanes = 32;
/// A shared address of another block of the cluster has one more than its rank above the offset; 0 in the own
/// ones.
constexpr uint32_t kRankShift = 24;
constexpr uint32_t kAllLanes = 0xffffffff;  ///< As a mask.

/// Where and when a warp instruction ran.
struct Step {
  uint32_t pc = 0;         ///< Index of the instruction in the kernel's flattened instruction list.
  uint32_t block = 0;      ///< Linear number of the block in the grid, x fastest.
  uint16_t warp = 0;       ///< Number of the warp in its block.
  uint32_t warp_step = 0;  ///< How many instructions this warp had issued before this one.
  uint32_t active = 0;     ///< Lanes that execute it (guard predicate applied), bit l for lane l.
};

enum class AccessKind : uint8_t {
  Load,
  Store,
  Atomic,          ///< atom: reads, modifies, writes and returns the old value.
  Reduction,       ///< red: the same without a returned value.
  AsyncCopyRead,   ///< The side that cp.async reads.
  AsyncCopyWrite,  ///< The side that it writes, published when issued; it completes when waited for.
  ProductRead,     ///< By wgmma, of shared memory. Never in an Access: see trace::ProductRead.
};
inline bool is_write(AccessKind kind) {
  return kind != AccessKind::Load && kind != AccessKind::AsyncCopyRead && kind != AccessKind::ProductRead;
}
inline bool is_atomic(AccessKind kind) { return kind == AccessKind::Atomic || kind == AccessKind::Reduction; }

/// One warp's access to one state space by one instruction. Valid only during the call that delivers it.
struct Access {
  Step at;
  AccessKind kind = AccessKind::Load;
  Space space = Space::Global;  ///< Never Generic: an instruction whose lanes fall in two spaces is published twice.
  uint8_t bytes = 4;            ///< Bytes per lane.
  bool is_volatile = false;     ///< volatile, or a memory-ordering qualifier stronger than weak.
  bool is_matrix = false;       ///< ldmatrix, stmatrix: a lane's 16 bytes are a row, eight lanes' rows a matrix.
  /// 32 entries; those of inactive lanes are unspecified. Global and Const: device address. Shared: offset in the
  /// block's window. Local: offset in the thread's own frame. Lanes that faulted are not in `at.active`.
  const uint64_t* addresses = nullptr;
  /// For a store, 32 rows of 16 bytes with each lane's value in the first `bytes`; else null.
  const uint8_t (*values)[16] = nullptr;
  /// Accesses of one instruction with the same number here, in one machine's run, have their lanes equally far apart;
  /// 0: nothing is said.
  uint32_t pattern = 0;
};

/// A branch, taken by some, all or none of the active lanes.
struct Branch {
  Step at;
  uint32_t taken = 0;
};

enum class SyncKind : uint8_t {
  BarrierArrive,   ///< Lanes arrive at barrier `id` and wait.
  BarrierPass,     ///< Lanes arrive and do not wait (bar.arrive).
  WarpSync,        ///< bar.warp.sync, or a *.sync instruction, over the lanes in `members`.
  CopyCommit,      ///< cp.async.commit_group
  CopyWait,        ///< cp.async.wait_group / wait_all: `id` groups may still be in flight.
  Fence,           ///< membar / fence
  MbarrierArrive,  ///< mbarrier.arrive and its variants; `id` is the object's shared address.
  MbarrierWait,    ///< A test_wait or try_wait that found the phase complete; `id` likewise.
  MbarrierTry,     ///< A test_wait or try_wait that did not; `id` likewise.
  BulkCommit,      ///< cp.async.bulk.commit_group
  BulkWait,        ///< cp.async.bulk.wait_group: `id` groups may still be in flight.
  ProductCommit,   ///< wgmma.commit_group
  ProductWait,     ///< wgmma.wait_group: `id` groups may still be in flight.
  ClusterArrive,   ///< barrier.cluster.arrive, in phase `id` of the cluster's barrier.
  ClusterWait,     ///< A barrier.cluster.wait that found phase `id` complete.
};

/// A bulk copy of one thread, cp.async.bulk or its tensor form, when it is issued.
struct BulkCopy {
  /// Bytes contiguous on both sides.
  struct Piece {
    uint64_t shared = 0;  ///< Offset in the block's window.
    uint64_t global = 0;  ///< Device address; kNowhere: outside the tensor, zeros (or NaNs) are copied.
    uint32_t bytes = 0;
    bool begins_row = true;  ///< Of the box.
  };
  static constexpr uint64_t kNowhere = ~uint64_t{0};
  static constexpr uint32_t kNoBarrier = ~0u;

  Step at;  ///< `active` has only the issuing lane; it and the step identify the copy.
  bool to_shared = true;
  uint32_t barrier =
      kNoBarrier;  ///< Shared offset of the mbarrier that it completes on; without one it is in a bulk group.
  const std::vector<Piece>* pieces = nullptr;  ///< Valid only during the call.
  uint32_t ranks =
      1;  ///< A bit for each block of the cluster that it writes to or reads from, each at the same offset.
};

/// The shared memory that a wgmma of a warp reads, from its issue until the wait that ends it.
struct ProductRead {
  /// Contiguous bytes.
  struct Piece {
    uint64_t shared = 0;  ///< Offset in the block's window.
    uint32_t bytes = 0;
  };
  Step at;
  uint32_t own_bytes = 0;                      ///< Of A: the rows of this warp; 0 if A is in registers.
  uint32_t common_bytes = 0;                   ///< Of B, which the four warps read together.
  const std::vector<Piece>* pieces = nullptr;  ///< Valid only during the call.
  bool adds = true;                            ///< To D; else D becomes the product (scale-d is false).
};

/// Copies have completed, and with them their bytes on an mbarrier.
struct Landing {
  Step at;  ///< Of the bulk copy, or of the cp.async.mbarrier.arrive that waited for the copies of its lanes.
  uint32_t barrier = 0;  ///< Shared offset.
  bool bulk = true;
  uint32_t block = 0;  ///< The block whose shared memory it is in; published once for each block of a multicast copy.
};

/// A warp's synchronising instruction.
struct Sync {
  Step at;
  SyncKind kind = SyncKind::BarrierArrive;
  uint32_t id = 0;
  uint32_t members = 0;  ///< WarpSync: the member mask. BarrierArrive: live lanes of the warp at that moment.
  /// For an mbarrier the sum over its lanes: arrivals (for init those that each phase needs), bytes (expect_tx,
  /// complete_tx, arrive.expect_tx); for a wait the parity of its phase.
  /// BarrierArrive, BarrierPass: threads of the barrier; 0: all of the block.
  uint32_t amount = 0;
};

enum class FaultKind : uint8_t {
  OutOfBounds,            ///< No allocation holds all of the lane's bytes.
  Misaligned,             ///< The address is not a multiple of the access's size.
  UninitialisedRegister,  ///< A lane reads a register that it never wrote. `detail` is the register's name.
  DivergentBarrier,       ///< An aligned barrier reached by only some of a warp's live lanes.
  Deadlock,               ///< No thread of the block can continue. Published once per group of waiting lanes.
  /// A *.sync whose member mask lacks the executing lane, or a shuffle that reads a member that has exited.
  IncompleteWarpSync,
  BadBarrier,           ///< Barrier number over 15, or a thread count that is not a multiple of 32 or over the block's.
  Trap,                 ///< trap, or a device-side assert; `detail` is its message.
  BadCopy,              ///< A bulk copy that the hardware refuses, or whose box leaves its memory; `detail` says why.
  UnwaitedCopy,         ///< A thread exits while a bulk copy that it started may still be in flight.
  BadDescriptor,        ///< wgmma reads outside the block's shared memory, or its descriptor is invalid; `detail` says
                        ///< why.
  AccumulatorInFlight,  ///< A register that wgmma may still be writing is used. `detail` is its name.
  BadRegisterCount,     ///< setmaxnreg with a count that is not allowed; `detail` says why.
};

/// An error seen while running, of the lanes in `lanes` (a subset of at.active).
struct Fault {
  Step at;
  FaultKind kind = FaultKind::OutOfBounds;
  Space space = Space::Global;
  AccessKind access = AccessKind::Load;
  uint8_t bytes = 0;
  uint32_t lanes = 0;
  const uint64_t* addresses = nullptr;  ///< 32 entries for the two address faults; else null.
  Message detail;
};

}  // namespace tilescope::trace
