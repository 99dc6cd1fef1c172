#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/written_bytes.h"
#include "base/memory.h"
#include "base/message.h"
#include "ptx/module.h"
#include "trace/event.h"

namespace tilescope::analysis {

/// The four tools of NVIDIA's Compute Sanitizer; the names mean the same, except that racecheck and initcheck
/// also cover the state spaces that theirs leave out.
enum class Checker : uint8_t { Memcheck, Racecheck, Initcheck, Synccheck };
std::string_view to_string(Checker checker);  ///< "memcheck"

enum class FindingKind : uint8_t {
  OutOfBounds,
  Misaligned,
  Trap,
  WriteWriteRace,  ///< Two unordered writes of different values to one byte.
  ReadWriteRace,   ///< An unordered read and write of one byte.
  AsyncCopyRace,   ///< A byte that a cp.async still has in flight is accessed.
  UninitialisedMemory,
  UninitialisedRegister,
  DivergentBarrier,    ///< Some of a warp's live lanes reach an aligned barrier.
  BarrierAfterExit,    ///< A barrier that completes although other threads of the block have exited.
  MismatchedBarriers,  ///< Threads wait at different barriers of the source.
  Deadlock,
  IncompleteWarpSync,
  BadBarrier,
  BadCopy,              ///< A bulk copy that the hardware refuses.
  UnwaitedCopy,         ///< The kernel ends without waiting for a bulk copy.
  BadDescriptor,        ///< A wgmma descriptor that leaves shared memory or has an invalid layout.
  AccumulatorInFlight,  ///< Use of a register that a wgmma may still be writing.
  BadRegisterCount,     ///< setmaxnreg with a count that is not allowed.
  MissingProxyFence,    ///< A bulk copy or a wgmma reads stored values without a fence.proxy.async between.
  MateExited,           ///< A block of a cluster may have exited when another uses its shared memory.
};
constexpr size_t kFindingKinds = 21;
std::string_view to_string(FindingKind kind);  ///< "out-of-bounds", "read-write-race", ...

/// One thread of a launch.
struct Thread {
  uint32_t block = 0;   ///< Linear number in the grid, x fastest.
  Dim3 block_position;  ///< blockIdx
  Dim3 position;        ///< threadIdx
  uint32_t warp = 0;    ///< In the block.
  uint32_t lane = 0;
};

/// One side of a finding: the thread and its instruction.
struct Site {
  Thread thread;
  uint32_t pc = 0;  ///< Index into the flat entry's instructions.
  int line = 0;     ///< CUDA line; 0 when the PTX carries none.
  int ptx_line = 0;
  trace::AccessKind access = trace::AccessKind::Load;  ///< If the finding is about memory.
  bool bulk = false;                                   ///< By a bulk copy.
  int called_from = 0;  ///< Line of the same file where the function of `line` is called; 0 in the kernel itself.
};

/// The place of an address outside of arrays: relative to the nearest array.
struct Stray {
  Allocation array;
  bool before = false;     ///< Before its first byte; else past its last.
  uint64_t distance = 0;   ///< Bytes from its first byte, or from its end to the first byte that is outside.
  std::string guess = {};  ///< As in LaunchFacts::GlobalArray.

  /// Past an end that nobody said, so that the array's size may be what is wrong.
  bool is_past_guess() const { return !before && !guess.empty(); }
};

/// An error of the kernel, with one instance of it. wording::sentence() words it.
struct Finding {
  Checker checker = Checker::Memcheck;
  FindingKind kind = FindingKind::OutOfBounds;
  Site site;  ///< Where it happens; for a race the write (of two writes the one earlier in the program).
  std::optional<Site> other;         ///< The other side of a race.
  bool needs_block_barrier = false;  ///< A race in one warp, where a barrier against another race ends both.
  Space space = Space::None;
  std::string array;             ///< "As"; empty if no array is concerned.
  std::string element;           ///< "As[3][17]"; empty if no array holds the byte.
  uint64_t address = 0;          ///< As in trace::Access.
  uint32_t bytes = 0;            ///< Bytes per lane of the access.
  std::optional<Dim3> owner;     ///< The block of the cluster whose shared memory it is, if not that of the sites.
  std::optional<Stray> stray;    ///< OutOfBounds: absent if the state space has no array.
  bool of_host = false;          ///< OutOfBounds: the program's main() has memory there; `array` is the parameter.
  uint32_t threads = 0;          ///< DivergentBarrier: that reach it. BarrierAfterExit: that had exited.
  uint32_t block_threads = 0;    ///< BarrierAfterExit: of the block.
  std::optional<Thread> exited;  ///< BarrierAfterExit: the first that had.
  Message detail;      ///< Trap: its text; a register: its name; a barrier: which, where it is known. OutOfBounds:
                       ///< where the array was freed.
  uint64_t count = 1;  ///< Instances; see Findings.
};

/// A launch's facts for the checkers.
struct LaunchFacts {
  /// An argument's buffer or a module variable.
  struct GlobalArray {
    Allocation allocation;
    bool initialised = true;  ///< Holds the caller's data at launch.
    /// If not initialised: the bytes written before, to which the checker adds the blocks' writes. Null: none.
    std::shared_ptr<WrittenBytes> written = nullptr;
    std::string guess = {};  ///< Its extents if they are a guess, "N + 4"; else empty.
  };
  /// An array that the program freed before the launch.
  struct FreedArray {
    Allocation allocation;
    std::string where;  ///< "on line 12 of a.cu"; "earlier" if that is unknown.
  };
  /// Memory of the host that a parameter points to.
  struct HostMemory {
    std::string parameter;
    uint64_t begin = 0, end = 0;  ///< From where the parameter points to the end of what is mapped.
  };
  const ptx::Module* module = nullptr;      ///< Must outlive the checkers, and so must `function`.
  const ptx::Function* function = nullptr;  ///< The flat entry whose instructions the pcs count.
  Dim3 grid, block;
  Dim3 cluster = {};  ///< In blocks; 1 in each direction without clusters.
  std::vector<GlobalArray> global;
  std::vector<FreedArray> freed = {};
  std::vector<HostMemory> host = {};  ///< The highest address first.
  std::vector<Allocation> shared;     ///< Offsets in the block's window; a dynamic array with the bytes of this launch.

  uint32_t threads() const { return static_cast<uint32_t>(block.count()); }
  uint32_t warps() const { return (threads() + trace::kLanes - 1) / trace::kLanes; }
  ClusterShape clusters() const { return {grid, cluster}; }
  const ptx::Instruction* instruction(uint32_t pc) const;
  /// CUDA line of an instruction in the file of the kernel: of code inlined from another file, where it was inlined.
  int line_of(uint32_t pc) const;
  /// CUDA line of the call, if the instruction is in a function of the kernel's file, inlined or not; else 0.
  int caller_of(uint32_t pc) const;
  Thread thread_at(uint32_t block_number, uint32_t warp, uint32_t lane) const;
  Site site_at(uint32_t pc, uint32_t block_number, uint32_t warp, uint32_t lane) const;
  /// Whether two instructions come from one place of the source, such as copies made by unrolling.
  bool same_source(uint32_t pc, uint32_t other_pc) const;
  /// Whether it is a barrier that all threads of the block must reach: one without a thread count.
  bool is_block_barrier(uint32_t pc) const;
  /// The array that holds the byte, or null.
  const Allocation* array_at(Space space, uint64_t address) const;
  /// "As[3][17]"; for an array without a description the element of an access of `bytes`. Empty if no array holds it.
  std::string element_at(Space space, uint64_t address, uint32_t bytes = 1) const;
  /// Names the array and the element at the finding's address, where one is known.
  void name_place(Finding& finding) const;
};

}  // namespace tilescope::analysis
