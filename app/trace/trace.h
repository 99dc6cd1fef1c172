#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/memory.h"
#include "base/message.h"
#include "trace/event.h"
#include "trace/observer.h"

namespace tilescope::trace {

/// What was launched.
struct Header {
  std::string kernel;
  Dim3 grid, block;
  std::vector<Allocation> global;  ///< In the device's address space.
  std::vector<Allocation> shared;  ///< Offsets in the window that each block has of its own.

  /// The allocation that holds `address`; null if there is none or the space has no list.
  const Allocation* find(Space space, uint64_t address) const;
};

enum class RecordKind : uint8_t { Access, Branch, Sync, Fault };

/// A block's records are those with index begin to end - 1.
struct BlockRange {
  uint32_t block = 0;  ///< Linear number in the grid.
  size_t begin = 0, end = 0;
};

/// A bulk copy of the trace. The pieces are its own.
struct BulkRecord {
  Step at;  ///< `active` has only the issuing lane.
  bool to_shared = true;
  uint32_t barrier = BulkCopy::kNoBarrier;
  std::vector<BulkCopy::Piece> pieces;
  size_t issued = 0;             ///< Records of the trace before it.
  size_t landed = kNeverLanded;  ///< Into shared memory: records before it completed.
  uint32_t blocks = 1;           ///< As of BulkCopy.
  static constexpr size_t kNeverLanded = ~size_t{0};
};

/// The shared memory that a wgmma of a warp read. The pieces ascend, and no two are contiguous.
struct ProductRecord {
  Step at;
  std::vector<ProductRead::Piece> pieces;
  bool adds = true;  ///< As of ProductRead.
};

/// A Fault record's fields besides its step.
struct FaultRecord {
  FaultKind kind = FaultKind::OutOfBounds;
  Space space = Space::None;
  AccessKind access = AccessKind::Load;
  uint8_t bytes = 0;
  uint32_t lanes = 0;
  Message detail;
};

/// The record of every warp instruction that touches memory, synchronises, branches or fails, in the order in which
/// the blocks ran. Immutable; made by a Recorder. An index is below size() throughout.
class Trace {
 public:
  Trace(Trace&&) noexcept;
  ~Trace();

  const Header& header() const;
  size_t size() const;
  /// Events after the limit on records was reached; 0: the trace is complete.
  uint64_t dropped() const;
  /// The blocks recorded, in order.
  std::span<const BlockRange> blocks() const;
  /// Indices, ascending, of the records of a warp of blocks()[range]; empty if there are none.
  std::span<const uint32_t> warp_records(size_t range, uint32_t warp) const;

  RecordKind kind(size_t i) const;
  Step step(size_t i) const;
  uint32_t active(size_t i) const;

  /// Of an Access.
  AccessKind access_kind(size_t i) const;
  Space space(size_t i) const;     ///< Of an Access or a Fault, else None.
  uint32_t bytes(size_t i) const;  ///< Per lane. Of an Access or a Fault, else 0.
  bool is_matrix(size_t i) const;  ///< Of an Access, as there.
  /// Of an Access or a Fault with addresses: fills the active lanes' entries (a Fault: those in its `lanes`), 0
  /// elsewhere.
  void addresses(size_t i, uint64_t out[kLanes]) const;
  /// False if no lane of an Access reaches into [begin, end). Quick: true wherever the addresses would have to be
  /// examined one by one.
  bool may_meet(size_t i, uint64_t begin, uint64_t end) const;

  uint32_t taken(size_t i) const;            ///< Of a Branch.
  Sync sync(size_t i) const;                 ///< Of a Sync.
  const FaultRecord& fault(size_t i) const;  ///< Of a Fault.

  /// In the order of issue. They are not records and have no index.
  const std::vector<BulkRecord>& bulk_copies() const;
  /// Likewise.
  const std::vector<ProductRecord>& product_reads() const;

  /// FNV-1a, 64 bits, over the header and all records: the same for the same run, on any machine.
  uint64_t hash() const;
  /// Bytes of memory that the records take, unused capacity included.
  size_t memory_bytes() const;

 private:
  friend class Recorder;
  struct Records;
  explicit Trace(std::unique_ptr<Records> records);
  std::unique_ptr<Records> records_;
};

struct RecorderOptions {
  std::vector<uint32_t> blocks;           ///< Linear numbers of the blocks to record; empty: every block.
  size_t record_limit = size_t{8} << 20;  ///< At most 2^32 - 1. Events after this many are counted as dropped.
};

/// Makes a trace of the chosen blocks. Events outside of block_begin and block_end belong to no block and are not
/// recorded.
class Recorder final : public Observer {
 public:
  explicit Recorder(Header header, RecorderOptions options = {});
  ~Recorder() override;

  void block_begin(uint32_t block) override;
  void block_end(uint32_t block) override;
  void access(const Access& event) override;
  void branch(const Branch& event) override;
  void sync(const Sync& event) override;
  void bulk_copy(const BulkCopy& event) override;
  void landed(const Landing& event) override;
  void product_read(const ProductRead& event) override;
  void fault(const Fault& event) override;

  /// Whether the limit is reached; a caller may stop the run.
  bool full() const;
  /// Returns the trace; the recorder starts again, empty, with the same header.
  Trace take();

 private:
  bool wants_record();
  void append(const Step& at, uint8_t what, Space space, uint8_t bytes);
  void append_addresses(const uint64_t* addresses, uint32_t lanes);
  Header header_;
  RecorderOptions options_;
  std::unique_ptr<Trace::Records> records_;
  bool recording_ = false;
};

}  // namespace tilescope::trace
