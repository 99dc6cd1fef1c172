#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "emulator/handler.h"
#include "trace/observer.h"

namespace tilescope::emulator {

struct Block;

/// Host memory for the device addresses [base, base + bytes).
struct Window {
  uint64_t base = 0;
  uint64_t bytes = 0;
  std::byte* host = nullptr;
};

/// How far the addresses of an instruction's lanes were apart when it last ran with all of them.
struct AddressPattern {
  std::array<uint64_t, trace::kLanes> distances{};  ///< From lane 0's address.
  uint64_t least = 0;                               ///< Of the distances, as signed numbers.
  uint64_t span = 0;                                ///< From the least to the greatest.
  uint64_t bits = 0;                                ///< That any distance has.
  uint32_t number = 0;  ///< Another for each pattern that the instruction has had; 0: it had none.

  /// Takes over the pattern of 32 addresses.
  void renew(const uint64_t* addresses);
};

/// Lanes of a warp at the same instruction. Paths form a tree: a divergent branch splits a path's lanes into children,
/// and the path waits at their reconvergence point until no child is left.
struct Path {
  enum class State : uint8_t { Ready, AtBarrier, AtWarpSync };
  int32_t pc = 0;
  uint32_t mask = 0;
  int32_t reconverge = -1;  ///< The path ends here; -1: only at the exit.
  int32_t parent = -1;
  int32_t children = 0;
  State state = State::Ready;
  uint32_t waits_for = 0;  ///< AtBarrier: its number. AtWarpSync: the member mask.
  uint32_t polls = 0;      ///< How often it went back to read again what other threads may write.
};

/// One cp.async of a warp, until its data arrives.
struct PendingCopy {
  uint32_t mask = 0;  ///< Lanes whose copy has not completed.
  uint32_t step = 0;  ///< The instruction's number in its warp.
  uint8_t bytes = 0;
  std::array<uint8_t, trace::kLanes> source_bytes{};  ///< The rest of `bytes` is filled with zeros.
  std::array<uint32_t, trace::kLanes> group{};        ///< Commit group of each lane; kUncommitted before the commit.
  std::array<const std::byte*, trace::kLanes> source{};
  std::array<std::byte*, trace::kLanes> destination{};
  static constexpr uint32_t kUncommitted = ~0u;
};

/// A wgmma.mma_async of a warp until the wait that ends it.
struct PendingProduct {
  const DecodedInstruction* in = nullptr;
  uint32_t group = ~0u;  ///< Commit group; ~0 before the commit.
  bool adds = false;
  uint64_t a = 0, b = 0;                                            ///< Descriptors.
  std::array<std::array<uint32_t, trace::kLanes>, 4> a_fragment{};  ///< Where A comes from registers.
};

/// The state of one warp: all that handlers see of the machine.
struct Warp {
  std::byte* file = nullptr;  ///< The register file; see DecodedInstruction.
  Block* block = nullptr;
  trace::Observer* observer = nullptr;
  Window shared;
  Window* global = nullptr;            ///< Per pc: the allocation that the instruction last touched.
  AddressPattern* patterns = nullptr;  ///< Per pc.
  uint16_t index = 0;
  uint32_t live = 0;       ///< Lanes that exist and have not exited.
  uint32_t active = 0;     ///< Lanes of the running path.
  uint32_t step_base = 0;  ///< The number of the instruction at pc is step_base + pc while a straight line runs.
  uint32_t steps = 0;
  uint32_t last_work = 0;      ///< The step after the last one that was not in a loop that waits for other blocks.
  std::byte* local = nullptr;  ///< 32 frames of Block::local_bytes.
  std::vector<Path> paths;
  std::vector<int32_t> free_paths;
  int32_t current = 0;
  uint32_t carries = 0;  ///< CC.CF of each lane.
  bool wants_yield = false;
  /// The mbarrier wait in vain that ended the warp's latest turn.
  struct Wait {
    uint32_t lanes = 0;  ///< 0: the turn ended in another way.
    uint32_t pc = 0;
    uint64_t barrier = 0;  ///< Shared offset.
  };
  Wait unfinished_wait;
  std::vector<PendingCopy> copies;
  std::array<uint32_t, trace::kLanes> committed_groups{};
  std::vector<PendingProduct> products;  ///< In the order of issue.
  uint32_t product_groups = 0;           ///< Committed so far.
  uint32_t cluster_arrived = 0;          ///< Lanes that have arrived at the cluster's barrier in its phase.
  uint32_t cluster_phase = 0;            ///< The phase in which they did.
  std::vector<uint32_t> written;         ///< Per register: lanes that have written it; only when registers are checked.

  trace::Step step(uint32_t pc, uint32_t mask) const;
};

/// The memory at a lane's address.
struct Place {
  Space space = Space::None;
  uint64_t address = 0;       ///< In that space.
  std::byte* host = nullptr;  ///< Null where not all `bytes` are inside an allocation.
};
Place place_of(Warp& warp, uint32_t pc, Space space, uint64_t address, uint32_t lane, uint64_t bytes);
/// Publishes an address fault of `lanes`, if there are any.
void fault_lanes(Warp& warp, const DecodedInstruction& in, trace::FaultKind kind, trace::AccessKind access, Space space,
                 uint8_t bytes, uint32_t mask, uint32_t lanes, const uint64_t* addresses);

/// The lanes of an access on the slow path.
struct LanePlaces {
  uint64_t address[trace::kLanes] = {};  ///< As the kernel gives it; after place_lanes in its own space.
  std::byte* host[trace::kLanes] = {};   ///< Null for lanes that faulted or are not in the mask.
  uint32_t by_space[8] = {};             ///< Those that did not, by Space.
};
/// The addresses of an instruction whose address is its first source, of all lanes.
void lane_addresses(const Warp& warp, const DecodedInstruction& in, uint64_t* addresses);
/// Finds `bytes` bytes, a power of two and at most 16, of each lane in `mask`, and publishes the faults. in.space says
/// where they are, and in.access whether they are read.
void place_lanes(Warp& warp, const DecodedInstruction& in, uint64_t bytes, uint32_t mask, LanePlaces& lanes);
/// Publishes the access, once for each space it reaches; the warp must have an observer.
void publish_each_space(Warp& warp, const DecodedInstruction& in, const LanePlaces& lanes, const uint8_t (*values)[16]);

// Handlers whose lanes depend on each other, and the general forms of the rest.
void slow_access(Warp& warp, const DecodedInstruction& in, uint32_t mask);  ///< ld, st, atom, red of any form.
/// `pattern` as in trace::Access.
void publish(Warp& warp, const DecodedInstruction& in, uint32_t mask, const uint64_t* addresses,
             const uint8_t (*values)[16], uint32_t pattern = 0);
void publish_store(Warp& warp, const DecodedInstruction& in, uint32_t mask, const uint64_t* addresses,
                   uint32_t pattern);
void copy_lanes(Warp& warp, const DecodedInstruction& in, uint32_t mask);     ///< A row of `lane_size` to another.
void convert_lanes(Warp& warp, const DecodedInstruction& in, uint32_t mask);  ///< cvt of any form.
void move_vector(Warp& warp, const DecodedInstruction& in, uint32_t mask);    ///< mov that packs or unpacks.
void address_space_lanes(Warp& warp, const DecodedInstruction& in, uint32_t mask);  ///< isspacep
void carry_arithmetic(Warp& warp, const DecodedInstruction& in, uint32_t mask);     ///< add.cc, addc, ...
void read_clock(Warp& warp, const DecodedInstruction& in, uint32_t mask);
void shuffle(Warp& warp, const DecodedInstruction& in, uint32_t mask);
void vote(Warp& warp, const DecodedInstruction& in, uint32_t mask);
void match(Warp& warp, const DecodedInstruction& in, uint32_t mask);
void reduce(Warp& warp, const DecodedInstruction& in, uint32_t mask);  ///< redux.sync
void elect(Warp& warp, const DecodedInstruction& in, uint32_t mask);
void active_mask(Warp& warp, const DecodedInstruction& in, uint32_t mask);
void matrix_access(Warp& warp, const DecodedInstruction& in, uint32_t mask);    ///< ldmatrix, stmatrix
void matrix_multiply(Warp& warp, const DecodedInstruction& in, uint32_t mask);  ///< mma.sync, wmma.mma
void move_fragment(Warp& warp, const DecodedInstruction& in, uint32_t mask);    ///< wmma.load, wmma.store
void wide_multiply(Warp& warp, const DecodedInstruction& in, uint32_t mask);    ///< wgmma.mma_async
void wide_commit(Warp& warp, const DecodedInstruction& in, uint32_t mask);
void wide_wait(Warp& warp, const DecodedInstruction& in, uint32_t mask);
void async_copy(Warp& warp, const DecodedInstruction& in, uint32_t mask);  ///< cp.async
void async_commit(Warp& warp, const DecodedInstruction& in, uint32_t mask);
void async_wait(Warp& warp, const DecodedInstruction& in, uint32_t mask);
void mbarrier(Warp& warp, const DecodedInstruction& in, uint32_t mask);   ///< mbarrier.* and cp.async.mbarrier.arrive
void bulk_copy(Warp& warp, const DecodedInstruction& in, uint32_t mask);  ///< cp.async.bulk, cp.async.bulk.tensor
void bulk_commit(Warp& warp, const DecodedInstruction& in, uint32_t mask);
void bulk_wait(Warp& warp, const DecodedInstruction& in, uint32_t mask);
void set_register_count(Warp& warp, const DecodedInstruction& in, uint32_t mask);  ///< setmaxnreg
void cluster_arrive(Warp& warp, const DecodedInstruction& in, uint32_t mask);
void map_address(Warp& warp, const DecodedInstruction& in, uint32_t mask);  ///< mapa, getctarank
void fence(Warp& warp, const DecodedInstruction& in, uint32_t mask);
void request_yield(Warp& warp, const DecodedInstruction& in, uint32_t mask);  ///< nanosleep
void nothing(Warp& warp, const DecodedInstruction& in,
             uint32_t mask);  ///< prefetch, pmevent, brkpt, griddepcontrol, bar.warp.sync

}  // namespace tilescope::emulator
