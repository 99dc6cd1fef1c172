#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

#include "machine/step.h"

namespace tilescope::machine {

/// Rows of 32 lanes, aligned for the widest vectors.
class Rows {
 public:
  explicit Rows(size_t rows = 0) : words_(rows * kLanes + 16, 0) {
    const auto address = reinterpret_cast<uintptr_t>(words_.data());
    first_ = ((address + 63) & ~uintptr_t{63}) - address;
  }
  uint32_t* data() { return words_.data() + first_ / sizeof(uint32_t); }
  const uint32_t* data() const { return words_.data() + first_ / sizeof(uint32_t); }

 private:
  std::vector<uint32_t> words_;
  size_t first_ = 0;
};

/// What was in the parts of global memory to which blocks have stored since it was made; the destructor puts it back.
class OldMemory {
 public:
  ~OldMemory();
  /// Before a store there. `host`, `extent`: of the whole allocation.
  void keep(const std::byte* at, uint64_t bytes, std::byte* host, uint64_t extent);

 private:
  std::unordered_map<std::byte*, std::vector<std::byte>> pages_;
  std::byte* last_ = nullptr;  // The page that was asked for last.
};

struct Launched {
  const Program* program = nullptr;
  const emulator::Launch* launch = nullptr;
  emulator::GlobalMemory* memory = nullptr;
  std::vector<std::vector<uint8_t>> banks;
  Rows constants;
  uint32_t threads = 0, warps = 0;
  uint64_t shared_bytes = 0;
  uint32_t local_bytes = 0;
  uint64_t grid_workspace = 0;     ///< Of a cooperative launch; see GlobalMemory::make_grid_workspace().
  std::unique_ptr<OldMemory> old;  ///< Null unless stores are undone.
  double clocks_per_nanosecond = 1;

  /// A word of a constant bank; 0 beyond its end.
  uint32_t constant(uint32_t bank, int64_t offset, uint32_t bytes = 4) const;
};

/// Some lanes of a warp that are at the same instruction.
struct Path {
  enum class State : uint8_t { Ready, AtSync, AtWarpSync, AtBarrier, AtCluster, AtGroup };
  uint32_t pc = 0, mask = 0;
  State state = State::Ready;
  uint32_t waits_for = 0;  ///< AtSync: the convergence barrier. AtWarpSync: lanes. AtBarrier: its number.
};

struct Warp {
  Block::Impl* block = nullptr;
  const Launched* launched = nullptr;
  const uint32_t* bases[2] = {};  ///< The warp's rows, and the launch's constants.
  uint32_t* file = nullptr;
  std::array<uint32_t, kPredicates> predicates{};
  std::array<uint32_t, 16> syncs{};  ///< Of each convergence barrier the lanes that take part.
  uint32_t live = 0;
  uint32_t index = 0;
  WarpState state = WarpState::Ready;
  std::vector<Path> paths;
  uint32_t current = 0;
  std::vector<std::byte> local;
  Issue* issue = nullptr;       ///< Of the running step.
  uint32_t barrier_result = 0;  ///< Of BAR.RED, until B2R reads it.
  uint32_t cluster_phase = 0;   ///< Of the cluster's barrier, when the warp arrived.
  Rows storage;

  const uint32_t* row(uint32_t ref) const { return bases[ref >> 31] + (ref & ~kConstantRow) * kLanes; }
  uint32_t* written(uint32_t ref) { return file + ref * kLanes; }
};

/// A run of host memory behind addresses.
struct Window {
  uint64_t base = 0, bytes = 0;
  std::byte* host = nullptr;
};

// A shared address of a cluster: the block's rank above the offset in its shared memory.
constexpr uint32_t kRankShift = 24;
constexpr uint64_t kSharedOffset = (1u << kRankShift) - 1;
// The upper words of generic addresses in shared and in local memory, and the generic address of the kernel's
// parameters.
constexpr uint32_t kSharedWindow = 0x7d00, kLocalWindow = 0x7d03;
constexpr uint64_t kParameterWindow = 0x7d01'0000'0000;
// What stands for the addresses of printf, and of malloc and free.
constexpr uint64_t kPrintAddress = 0x7d02'0000'0000, kHeapAddress = kPrintAddress + 16;
/// Whether an access to that space goes to global memory.
constexpr bool is_global(Space space, uint64_t address) {
  return space == Space::Global ||
         (space == Space::Generic && address >> 32 != kSharedWindow && address >> 32 != kLocalWindow);
}

/// The blocks of a cluster while they run, by rank, and their barrier.
struct ClusterState {
  std::vector<Block::Impl*> blocks;
  uint32_t arrived = 0;  ///< Threads.
  uint32_t phase = 0;    ///< How often all have arrived.
};

struct Block::Impl {
  const Launched* launched = nullptr;
  uint64_t index = 0;
  Dim3 position;
  std::vector<Warp> warps;
  std::vector<std::byte> shared;
  Window global;  ///< The allocation last touched.
  uint32_t live_warps = 0;
  uint64_t clock = 0;          ///< That its threads read.
  bool follows_clock = false;  ///< See Block::follow_clock().
  bool ends_polls = false;     ///< See Block::end_polls().
  std::optional<Fault> fault;

  struct Barrier {
    uint32_t arrived = 0;  ///< Threads.
    uint32_t expected = 0;
    uint32_t votes = 0;      ///< Threads whose predicate was true,
    uint32_t against = 0;    ///< and those whose it was not.
    bool wants_all = false;  ///< BAR.RED.AND: whether it was true for all.
  };
  std::array<Barrier, 16> barriers{};
  std::shared_ptr<ClusterState> cluster;  ///< Null for a block without one.
  uint32_t rank = 0;

  /// The block of that rank in the cluster; this one where it has none and the rank is 0; else null.
  Impl* of_rank(uint32_t rank_wanted);
  /// The warp's threads arrive at the cluster's barrier.
  void arrive_at_cluster(Warp& warp, uint32_t lanes);

  /// Whether what the step's access moves is to be moved: else its addresses are all.
  bool moves(const Step& step) const { return step.needed || !follows_clock; }

  /// Memory behind a global address; null where no allocation holds all of it.
  std::byte* at_global(uint64_t address, uint32_t bytes);
  /// Before each store to global memory, whose place at_global() has just found.
  void before_store(const std::byte* at, uint64_t bytes) const {
    if (launched->old) launched->old->keep(at, bytes, global.host, global.bytes);
  }
  void fail(const Warp& warp, uint32_t lane, uint64_t address, Message what);
};

/// The lanes of `result` in `mask` become those of the row.
[[gnu::always_inline]] inline void commit(uint32_t* row, const uint32_t* result, uint32_t mask) {
  if (mask == ~0u) {
    __builtin_memcpy(row, result, kLanes * sizeof(uint32_t));
    return;
  }
  for (uint32_t l = 0; l < kLanes; ++l) row[l] = mask >> l & 1 ? result[l] : row[l];
}
[[gnu::always_inline]] inline void commit_predicate(Warp& warp, uint8_t index, uint32_t result, uint32_t mask) {
  uint32_t& p = warp.predicates[index];
  p = (p & ~mask) | (result & mask);
}

}  // namespace tilescope::machine
