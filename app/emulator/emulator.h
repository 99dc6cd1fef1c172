#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/memory.h"
#include "base/result.h"
#include "emulator/memory.h"
#include "ptx/module.h"
#include "trace/observer.h"

/// Executes PTX on the CPU: warps in lockstep, 32 lanes at a time.
namespace tilescope::emulator {

/// The launch of a kernel.
struct Launch {
  Dim3 grid, block;
  uint32_t dynamic_shared_bytes = 0;
  std::vector<uint8_t> parameters;  ///< The entry's parameters at their PTX offsets; see Program::parameter_offsets.
  bool cooperative = false;         ///< Launched cooperatively: blocks may wait for one another, see run_together().
  uint32_t sms = 0;                 ///< Of the device, 0 where that is not known. Blocks are on them by turns.
};

/// An entry ready to run: flattened, registers assigned to slots, every instruction bound to its handler.
/// Immutable; any number of machines may share one.
class Program {
 public:
  /// `cluster`: of the launch, instead of the entry's own; 0 blocks for that. Errors: no such entry (the nearest is
  /// named), an opcode or a form of one that is not in the table.
  static Result<std::shared_ptr<const Program>> build(const ptx::Module& module, std::string_view entry,
                                                      Dim3 cluster = {0, 0, 0});

  ~Program();
  /// The flat entry; a pc is an index into its instructions.
  const ptx::Function& function() const;
  const ptx::Module& module() const;
  /// Offset of each parameter, and the size of all.
  const std::vector<uint32_t>& parameter_offsets() const;
  uint32_t parameter_bytes() const;
  /// The __shared__ arrays in the block's window with their offsets and PTX names; dynamic shared memory, if used,
  /// is last with 0 bytes.
  const std::vector<Allocation>& shared_arrays() const;
  uint32_t static_shared_bytes() const;
  /// Whether blocks may influence each other through global memory (atomics, or a wait for other blocks), so that they
  /// must run one after another for the result to be the same every time.
  bool blocks_interact() const;
  /// Whether the kernel needs a cooperative launch, as grid.sync() does; it is run by run_together().
  bool is_cooperative() const;
  /// Blocks of a cluster in each direction; 1 without clusters.
  Dim3 cluster() const;
  /// Whether it is cooperative, or has clusters of several blocks.
  bool runs_together() const { return is_cooperative() || cluster().count() > 1; }

  struct Impl;
  const Impl& impl() const { return *impl_; }

 private:
  Program();
  std::unique_ptr<Impl> impl_;
};

/// Module variables (.global and .const) of a program, placed in memory: once per launch, after the arguments' arrays
/// and before the machines.
Result<std::monostate> place_module_variables(const Program& program, GlobalMemory& memory);
/// The same in two steps, for callers that keep the memory from launch to launch: the allocations to place(), in this
/// order and after all others; then their contents before the first launch.
std::vector<Allocation> module_variables(const ptx::Module& module);
void initialise_module_variables(const ptx::Module& module, GlobalMemory& memory);

enum class Outcome : uint8_t { Finished, Deadlocked, Trapped, StepBudget, Cancelled };

/// The registers of one instruction that a warp issued. Registers written by barriers and calls are left out.
struct Registers {
  struct Register {
    int32_t index = -1;  ///< Into Function::registers.
    /// The lower 64 bits of a 128-bit one; a predicate is 0 or 1.
    std::array<uint64_t, trace::kLanes> bits{};
  };
  uint32_t lanes = 0;             ///< Lanes that execute it, with a true guard.
  std::vector<Register> read;     ///< Values before it, the guard first.
  std::vector<Register> written;  ///< Values after it.
};

/// The registers of successive instructions of one warp of a block.
struct RegisterWatch {
  uint32_t block = 0, warp = 0, first = 0, count = 1;  ///< Steps as in trace::Step.
  std::vector<Registers> issued;  ///< From `first` on; fewer than `count` if the warp issues fewer.
};

struct RunOptions {
  trace::Observer* observer = nullptr;        ///< May be null.
  bool check_registers = false;               ///< Publish UninitialisedRegister faults; slower.
  uint64_t step_budget = 0;                   ///< Warp instructions that a block may issue; 0 for no limit.
  const std::atomic<bool>* cancel = nullptr;  ///< Checked every few thousand instructions.
  RegisterWatch* watch = nullptr;  ///< May be null. The run ends, as if cancelled, once all of it has been issued.
};

/// The blocks that may run beside one that does nothing but wait for what others are to write.
struct Companions {
  struct Companion {
    uint32_t block = 0;
    trace::Observer* observer = nullptr;  ///< May be null.
  };
  std::function<std::optional<Companion>()> next;  ///< One that has not run, while there is any; null: none ever.
  uint64_t at_once = 0;                            ///< As many blocks as run side by side; 0: any number.
};

/// How often each instruction ran.
struct Counts {
  std::vector<uint64_t>
      warp_executions;  ///< Per pc: warp instructions issued (a guard that is false for all lanes counts).
  std::vector<uint64_t> thread_executions;  ///< Per pc: threads that executed it, with a true guard.
  uint64_t divergent_branches = 0;
  void merge(const Counts& other);
};

/// How a launch used an allocation of global memory.
enum Touch : uint8_t { kTouchRead = 1, kTouchWritten = 2 };

/// Runs blocks of one launch, one at a time. Not thread-safe; use one per thread over one GlobalMemory.
class Machine {
 public:
  /// `program`, `memory` and `launch` must outlive it.
  Machine(const Program& program, const Launch& launch, GlobalMemory& memory);
  ~Machine();
  /// Runs one block from its start. Deterministic for the same memory.
  Outcome run_block(uint32_t block, const RunOptions& options);
  /// How a grid ended, and the block that ended it if it did not finish.
  struct GridEnd {
    Outcome outcome = Outcome::Finished;
    uint32_t block = 0;
  };
  /// The same, and while it only waits, companions run beside it, in turns. Returns after all of them. `options` apply
  /// to each, but for the observer.
  GridEnd run_block(uint32_t block, const RunOptions& options, const Companions& companions);
  /// Runs blocks in turns, so that they may wait for one another: the whole grid, as in a cooperative launch, or
  /// `blocks`, which must be whole clusters. `observers` has an entry for each block of the grid; blocks with null are
  /// not counted. `options` apply to each block.
  GridEnd run_together(const std::vector<trace::Observer*>& observers, const RunOptions& options,
                       std::vector<uint32_t> blocks = {});
  const Counts& counts() const;  ///< Summed over the blocks run so far.
  /// Bits of Touch for each allocation, over the blocks run so far.
  const std::vector<uint8_t>& touched() const;
  const std::string& printed() const;  ///< Output of printf, at most 64 KiB.

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace tilescope::emulator
