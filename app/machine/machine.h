#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/memory.h"
#include "base/message.h"
#include "base/result.h"
#include "emulator/emulator.h"
#include "sass/instruction.h"

/// Executes the machine code of a cubin on the CPU, warp by warp, over the same global memory as the emulator of PTX.
/// It knows no clocks: whoever simulates an SM decides which warp issues next and calls Block::step().
namespace tilescope::machine {

constexpr uint32_t kLanes = 32;

/// A kernel of a cubin made ready to run: every instruction decoded and bound to what executes it. Immutable.
class Program {
 public:
  /// Errors: no such kernel, an instruction that is not known or that cannot be executed, each by name and place.
  static Result<std::shared_ptr<const Program>> build(std::span<const uint8_t> cubin, std::string_view entry);
  ~Program();

  /// A pc is an index into these.
  const std::vector<sass::Instruction>& code() const;
  /// Whether it waits for other blocks in loops that only read what they write; see Block::end_polls().
  bool polls() const;
  /// Whether what arrays hold decides where its warps go or which memory they access.
  bool needs_contents() const;
  /// Whether blocks that follow a clock store to them; see Block::follow_clock().
  bool changes_contents() const;
  /// Whether what atomics on global memory give back decides that: then what other blocks do matters.
  bool needs_updates() const;

  struct Impl;
  const Impl& impl() const { return *impl_; }

 private:
  Program();
  std::unique_ptr<Impl> impl_;
};

/// Field::Order of a load: from here on what another SM stores must be seen.
constexpr uint8_t kStrongOrder = 5;

/// Field::Mode of SYNCS_ARRIVE: at an mbarrier of another block of the cluster.
constexpr uint8_t kRemoteArrival = 2;

/// What an instruction does to memory.
enum class AccessKind : uint8_t { Load, Store, Atomic, Reduction };

/// The accesses of one instruction to one space, each lane's `bytes` at its address.
struct Access {
  Space space = Space::None;  ///< Global, Shared or Local.
  AccessKind kind = AccessKind::Load;
  uint8_t bytes = 0;   ///< Per lane.
  uint32_t lanes = 0;  ///< Those that access; the others' addresses mean nothing.
  /// Global: the address. Shared: the offset in a block's shared memory, what the system reserves included. Local: the
  /// offset in the thread's own memory.
  std::array<uint64_t, kLanes> addresses;
  int rank = kOwnBlock;  ///< Shared: of the block of the cluster whose memory it is.
  static constexpr int kOwnBlock = -1;
};

/// A bulk copy that an instruction began.
struct BulkCopy {
  struct Piece {
    uint64_t global = 0;  ///< Address.
    uint32_t bytes = 0;
  };
  std::vector<Piece> pieces;  ///< Without what lies outside of the tensor.
  bool to_shared = true;
  uint32_t blocks = 0;   ///< To shared memory: a bit for the rank of each block of the cluster that has a copy,
  uint64_t barrier = 0;  ///< and the offset of the mbarrier there.
  uint64_t bytes = 0;    ///< That the mbarrier counts.
};

/// What the issue of one instruction did.
struct Issue {
  /// Next: the warp goes on behind it. Branch: some of its lanes have gone elsewhere. Waits: the lanes wait, for a
  /// barrier of the block or for other lanes of the warp, and perhaps others of the warp go on. Exit: no lane is left.
  enum class Flow : uint8_t { Next, Branch, Waits, Exit };

  uint32_t pc = 0;
  uint32_t active = 0;    ///< Lanes of the warp's running path.
  uint32_t executed = 0;  ///< Those of them whose guard is true.
  Flow flow = Flow::Next;
  bool at_barrier = false;    ///< Waits for a barrier of the block.
  bool awaits_phase = false;  ///< Asked an mbarrier for a phase that is not over.
  bool copies = false;        ///< Began `copy`, in a block that follows a clock.
  uint32_t constants = 0;     ///< LDC: how many different addresses its lanes have.
  uint32_t sleep = 0;         ///< Clocks until the lanes go on, where the instruction says so.
  uint8_t accesses = 0;       ///< How many of `access` there are. LDGSTS has two: what it reads, then what it writes.
  std::array<Access, 2> access;
  BulkCopy copy;
};

enum class WarpState : uint8_t {
  Ready,
  AtBarrier,  ///< All that is left of it waits for a barrier of its block.
  Done,
};

/// Why a block cannot go on.
struct Fault {
  uint32_t pc = 0, warp = 0, lane = 0;
  uint64_t address = 0;
  Message what;  ///< "an access outside of every array"
};

struct Launched;
struct Warp;

/// The constants and sizes of one launch of a program. `program`, `launch` and `memory` must outlive it.
class PreparedLaunch {
 public:
  /// `parameter_offsets`: where the launch has its parameters, as emulator::Program::parameter_offsets() says; the
  /// machine code may expect them elsewhere.
  PreparedLaunch(const Program& program, const emulator::Launch& launch, std::span<const uint32_t> parameter_offsets,
                 emulator::GlobalMemory& memory);
  ~PreparedLaunch();
  /// Of the SM; 1 unless it is set. Threads that sleep or read the time see it.
  void set_clock_rate(double clocks_per_nanosecond);
  /// From now on what its blocks store to global memory is undone by the destructor, which they must not outlive, or
  /// when this is called again.
  void undo_stores();
  const Program& program() const;
  uint32_t warps_per_block() const;
  const Launched& impl() const { return *impl_; }

 private:
  std::unique_ptr<Launched> impl_;
};

/// One block while it runs. A step of one warp at a time, in whatever order the caller likes.
class Block {
 public:
  /// `launch` must outlive it. `index`: of the block in the grid, x fastest.
  Block(const PreparedLaunch& launch, uint64_t index);
  /// The blocks of a cluster by rank; they must be stepped in turns, as each may wait for the others.
  static void form_cluster(std::span<Block* const> blocks);
  ~Block();

  uint32_t warps() const;
  WarpState state(uint32_t warp) const;
  /// The instruction that the warp issues next; it must be Ready.
  uint32_t next_pc(uint32_t warp) const;
  /// Issues the next instruction of a warp that is Ready. What it did is in `issue`, whose arrays are written only as
  /// far as they are used.
  void step(uint32_t warp, Issue& issue);
  /// From now on a clock says when bulk copies land, by land(), and only what changes clocks is computed: where warps
  /// go and which memory they access. Loops that wait for what other blocks write end at once, as if it were there.
  void follow_clock();
  /// In a block that follows a clock: the warp, which is Ready, passes up to `most` instructions that neither access
  /// global memory nor change anything. How many.
  uint64_t pass(uint32_t warp, uint64_t most);
  /// What its threads read as clock from now on; each step adds one.
  void set_clock(uint64_t clock);
  /// From now on loops that wait for what other blocks write end at once, as if it were there.
  void end_polls();
  /// The bytes of a copy to this block's shared memory arrive at its mbarrier.
  void land(const BulkCopy& copy);
  bool done() const;  ///< All warps are.
  /// What stopped it; the block must not be stepped after a fault.
  const std::optional<Fault>& fault() const;

  struct Impl;

 private:
  std::unique_ptr<Impl> impl_;
};

/// The blocks of that cluster of the grid, by rank; of a launch without clusters the one block. `launch` must outlive
/// them.
std::vector<std::unique_ptr<Block>> blocks_of_cluster(const PreparedLaunch& launch, const ClusterShape& shape,
                                                      uint64_t number);

/// How a block that ran by itself ended.
enum class Outcome : uint8_t { Finished, Faulted, Deadlocked, StepBudget };
/// How often each instruction ran.
struct Counts {
  std::vector<uint64_t> warp_executions;    ///< By pc, a guard that is false for all lanes included.
  std::vector<uint64_t> thread_executions;  ///< By pc.
};
/// Runs blocks from their start to their end, their warps in turns: one block, or those of a cluster. `counts`: of each
/// block, sized for the program; null where it is not counted, and it may have fewer than there are blocks.
Outcome run_blocks(std::span<Block* const> blocks, uint64_t step_budget, std::span<Counts* const> counts = {});

}  // namespace tilescope::machine
