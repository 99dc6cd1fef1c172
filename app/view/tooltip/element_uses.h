#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "run/traced_block.h"
#include "session/target.h"

namespace tilescope::view {

/// The traced block's use of one element.
struct ElementUse {
  struct Write {
    analysis::StepRef at;
    uint32_t lane = 0;
    const trace::BulkRecord* copy = nullptr;  ///< The copy that writes it; null: an access.
  };
  uint64_t reads = 0, writes = 0;                 ///< Requests: warp instructions. Atomics are both.
  uint64_t reading_lanes = 0, writing_lanes = 0;  ///< Over all requests.
  uint64_t bulk_reads = 0, bulk_writes = 0;       ///< Bulk copies.
  uint64_t product_reads = 0;                     ///< By wgmma, a warp instruction each.
  std::vector<Write> stores;                      ///< One a request, the last lane's; by column of the timeline.
};

/// Counts the use of the last requested element, a part of the trace at a time: a tooltip queries in every frame, and a
/// large trace takes longer than a frame.
class ElementUses {
 public:
  static constexpr size_t kRecordsACall = 16384;
  /// The result so far: all of it when complete().
  const ElementUse& of(const run::TracedBlock& traced, const session::Target& element);
  bool complete() const { return complete_; }

 private:
  void scan(const run::TracedBlock& traced);
  /// Copies and products are not records.
  void add_copies(const run::TracedBlock& traced, uint64_t begin, uint64_t end);

  const run::TracedBlock* traced_ = nullptr;
  uint64_t trace_hash_ = 0;  ///< A new traced block may have an old one's address.
  session::Target element_;
  ElementUse use_;
  size_t scanned_ = 0;  ///< Records.
  bool complete_ = true;
};

}  // namespace tilescope::view
