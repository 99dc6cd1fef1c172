#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "analysis/written_bytes.h"
#include "base/memory.h"
#include "trace/observer.h"

namespace tilescope::analysis {

/// Bytes of global memory from `address` on.
struct ByteRange {
  uint64_t address = 0, bytes = 0;
  bool operator==(const ByteRange&) const = default;
};

/// The bytes of global memory that work of the device accessed, each list ascending and without overlaps.
struct AccessedRanges {
  std::vector<ByteRange> read, written;
  std::vector<ByteRange> strong;  ///< By atomics, and by accesses that are volatile or ordered.
};

/// Sorts them and joins those that meet.
void put_in_order(std::vector<ByteRange>& ranges);
/// The first bytes that are in both lists.
std::optional<ByteRange> common_bytes(const std::vector<ByteRange>& one, const std::vector<ByteRange>& other);

/// Records which bytes of each array the blocks of a launch access. One per worker.
class AccessedBytes : public trace::Observer {
 public:
  /// `arrays` must outlive it.
  explicit AccessedBytes(const std::vector<Allocation>& arrays) : arrays_(&arrays), of_(arrays.size()) {}

  void access(const trace::Access& access) override;
  void bulk_copy(const trace::BulkCopy& copy) override;
  /// What another worker's blocks accessed.
  void merge(const AccessedBytes& other);
  /// Nothing if they are scattered over too many ranges to compare.
  std::optional<AccessedRanges> ranges() const;

 private:
  struct OfArray {
    WrittenBytes read, written, strong;
  };
  /// The array that holds the address, as index; the number of arrays if none does.
  size_t find(uint64_t address);
  /// Bytes of one array.
  void add(uint64_t first, uint64_t end, WrittenBytes OfArray::*which);

  const std::vector<Allocation>* arrays_;
  std::vector<OfArray> of_;
  size_t last_ = 0;  ///< The array found last.
};

}  // namespace tilescope::analysis
