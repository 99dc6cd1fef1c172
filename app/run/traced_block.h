#pragma once

#include <memory>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "analysis/store_regions.h"
#include "analysis/timeline.h"
#include "analysis/warp_access.h"
#include "base/result.h"
#include "run/block_accesses.h"
#include "run/grid_run.h"
#include "run/launch_memory.h"
#include "run/mbarriers.h"
#include "run/prepare.h"
#include "run/report.h"
#include "trace/instruction_log.h"
#include "trace/trace.h"

namespace tilescope::run {

/// Counts and findings of blocks of a launch. Immutable, like everything derived from it.
struct RunResult {
  PreparedPointer prepared;
  analysis::LaunchFacts facts;
  Report report;
  std::vector<analysis::StoreRegion> stores;  ///< Of every block that ran; arrays as in facts.global.
  std::vector<analysis::StoreRegion> loads;   ///< Likewise, of blocks that run together.

  const Request& request() const { return prepared->request; }
  const ptx::Function& function() const { return *facts.function; }
  const ptx::Instruction& instruction(uint32_t pc) const { return facts.function->instructions[pc]; }
};

/// Of the whole grid, or of sample blocks where that is too much; its findings are those of memcheck and synccheck.
struct GridCounts : RunResult {};

/// Of one block or all, with the findings of all four checkers.
struct CheckResult : RunResult {};

TraceSummary summary_of(const trace::Trace& trace, const Dim3& block);

/// Of one block, recorded.
struct TracedBlock : RunResult {
  /// `counts`: the block's counts.
  TracedBlock(RunResult counts, uint32_t block, LaunchMemory launch, trace::Trace trace, trace::InstructionLog log);
  TracedBlock(const TracedBlock&) = delete;
  TracedBlock& operator=(const TracedBlock&) = delete;

  uint32_t block = 0;   ///< Its linear number.
  LaunchMemory launch;  ///< As the block left it.
  trace::Trace trace;
  trace::InstructionLog log;
  analysis::Timeline timeline;
  analysis::MergedAccesses merged;  ///< The trace's accesses as merged by ptxas.
  BlockAccesses accesses;
  Mbarriers mbarriers;
};

/// Where a block is in the grid.
struct BlockPosition {
  uint32_t x = 0, y = 0, z = 0;
};

/// The block's linear number; an error where the grid has no such block.
Result<uint32_t> block_number(const BlockPosition& block, const Dim3& grid);

/// Each places the arrays, runs the blocks, counts, and verifies C. Errors: a block that the grid does not have, no
/// memory for the arrays, and "Cancelled.". What goes wrong in the kernel itself is in the report.
Result<std::shared_ptr<const TracedBlock>> trace_block(const PreparedPointer& prepared, const BlockPosition& block,
                                                       const Control& control = {});
/// The block is neither verified nor recorded: much faster, for callers that only need counts. The report's trace says
/// how much trace_block() would have recorded.
Result<Report> count_block(const PreparedPointer& prepared, const BlockPosition& block, const Control& control = {});
/// If control.instruction_limit allows less than the whole grid, sample blocks are counted.
Result<std::shared_ptr<const GridCounts>> count_grid(const PreparedPointer& prepared, const Control& control = {});
/// Without a block: all of them, one after another.
Result<std::shared_ptr<const CheckResult>> check_blocks(const PreparedPointer& prepared,
                                                        const std::optional<BlockPosition>& block,
                                                        const Control& control = {});

/// Why the report's trace is incomplete; nullopt if it is complete.
std::optional<Diagnostic> why_cut_off(const Report& report);

/// When `warp` of the traced block accesses memory on a CUDA line for the `occurrence`th time, from 1. Any line of an
/// asm statement means the one that has the instruction. Counted are accesses of `array`; when it is empty, of
/// the array that the line accesses first. Where the line itself accesses nothing, those of the functions that it calls
/// count, as far as they are inlined.
std::optional<analysis::StepRef> find_access(const TracedBlock& traced, int line, int occurrence, uint32_t warp,
                                             std::string_view array = {});

/// The line; in place of one of an asm statement that no instruction comes from another of its lines.
int line_with_instructions(const RunResult& run, int line);

/// The same where the line accesses memory; else when the warp for the `occurrence`th time multiplies matrices there,
/// starts a bulk copy, changes its number of registers or finds the phase of an mbarrier complete.
std::optional<analysis::StepRef> find_moment(const TracedBlock& traced, int line, int occurrence, uint32_t warp,
                                             std::string_view array = {});

}  // namespace tilescope::run
