#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/message.h"
#include "emulator/emulator.h"
#include "emulator/program.h"
#include "emulator/warp.h"

namespace tilescope::emulator {

/// One of a block's 16 barriers. Full ones (no thread count) wait for every thread that has not exited.
struct Barrier {
  struct Waiting {
    uint16_t warp = 0;
    int32_t path = 0;
    uint32_t pc = 0;
    uint32_t lanes = 0;
  };
  std::vector<Waiting> waiting;
  uint32_t arrived = 0;   ///< Threads, including those that do not wait.
  uint32_t expected = 0;  ///< 0 for a full barrier.
  // bar.red: over the predicates of all that arrived.
  uint32_t true_count = 0;
  uint32_t thread_count = 0;
};

/// Bytes of shared memory that the system reserves for cooperative groups wider than a warp, which use 288 of them.
constexpr uint64_t kReservedSharedBytes = 1024;

/// A bulk copy until it lands.
struct PendingBulk {
  static constexpr uint32_t kUncommitted = ~0u;
  trace::Step at;  ///< `active` has the lane that issued it.
  bool to_shared = true, rounds_to_tf32 = false, fills_with_nan = false;
  uint32_t barrier = trace::BulkCopy::kNoBarrier;  ///< Shared offset of the mbarrier that it completes on.
  uint32_t bytes = 0;                              ///< Bytes that it completes there.
  uint32_t group = kUncommitted;                   ///< Of a copy without mbarrier: the bulk group of its thread.
  std::vector<trace::BulkCopy::Piece> pieces;
};

/// A cp.async.mbarrier.arrive whose copies have not completed.
struct PendingArrival {
  trace::Step at;
  uint32_t lanes = 0;
  uint32_t barrier = 0;  ///< Shared offset.
};

struct Block;

/// The blocks of a cluster while they run, by their rank, x fastest.
struct Cluster {
  std::vector<Block*> blocks;
  uint32_t phase = 0;  ///< Of its barrier: how many times all have arrived.
};

/// One block while it runs: what its warps share.
struct Block {
  const Program::Impl& program;
  const Launch& launch;
  GlobalMemory& memory;
  uint32_t number = 0;
  Dim3 position;
  const RunOptions* options = nullptr;
  std::vector<std::byte> shared;
  uint64_t shared_bytes = 0;     ///< The kernel's own.
  uint64_t reserved_shared = 0;  ///< Where the system's own bytes begin behind them, if the kernel asks; else 0.
  std::vector<Warp> warps;
  std::array<Barrier, 16> barriers;
  std::vector<uint64_t> segment_runs, segment_threads;  ///< Per segment: times entered, and the sum of their lanes.
  std::vector<uint64_t> guarded_off;                    ///< Per pc: lanes whose guard was false.
  std::vector<PendingBulk> bulk_copies;                 ///< In the order of issue.
  std::vector<PendingArrival> pending_arrivals;         ///< Likewise.
  std::vector<uint32_t> bulk_groups;                    ///< Per thread: those that it has committed.
  uint64_t divergent_branches = 0;
  uint64_t steps = 0;
  bool trapped = false;
  std::string& printed;           ///< By all blocks of the launch.
  std::vector<uint8_t>& touched;  ///< Per allocation, by all blocks of the launch: bits of Touch.
  Cluster* cluster = nullptr;
  uint32_t rank = 0;            ///< In the cluster.
  uint64_t grid_workspace = 0;  ///< Where grid.sync() counts the blocks of a cooperative launch.

  Block(const Program::Impl& p, const Launch& l, GlobalMemory& m, std::string& text, std::vector<uint8_t>& touches)
      : program(p), launch(l), memory(m), printed(text), touched(touches) {}

  void fault(const Warp& warp, trace::FaultKind kind, uint32_t pc, uint32_t active, uint32_t lanes, Message detail);
};

/// Lanes of the warp that exist in a block of this shape.
uint32_t lanes_of(const Launch& launch, uint16_t warp);

// divergence.cpp
/// Removes the lanes from `path` for good.
void exit_lanes(Warp& warp, int32_t path, uint32_t lanes);
/// Splits `path` in two or more, each with the lanes that take it; they meet again at `reconverge`.
struct Successor {
  int32_t pc = 0;
  uint32_t lanes = 0;
};
void split_path(Warp& warp, int32_t path, const std::vector<Successor>& ways, int32_t reconverge);
/// Ends the path if it has reached its reconvergence point, and wakes its parent if it was the last child.
void finish_at_reconvergence(Warp& warp, int32_t path);
/// Lets lanes of the warp that wait for this path go on without it, up to the next place where they must meet: it may
/// wait for what they do there. Whether there are any.
bool let_waiting_lanes_go_on(Warp& warp, int32_t path, const std::vector<DecodedInstruction>& code);
/// The next path after `after`, in turn, that can run; -1 for none.
int32_t next_ready_path(const Warp& warp, int32_t after);

// barrier.cpp
void arrive_at_barrier(Block& block, Warp& warp, const DecodedInstruction& in, uint32_t lanes, bool waits);
/// Releases complete barriers; one may become complete when threads exit.
void release_complete_barriers(Block& block);
/// Lanes that name one member mask.
struct SyncGroup {
  uint32_t members = 0, lanes = 0;
};
/// The groups of lanes that execute a warp sync, by lowest lane.
std::vector<SyncGroup> sync_groups(const Warp& warp, const DecodedInstruction& in, uint32_t lanes);
/// Runs `in` for each group if no group lacks a member; returns whether it did.
bool pass_warp_sync_together(Block& block, Warp& warp, const DecodedInstruction& in,
                             const std::vector<SyncGroup>& groups);
/// Runs `in` for the path, which is the group, or makes it wait for the other lanes of its member mask.
void arrive_at_warp_sync(Block& block, Warp& warp, const DecodedInstruction& in, const SyncGroup& group);
/// Runs the warp's syncs that are complete; one may become complete when lanes exit.
void pass_complete_warp_syncs(Block& block, Warp& warp);
void report_deadlock(Block& block);

// cluster.cpp
/// Ends the phase of the cluster's barrier once every thread that has not exited has arrived.
void finish_cluster_phase(Cluster& cluster);
/// Whether the phase in which the warp arrived is over.
bool cluster_has_met(const Warp& warp);
/// The block whose shared memory an address is in; `address` becomes an offset. Null if the cluster has no such block.
Block* owner_of(Block& block, uint64_t& address);

// async.cpp
/// "1 arrival missing, 512 bytes missing": what the phase of an mbarrier still waits for.
Message missing_at(const Block& block, uint64_t barrier);

// bulk_copy.cpp
/// Moves the bytes of a copy.
void land_bulk(Block& block, const PendingBulk& copy);
/// Publishes the copies still in flight when the block has ended.
void end_bulk_copies(Block& block);

// system_call.cpp
void system_call(Block& block, Warp& warp, const DecodedInstruction& in, uint32_t lanes);

}  // namespace tilescope::emulator
