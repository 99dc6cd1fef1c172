#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "analysis/data_flow.h"
#include "analysis/store_regions.h"
#include "analysis/timeline.h"
#include "base/memory.h"
#include "kernel/configuration.h"
#include "trace/trace.h"

namespace tilescope::run {

using analysis::Region;

/// Where an array stands in the figure of C = A * B.
enum class Side : uint8_t { None, A, B, C };

/// One array of the kernel as the traced block used it.
struct TracedArray {
  Allocation allocation;
  Side side = Side::None;          ///< A, B: the first and second input, and shared arrays that are filled from them.
  uint64_t rows = 0, columns = 0;  ///< As a matrix: all extents but the last are rows.
  /// Shared arrays: what lies side by side in a row came from a column of the input.
  bool transposed = false;
  Region touched;                    ///< By the block.
  std::vector<Region> warp_touched;  ///< By each of its warps.
  std::vector<Region> warp_read;     ///< Likewise, loads alone.

  uint64_t index_of(uint64_t address) const { return (address - allocation.base) / size_of(allocation.element); }
  uint64_t address_of(uint64_t index) const { return allocation.base + index * size_of(allocation.element); }
};

/// A store to the output: one element of each active lane.
struct OutputStore {
  uint32_t record = 0;  ///< Of the trace.
  uint32_t step = 0;    ///< The warp's.
  uint32_t part = 0;    ///< Which of the elements that the lane stores by this instruction.
  int32_t sum = -1;     ///< Which of the thread's sums it is (see analysis::DataFlow::sums); -1: something else.
};

/// What a traced block did to the arrays, seen as a whole.
class BlockAccesses {
 public:
  /// All that is passed must outlive it.
  BlockAccesses(const ptx::Function& function, const trace::Trace& trace, const analysis::Timeline& timeline,
                const kernel::Configuration& configuration);

  const std::vector<TracedArray>& arrays() const { return arrays_; }  ///< Global ones, then shared ones.
  /// The array that holds the address; null when none does.
  const TracedArray* find(Space space, uint64_t address) const;
  const TracedArray* find(Space space, std::string_view name) const;
  const TracedArray* output() const;  ///< The first of side C; null when there is none.
  const analysis::DataFlow& data_flow() const { return data_flow_; }
  /// What the warp stores to the output, in order.
  const std::vector<OutputStore>& output_stores(uint32_t warp) const { return output_stores_[warp]; }

 private:
  void place_globals(const kernel::Configuration& configuration);
  void visit_records(uint32_t warp);
  void visit_access(uint32_t warp, uint32_t record);
  void visit_bulk_copy(const trace::BulkRecord& copy);
  void note_output(const TracedArray& array, const analysis::StepRef& at, uint32_t record);
  void place_shared(TracedArray& array) const;

  const trace::Trace* trace_;
  const analysis::Timeline* timeline_;
  analysis::DataFlow data_flow_;
  std::vector<TracedArray> arrays_;
  std::vector<std::vector<OutputStore>> output_stores_;
};

}  // namespace tilescope::run
