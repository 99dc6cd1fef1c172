#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <numeric>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "analysis/bound.h"
#include "analysis/counter.h"
#include "analysis/findings.h"
#include "analysis/occupancy.h"
#include "base/diagnostic.h"
#include "base/memory.h"
#include "emulator/emulator.h"
#include "kernel/configuration.h"
#include "predict/predict.h"
#include "run/verify.h"

namespace tilescope::run {

/// ptxas's figures for the kernel. Absent figures: the PTX came without a cubin.
struct Resources {
  std::optional<uint32_t> registers;    ///< Per thread.
  uint64_t shared_bytes = 0;            ///< Static, per block.
  std::optional<uint64_t> spill_bytes;  ///< Stores and loads together, per thread.
  /// Instructions of the main loop's machine code that load shared memory: at most 4, 8 and 16 bytes per lane.
  std::optional<std::array<uint32_t, 3>> loop_loads;
};

/// The counts of one line of the CUDA source.
struct LineCounts {
  int line = 0;
  uint64_t warp_instructions = 0;
  analysis::PcCounts memory;
};

/// Counted by emulating the kernel.
struct Counts {
  std::vector<uint32_t> blocks;  ///< Linear numbers of the blocks run, ascending; empty for all.
  uint64_t blocks_counted = 0, blocks_total = 0;
  bool has_all_blocks() const { return blocks_counted == blocks_total; }
  uint64_t thread_instructions = 0, warp_instructions = 0;
  uint64_t fma = 0;                  ///< Threads that executed an fma or mad of floating point; packed ones count two.
  uint64_t fma_issued = 0;           ///< The same; packed ones count one.
  uint64_t fma_warps = 0;            ///< Warp instructions that did.
  uint64_t tensor_instructions = 0;  ///< Of warps: mma.sync, and wgmma for each of its four warps.
  std::array<uint64_t, arch::kTensorTypes> tensor_fmas = {};  ///< Their multiply-adds, by type.
  uint64_t divergent_branches = 0;
  analysis::PcCounts memory;
  std::vector<LineCounts> lines;        ///< By line; those that executed something.
  std::vector<LineCounts> calls;        ///< By line: the counts of functions called and inlined there.
  std::vector<analysis::PcCounts> pcs;  ///< By pc.
  std::map<int, uint64_t> ptx_lines;    ///< Warp instructions by line of the PTX.
  uint64_t tensor_fma() const { return std::accumulate(tensor_fmas.begin(), tensor_fmas.end(), uint64_t{0}); }
};

/// What a line did; with it the functions that it calls where the line itself accesses no memory.
LineCounts counts_of_line(const Counts& counts, int line);

/// The recorded trace of one block.
struct TraceSummary {
  Dim3 block;
  uint64_t records = 0, bytes = 0, dropped = 0, hash = 0;
};

/// Why the kernel's result was not verified.
enum class Unverified : uint8_t {
  NotSaid,
  BlocksInteract,
  DidNotEnd,
  LaunchGuessed,
  ProductAssumed,  ///< C = A B was proposed, and does not hold.
  NothingWritten,  ///< None of the blocks that ran wrote an element.
  NoReference
};

/// How a run ended before its blocks were through.
struct Stop {
  emulator::Outcome outcome = emulator::Outcome::Finished;
  Dim3 block;                    ///< The first that did not finish.
  std::string file;              ///< Of the line ...
  int line = 0;                  ///< ... that issued the most warp instructions.
  uint64_t step_budget = 0;      ///< Warp instructions that a block might issue.
  double seconds = 0;            ///< Wall time that the run might take.
  bool was_progressing = false;  ///< Blocks still came to their end when it passed: slow, and no endless loop.
  uint64_t blocks_done = 0, blocks_total = 0;
};

/// All results of one run. The same request gives the same report.
struct Report {
  std::string kernel, title, file;
  std::vector<std::pair<std::string, int64_t>> params;
  kernel::Size size;
  std::string extents;           ///< Those of the size that mean something: kernel::used_extents().
  bool is_product = false;       ///< C = A * B of matrices: FLOP/s and figures per element of C mean something.
  std::string arch;              ///< "sm_90"
  std::string compiled_by;       ///< "NVRTC 13.0", "nvcc 13.0", "prebuilt PTX"
  bool instead_of_nvcc = false;  ///< As in compile::Output.
  Dim3 grid, block;
  uint64_t shared_bytes = 0;    ///< Static and dynamic, per block.
  bool launch_guessed = false;  ///< Block and grid are a guess: errors may be theirs.
  bool proposed = false;        ///< So are sizes, values and what is computed.
  bool cooperative = false;     ///< Its blocks run side by side; racecheck and initcheck do not watch them.
  Resources resources;
  std::optional<analysis::Occupancy> occupancy;
  Counts counts;
  std::optional<Verification> verified;
  std::optional<Unverified> not_verified;  ///< Why there is no verification; nullopt if there is one.
  Message reference_problem;  ///< With Unverified::NoReference: why the reference gave nothing to compare with.
  analysis::Findings findings;
  analysis::Findings unproved;  ///< What depends on guessed sizes or values: not the kernel's faults.
  std::optional<std::pair<std::string, analysis::Bound>> bound;  ///< Device and its bound; whole grids only.
  std::optional<predict::Predicted> predicted;                   ///< For the same device; see add_time().
  predict::Gap not_predicted = predict::Gap::None;               ///< Why there is none, if because of the kernel.
  std::optional<TraceSummary> trace;
  std::optional<Stop> stopped;  ///< The run ended before its blocks were through.
  std::string printed;          ///< What the kernel printed.
  std::string ptx;
  std::vector<std::string> source;  ///< Lines of the CUDA text.
  Diagnostics warnings;             ///< Of the compiler.
  uint64_t memory_bytes = 0;        ///< Of the arrays.

  /// Something is wrong: a finding, a wrong result, a run that did not end by itself, or a reference of no use. Not an
  /// end that values may have to do with that nobody has said, and not one that took too long.
  bool has_finding() const {
    const bool hangs = stopped && stopped->outcome != emulator::Outcome::Cancelled &&
                       (!proposed || stopped->outcome == emulator::Outcome::Deadlocked);
    return !findings.empty() || (verified && verified->wrong > 0) || hangs || not_verified == Unverified::NoReference;
  }
  /// Nothing is wrong, and all that was to run has run.
  bool is_clean() const { return !has_finding() && !stopped; }
  /// Elements of a product's C that the counted blocks wrote; 0 if unknown.
  uint64_t elements_counted() const {
    if (!is_product) return 0;
    if (counts.has_all_blocks())
      return static_cast<uint64_t>(size.m) * static_cast<uint64_t>(size.n);
    return verified ? verified->elements : 0;
  }
};

}  // namespace tilescope::run
