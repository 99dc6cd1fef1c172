#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "ptx/module.h"
#include "trace/instruction_log.h"
#include "trace/trace.h"

namespace tilescope::analysis {

/// The kind of a warp instruction in a matrix product.
enum class StepKind : uint8_t { Other, LoadGlobal, AsyncCopy, StoreShared, LoadShared, Multiply, Barrier, StoreGlobal };
constexpr size_t kStepKinds = 8;
/// "load global", "async copy", "store shared", "load shared", "multiply-add", "barrier", "store global", "other"
std::string_view to_string(StepKind kind);
/// Atomics and reductions count as stores, and bulk copies out of shared memory; other spaces than global and shared
/// are Other.
StepKind kind_of(const ptx::Instruction& instruction);

/// Load: global loads, async copies, stores to shared memory. Compute: shared loads and multiply-adds. Store: global
/// stores, and stores to shared memory of what is made of sums of products. In a warp that multiplies, loads of what is
/// stored with a sum belong to Store, and shared loads of what is stored to shared memory again to Load. What is of
/// kind Other belongs to what follows it, as do multiply-adds that only scale a sum. Between the products of two phases
/// that follow each other the warp waits for copies.
enum class PhaseKind : uint8_t { Load, Sync, Compute, Store };
/// "load", "sync", "compute", "store"
std::string_view to_string(PhaseKind kind);

/// A range of one warp's instructions: [begin, end) in steps of the warp.
struct Phase {
  PhaseKind kind = PhaseKind::Load;
  uint32_t begin = 0, end = 0;
  uint32_t first = 0;  ///< Its first instruction that is not of kind Other: where stepping arrives.
};

/// Steps of a warp, [begin, end).
struct Steps {
  uint32_t begin = 0, end = 0;
};

/// One warp instruction of the traced block.
struct StepRef {
  uint32_t warp = 0;
  uint32_t step = 0;  ///< The warp's own count of instructions, from 0.
  bool operator==(const StepRef&) const = default;
};

/// The size of a step of the cursor.
enum class Unit : uint8_t { Instruction, Access, Phase, Tile };
inline constexpr std::array kUnits = {Unit::Instruction, Unit::Access, Unit::Phase, Unit::Tile};
/// "instruction", "access", "phase", "k-tile"
std::string_view to_string(Unit unit);

/// The traced block's instructions in order, one row per warp. Between barriers warps run independently; the timeline
/// aligns them. A slot is a place in that order which all warps share: each warp has at most one instruction in a slot,
/// a warp that waits at a barrier has none until the last one arrives, and after it every warp goes on in the same
/// slot. A wait that finds the phase of an mbarrier complete is after the arrivals at it and the bulk copies to it.
/// Slots count instructions, not time. A barrier line is the first slot after a barrier that all warps have met at.
/// Immutable. `function` and `log` must outlive it. Every warp and step that is passed in must exist.
class Timeline {
 public:
  /// The block is the only one of the trace.
  Timeline(const ptx::Function& function, const trace::Trace& trace, const trace::InstructionLog& log);

  uint32_t warps() const { return static_cast<uint32_t>(rows_.size()); }
  uint32_t slots() const { return slots_; }
  uint32_t steps(uint32_t warp) const { return log_->steps(warp); }  ///< 0: the warp issued nothing.

  uint32_t pc(const StepRef& at) const;
  uint32_t active(const StepRef& at) const;  ///< Lanes on the path; guards not applied.
  StepKind kind(const StepRef& at) const { return kinds_[pc(at)]; }
  StepKind kind(uint32_t pc) const { return kinds_[pc]; }
  /// Records of the trace for this instruction (usually none or one), [first, last).
  std::pair<const uint32_t*, const uint32_t*> records(const StepRef& at) const;
  /// The bulk copies that this instruction starts, by lane.
  std::span<const trace::BulkRecord* const> bulk_copies(const StepRef& at) const;
  /// The shared memory that a wgmma reads; null for other instructions.
  const trace::ProductRecord* product_read(const StepRef& at) const;
  /// The access record of this instruction; nullopt if it accesses no memory or no lane took part.
  std::optional<uint32_t> access(const StepRef& at) const;

  uint32_t slot(const StepRef& at) const;
  /// The warp's instruction in that slot; nullopt if it waits or has ended.
  std::optional<uint32_t> step_in(uint32_t warp, uint32_t slot) const;
  /// The same or the nearest earlier slot's; 0 if there is none. The warp must have steps.
  uint32_t step_at_or_before(uint32_t warp, uint32_t slot) const;
  /// Ascending.
  const std::vector<uint32_t>& barrier_lines() const { return barrier_lines_; }

  /// The run falls into intervals between barriers that all warps meet at, one more than there are barrier lines. Which
  /// the instruction is in, from 0; a barrier is the last instruction of its interval.
  uint32_t interval(const StepRef& at) const;
  /// The warp's steps in an interval; empty if it has ended before.
  Steps steps_in(uint32_t warp, uint32_t interval) const;
  /// Its first slot.
  uint32_t first_slot(uint32_t interval) const { return interval == 0 ? 0 : barrier_lines_[interval - 1]; }
  bool ends_at_barrier(uint32_t interval) const { return interval < barrier_lines_.size(); }
  /// Whether warps wait only at barriers of the whole block: then each may be anywhere in the interval of one of them.
  /// Not with barriers of only some warps or parts of a warp, or mbarriers.
  bool free_between_barriers() const { return free_between_barriers_; }

  const std::vector<Phase>& phases(uint32_t warp) const { return rows_[warp].phases; }
  const Phase& phase(const StepRef& at) const;
  /// First steps of the k-tiles: the load phases that come first or after products; and the products behind a barrier
  /// or a wait for copies that nothing is loaded before, the last ones of a pipeline. Loads and stores before any
  /// product begin none. Of warps that copy and never compute the load phases behind a wait.
  const std::vector<uint32_t>& tiles(uint32_t warp) const { return rows_[warp].tiles; }
  /// Which k-tile the instruction belongs to, from 0; -1 before the first.
  int32_t tile(const StepRef& at) const;

  /// The moment one unit forward (`direction` 1) or back (-1), in the same warp; `at` itself at the ends. From the
  /// start of a unit, n units forward and n back return to it.
  StepRef move(const StepRef& at, Unit unit, int direction) const;
  StepRef first(uint32_t warp) const { return {warp, 0}; }
  StepRef last(uint32_t warp) const { return {warp, steps(warp) == 0 ? 0 : steps(warp) - 1}; }

 private:
  struct Interval {
    uint32_t first_step = 0, slot = 0;
  };
  struct Row {
    std::vector<Interval> intervals;  ///< Between barriers that all warps meet at.
    std::vector<Interval> stretches;  ///< In which a slot follows the other; more than those where the warp waits.
    std::vector<Phase> phases;
    std::vector<uint32_t> tiles;
    std::vector<uint32_t> phase_arrivals, tile_arrivals;  ///< Where stepping arrives, ascending.
  };
  std::vector<std::vector<uint32_t>> barrier_steps() const;
  static size_t number_of_step(const std::vector<Interval>& intervals, uint32_t step);
  bool waits_at_whole_barriers_alone() const;
  void lay_out(const std::vector<std::vector<uint32_t>>& barriers);
  void lay_out_by_mbarriers();
  void find_phases(const ptx::Function& function);
  void find_tiles(Row& row, const std::vector<bool>& has_products) const;
  uint32_t next_boundary(const StepRef& at, Unit unit, int direction) const;

  const trace::InstructionLog* log_;
  const trace::Trace* trace_;
  std::vector<StepKind> kinds_;                             ///< By pc.
  std::vector<const trace::BulkRecord*> bulk_copies_;       ///< By warp, then step.
  std::vector<const trace::ProductRecord*> product_reads_;  ///< Likewise.
  std::vector<Row> rows_;
  std::vector<uint32_t> barrier_lines_;
  uint32_t slots_ = 0;
  bool free_between_barriers_ = false;
  bool waits_at_mbarriers_ = false;
};

}  // namespace tilescope::analysis
