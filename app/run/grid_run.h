#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "analysis/accessed_bytes.h"
#include "analysis/counter.h"
#include "analysis/findings.h"
#include "analysis/store_regions.h"
#include "emulator/emulator.h"
#include "run/launched_kernel.h"
#include "trace/instruction_log.h"
#include "trace/trace.h"

namespace tilescope::run {

/// How the caller observes and stops a run. Everything is optional.
struct Control {
  const std::atomic<bool>* cancel = nullptr;
  /// Called about 10 times a second from the calling thread: the current phase, and how much of it is done.
  std::function<void(const std::string& what, uint64_t done, uint64_t total)> progress;
  unsigned threads = 0;                      ///< 0: one for each processor.
  double seconds = 300;                      ///< Wall time that the emulation may take.
  double block_seconds = 20;                 ///< Processor time that may pass without a finished block.
  uint64_t step_budget = 200'000'000;        ///< Warp instructions that one block may issue.
  uint64_t instruction_limit = 150'000'000;  ///< An estimated cost_of() beyond which sample blocks are counted.
};

bool cancelled(const Control& control);
unsigned thread_count(const Control& control);

/// Whether it prints, asserts or uses the device's heap.
bool calls_system(const ptx::Function& function);

/// Which blocks to run, and what to watch them with.
struct Selection {
  std::vector<uint32_t> blocks = {};  ///< Ascending.
  std::vector<uint32_t> before = {};  ///< Those that have run: where blocks wait for others, these are not run again.
  /// Of a single block: which to run after it, ascending, by what it did. The same checkers watch them.
  std::function<std::vector<uint32_t>(const emulator::Counts& first)> then = nullptr;
  bool check = false;                    ///< All four checkers; the blocks then run one after another.
  bool accesses = false;                 ///< Record which bytes of global memory are accessed.
  trace::Recorder* recorder = nullptr;   ///< If set, receives every event; only with a single block.
  trace::InstructionLog* log = nullptr;  ///< Likewise.
};

/// The combined result of the blocks. The same for any number of threads as long as no block failed; with a failed
/// block `outcome`, `failed_block` and the findings of that block are still the same.
struct GridRun {
  emulator::Outcome outcome = emulator::Outcome::Finished;
  uint32_t failed_block = 0;  ///< The lowest that did not finish.
  bool out_of_time = false, out_of_memory = false;
  double seconds_allowed = 0;        ///< The exceeded limit, if it is out of time.
  bool was_progressing = false;      ///< Then: blocks were still finishing, so it was slow and no endless loop.
  std::vector<uint32_t> sample;      ///< The blocks of which this is, ascending; empty: all. Set by who chose them.
  std::vector<uint32_t> companions;  ///< Those not selected that ran because a selected block waited for others.
  uint64_t blocks_done = 0;          ///< Companions included.
  uint64_t checked_blocks = 0;       ///< Those of them that racecheck and initcheck watched.
  emulator::Counts counts;
  analysis::Counter counter;
  analysis::Findings findings;
  std::vector<analysis::StoreRegion> stores;  ///< By block; arrays as in the launch's memory.
  std::vector<analysis::StoreRegion> loads;   ///< Likewise, of blocks that run together: they can wait for each other.
  std::vector<uint8_t> touched;               ///< For each array of the launch's memory bits of emulator::Touch.
  std::optional<analysis::AccessedBytes> accessed;  ///< If selected.
  std::string printed;

  explicit GridRun(const LaunchedKernel& launch);
  /// All blocks came to their ends.
  bool finished() const { return outcome == emulator::Outcome::Finished && !out_of_memory; }
  /// Adds what other blocks did. The sample stays.
  void merge(GridRun&& other);
};

/// Runs the blocks, on several threads unless they may influence each other, print, or are checked. The counter,
/// memcheck and synccheck always watch. Where a block waits for what others are to write, those run beside it, and
/// racecheck and initcheck, which know one block at a time, watch no longer. Those of a cooperative launch run in
/// turns, all of them whatever the selection names: these are what is watched, and not by racecheck and initcheck,
/// which know one block at a time, or one cluster. Clusters run side by side, too; where they are checked, one after
/// another, each that a selected block is in.
GridRun run_grid(const LaunchedKernel& launch, const Selection& selection, const Control& control);

}  // namespace tilescope::run
