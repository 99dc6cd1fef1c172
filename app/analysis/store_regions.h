#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "base/memory.h"
#include "trace/observer.h"

namespace tilescope::analysis {

/// Elements [row, row_end) x [column, column_end) of an array seen as a matrix: all extents but the last are rows.
struct Region {
  uint64_t row = UINT64_MAX, column = UINT64_MAX, row_end = 0, column_end = 0;
  bool empty() const { return row >= row_end; }
  uint64_t rows() const { return empty() ? 0 : row_end - row; }
  uint64_t columns() const { return empty() ? 0 : column_end - column; }
  bool contains(uint64_t r, uint64_t c) const { return r >= row && r < row_end && c >= column && c < column_end; }
  void add(uint64_t r, uint64_t c) {
    row = std::min(row, r);
    column = std::min(column, c);
    row_end = std::max(row_end, r + 1);
    column_end = std::max(column_end, c + 1);
  }
  void add(const Region& other);
  bool operator==(const Region&) const = default;
};

/// What one block stored to one array of global memory, or loaded from it.
struct StoreRegion {
  uint32_t block = 0;  ///< Linear number in the grid.
  uint32_t array = 0;  ///< Index into the list of arrays.
  Region region;       ///< The smallest that holds all of it.
};

/// Records where each block stores, or loads. One per worker; results may be joined in any order.
class StoreRegions : public trace::Observer {
 public:
  /// `arrays` must outlive it.
  explicit StoreRegions(const std::vector<Allocation>& arrays, bool loads = false) : arrays_(&arrays), loads_(loads) {}

  void block_begin(uint32_t block) override;
  void block_end(uint32_t block) override;
  void access(const trace::Access& access) override;
  void bulk_copy(const trace::BulkCopy& copy) override;
  const std::vector<StoreRegion>& regions() const { return found_; }

 private:
  /// The first and the last byte accessed at once, only in the array of `anchor`.
  void add(uint64_t anchor, uint64_t first, uint64_t last);

  const std::vector<Allocation>* arrays_;
  bool loads_ = false;
  std::vector<Region> regions_;  ///< Of the running block, by array.
  std::vector<StoreRegion> found_;
};

}  // namespace tilescope::analysis
