#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "analysis/timeline.h"
#include "ptx/module.h"
#include "trace/trace.h"

namespace tilescope::analysis {

/// The load of a value.
struct LoadedFrom {
  StepRef at;
  uint32_t lane = 0;
  Space space = Space::None;
  uint64_t address = 0;  ///< Of the value's first byte, as in trace::Access.
};

/// The sources of the values in the traced block's registers and shared memory, found by walking back through the
/// instructions that its warps really issued. Nothing is cached: each query walks. All arguments must outlive it.
class DataFlow {
 public:
  DataFlow(const ptx::Function& function, const trace::Trace& trace, const Timeline& timeline);

  /// The load whose value register `index` of the lane holds before the instruction at `at`; nullopt if it was computed
  /// by anything but moves and conversions, including rounding to TF32 by hand. `byte`: of which byte of the register,
  /// if it holds several values.
  std::optional<LoadedFrom> origin(const StepRef& at, uint32_t lane, int32_t index, uint32_t byte = 0) const;
  /// The same for an operand; nullopt if it is not a register.
  std::optional<LoadedFrom> origin(const StepRef& at, uint32_t lane, const ptx::Operand& operand) const;
  /// The load of global memory, or the bulk copy, whose value was the last to be stored at this shared address before
  /// `slot`.
  std::optional<LoadedFrom> stored_from(uint64_t shared_address, uint32_t slot) const;
  /// The load that brought what the lane stores at `address` by the store at `at`; for an async copy its global side.
  std::optional<LoadedFrom> source_of_store(const StepRef& at, uint32_t lane, uint64_t address) const;

  /// Registers that accumulate one sum: the destinations and addends of multiply-adds, those of matrix products
  /// register by register, and the moves between them.
  /// A number for each register; -1 for registers outside of sums.
  const std::vector<int32_t>& sums() const { return sums_; }
  /// The sum that the multiply-add at pc adds to; -1 for other instructions.
  int32_t sum_of(uint32_t pc) const { return sum_of_pc_[pc]; }
  /// The sum that the store at `at` writes as element number `part` of those that a lane stores; -1 when it stores
  /// something else.
  int32_t sum_stored(const StepRef& at, uint32_t part) const;

 private:
  struct Stored {
    std::optional<LoadedFrom> from;
    uint32_t slot = 0;
  };
  void find_store(uint64_t shared_address, uint32_t slot, uint32_t warp, int32_t tile, Stored& latest) const;
  void find_bulk_copy(uint64_t shared_address, uint32_t slot, Stored& latest) const;
  const ptx::Operand* stored_operand(const StepRef& at, uint32_t lane, uint64_t address) const;
  std::optional<LoadedFrom> loaded_part(const StepRef& at, uint32_t lane, int32_t index, uint32_t byte) const;

  const ptx::Function* function_;
  const trace::Trace* trace_;
  const Timeline* timeline_;
  std::vector<int32_t> sums_, sum_of_pc_;
  std::vector<int32_t> made_of_;  ///< By register: the sum that it is computed from; -1 for none.
};

}  // namespace tilescope::analysis
