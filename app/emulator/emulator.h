#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/memory.h"
#include "base/result.h"
#include "emulator/memory.h"
#include "ptx/module.h"
#include "trace/observer.h"

/// Executes PTX on the CPU: warps in lockstep, 32 lanes at a time, blocks one by one.
namespace tilescope::emulator {

/// What a kernel is launched with.
struct Launch {
  Dim3 grid, block;
  uint32_t dynamic_shared_bytes = 0;
  std::vector<uint8_t> parameters;  ///< The entry's parameters at their PTX offsets; see Program::parameter_offsets.
  bool cooperative = false;         ///< The launch says that blocks wait for one another: see run_together().
};

/// An entry made ready to run: flattened, registers given slots, every instruction bound to the function that does it.
/// Immutable; any number of machines may share one.
class Program {
 public:
  /// Errors: no such entry (the nearest is named), an opcode or a form of one that is not in the table.
  static Result<std::shared_ptr<const Program>> build(const ptx::Module& module, std::string_view entry);

  ~Program();
  /// The flat entry; a pc is an index into its instructions.
  const ptx::Function& function() const;
  const ptx::Module& module() const;
  /// Offset of each parameter, and the size of all.
  const std::vector<uint32_t>& parameter_offsets() const;
  uint32_t parameter_bytes() const;
  /// The __shared__ arrays in the block's window with their offsets and the names that the PTX has for them; dynamic
  /// shared memory, where used, is last with 0 bytes.
  const std::vector<Allocation>& shared_arrays() const;
  uint32_t static_shared_bytes() const;
  /// Whether blocks may influence each other through global memory (atomics, or a grid-wide wait), so that they must
  /// run one after another for the result to be the same every time.
  bool blocks_interact() const;
  /// Whether the kernel uses what only a cooperative launch has, as grid.sync() does: it runs by run_together().
  bool is_cooperative() const;
  /// Blocks of a cluster, 1 in each direction where the kernel has none.
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
/// The same in two steps, for one who has the memory and keeps it from launch to launch: what place() is to be given,
/// in this order and last of all; then what they hold before the first launch.
std::vector<Allocation> module_variables(const ptx::Module& module);
void initialise_module_variables(const ptx::Module& module, GlobalMemory& memory);

enum class Outcome : uint8_t { Finished, Deadlocked, Trapped, StepBudget, Cancelled };

/// The registers of one instruction that a warp issued. Those that a barrier or a call writes are left out.
struct Registers {
  struct Register {
    int32_t index = -1;  ///< Into Function::registers.
    /// The lower 64 bits of a 128-bit one; a predicate is 0 or 1.
    std::array<uint64_t, trace::kLanes> bits{};
  };
  uint32_t lanes = 0;             ///< Those that execute it, their guard being true.
  std::vector<Register> read;     ///< Before it, the guard first.
  std::vector<Register> written;  ///< After it.
};

/// The registers of successive instructions of one warp of a block.
struct RegisterWatch {
  uint32_t block = 0, warp = 0, first = 0, count = 1;  ///< Steps, as trace::Step has them.
  std::vector<Registers> issued;  ///< From `first` on; fewer than `count` where the warp issues no more.
};

struct RunOptions {
  trace::Observer* observer = nullptr;        ///< May be null.
  bool check_registers = false;               ///< Publish UninitialisedRegister faults; slower.
  uint64_t step_budget = 0;                   ///< Warp instructions that a block may issue; 0 for no limit.
  const std::atomic<bool>* cancel = nullptr;  ///< Looked at every few thousand instructions.
  RegisterWatch* watch = nullptr;  ///< May be null. Once all of it is issued, the run is over as if cancelled.
};

/// How often each instruction ran.
struct Counts {
  std::vector<uint64_t>
      warp_executions;  ///< Per pc: warp instructions issued (a guard that is false for all lanes counts).
  std::vector<uint64_t> thread_executions;  ///< Per pc: threads that executed it, their guard being true.
  uint64_t divergent_branches = 0;
  void merge(const Counts& other);
};

/// What a launch did to an allocation of global memory.
enum Touch : uint8_t { kTouchRead = 1, kTouchWritten = 2 };

/// Runs blocks of one launch, one at a time. Not thread-safe; use one per thread over one GlobalMemory.
class Machine {
 public:
  /// `program`, `memory` and `launch` must outlive it.
  Machine(const Program& program, const Launch& launch, GlobalMemory& memory);
  ~Machine();
  /// Runs one block from its start. The same block on the same memory does the same every time.
  Outcome run_block(uint32_t block, const RunOptions& options);
  /// How a grid ended, and which block ended it where it did not finish.
  struct GridEnd {
    Outcome outcome = Outcome::Finished;
    uint32_t block = 0;
  };
  /// Runs blocks in turns, so that they may wait for one another: all of the grid, as a cooperative launch does, or
  /// those that `blocks` names, which must be whole clusters. `observers` has one for each block of the grid; one that
  /// is null is not counted. `options` says the rest, for each block.
  GridEnd run_together(const std::vector<trace::Observer*>& observers, const RunOptions& options,
                       std::vector<uint32_t> blocks = {});
  const Counts& counts() const;  ///< Summed over the blocks run so far.
  /// For each allocation of the memory what the blocks run so far did to it: bits of Touch.
  const std::vector<uint8_t>& touched() const;
  const std::string& printed() const;  ///< What the kernel printed with printf, at most 64 KiB.

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace tilescope::emulator
