#pragma once

#include <algorithm>
#include <bit>
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

/// The place of an array in the figure of C = A * B.
enum class Side : uint8_t { None, A, B, C };

/// When asynchronous copies into a stage of a shared array were in flight: [first, end) in slots of the timeline.
struct StageCopy {
  uint32_t stage = 0;  ///< An index of the array's first extent.
  uint32_t first_slot = 0, end_slot = 0;
};

/// One array of the kernel as the traced block used it.
struct TracedArray {
  Allocation allocation;
  /// A, B: the first and second input, and shared arrays that are filled from them. C: the first that is written,
  /// and shared arrays that TMA copies there.
  Side side = Side::None;
  /// As a matrix: all extents but the last are rows, or columns if the description puts them side by side.
  uint64_t rows = 0, columns = 0;
  /// An extent of an array whose layout in memory is not row by row of the matrix.
  struct Extent {
    uint64_t bytes = 0;              ///< From one index to the next.
    uint64_t rows = 0, columns = 0;  ///< Likewise of the matrix; one of them is 0.
  };
  std::vector<Extent> extents;  ///< Outermost first; empty: row by row.
  /// Shared arrays: a row came from a column of the input.
  bool transposed = false;
  Region touched;                    ///< By the block.
  std::vector<Region> warp_touched;  ///< By each of its warps.
  /// Of an array in global memory, what of `touched` is: the columns from the first to the last of each row, equal ones
  /// of neighbouring rows together. A block that goes through an array in wide steps leaves rows out.
  std::vector<Region> touched_rows;
  std::vector<Region> warp_read;  ///< Likewise, loads alone.
  /// Of a shared array of three extents or more, the first of which are its stages; those of one stage ascend.
  std::vector<StageCopy> stage_copies;

  /// Sets rows, columns and extents of an array whose rows do not follow one another in memory, or that has extents
  /// `beside` one another; leaves others.
  void lay_out(const std::vector<size_t>& beside);
  /// Whether it is in the shared memory of another block of the cluster.
  bool is_mates() const { return allocation.space == Space::Shared && allocation.base >> trace::kRankShift != 0; }
  bool is_output() const { return side == Side::C && allocation.space == Space::Global; }
  /// Whether the stage draws it in the corner left free by A, B and C.
  bool in_corner() const { return side == Side::None || (side == Side::C && allocation.space == Space::Shared); }
  /// The address after the last element that is contiguous with this one in memory and in the matrix.
  uint64_t end_of_row(uint64_t address) const;
  /// The number of an element in the matrix, row by row, and back.
  uint64_t index_of(uint64_t address) const;
  uint64_t address_of(uint64_t index) const;
  /// The smallest with all of its elements that an access of `bytes` per lane touches.
  Region region_of(const uint64_t* addresses, uint32_t active, uint32_t bytes) const;
};

/// A store to the output: one element of each active lane.
struct OutputStore {
  uint32_t record = 0;  ///< Of the trace.
  uint32_t step = 0;    ///< The warp's.
  uint32_t part = 0;    ///< Which of the elements that the lane stores by this instruction.
  int32_t sum = -1;     ///< Which of the thread's sums it is (see analysis::DataFlow::sums); -1: something else.
};

/// A traced block's use of the arrays as a whole.
class BlockAccesses {
 public:
  /// All arguments must outlive it.
  BlockAccesses(const ptx::Function& function, const trace::Trace& trace, const analysis::Timeline& timeline,
                const kernel::Configuration& configuration);

  const std::vector<TracedArray>& arrays() const { return arrays_; }  ///< Global ones, then shared ones.
  /// The array that holds the address, or null.
  const TracedArray* find(Space space, uint64_t address) const;
  const TracedArray* find(Space space, std::string_view name) const;
  const TracedArray* output() const;  ///< The first of side C, or null.
  /// Whether there is an input of side A and one of side B.
  bool has_two_inputs() const;
  /// Whether the columns of an A are the rows of a B, as far as their shapes are known: the index of a sum, k.
  bool has_sum_index() const;
  const analysis::DataFlow& data_flow() const { return data_flow_; }
  /// The warp's stores to the output, in order.
  const std::vector<OutputStore>& output_stores(uint32_t warp) const { return output_stores_[warp]; }
  /// The elements of the output that more than one warp stores; ascending.
  const std::vector<uint64_t>& output_of_several() const { return output_of_several_; }
  /// The elements of the output that bulk copies bring from what the warp stored to shared memory; ascending.
  const std::vector<uint64_t>& copied_output(uint32_t warp) const { return copied_output_[warp]; }

 private:
  struct Columns {
    uint64_t first = UINT64_MAX, end = 0;
    bool operator==(const Columns&) const = default;
  };
  void place_globals(const kernel::Configuration& configuration);
  void visit_records(uint32_t warp);
  void visit_access(uint32_t warp, uint32_t record);
  void visit_bulk_copy(const trace::BulkRecord& copy);
  void visit_product(const trace::ProductRecord& read);
  void note_rows(const TracedArray& array, const Region& region);
  void find_touched_rows(TracedArray& array);
  void note_output(const TracedArray& array, const analysis::StepRef& at, uint32_t record);
  void place_by_name(TracedArray& array) const;
  void place_shared(TracedArray& array) const;
  void find_output_of_several();
  void find_copied_output();

  const trace::Trace* trace_;
  const analysis::Timeline* timeline_;
  analysis::DataFlow data_flow_;
  std::vector<TracedArray> arrays_;
  std::vector<std::vector<Columns>> rows_touched_;  ///< By array in global memory and row; until touched_rows are made.
  std::vector<std::vector<OutputStore>> output_stores_;
  std::vector<uint64_t> output_of_several_;
  std::vector<std::vector<uint64_t>> copied_output_;
};

/// Calls visit(element's index, lane) for each element of the array that the access of that record reads or writes.
template <class Visit>
void for_each_accessed(const trace::Trace& trace, const TracedArray& array, uint32_t record, Visit visit) {
  uint64_t addresses[trace::kLanes];
  trace.addresses(record, addresses);
  const uint32_t size = std::max(1u, size_of(array.allocation.element));
  const uint32_t bytes = std::max(size, trace.bytes(record));
  for (uint32_t rest = trace.active(record); rest; rest &= rest - 1) {
    const auto lane = static_cast<uint32_t>(std::countr_zero(rest));
    for (uint64_t byte = 0; byte < bytes; byte += size)
      if (array.allocation.contains(addresses[lane] + byte)) visit(array.index_of(addresses[lane] + byte), lane);
  }
}

}  // namespace tilescope::run
