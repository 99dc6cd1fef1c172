#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "analysis/access_rules.h"
#include "analysis/load_merge.h"
#include "base/arithmetic.h"
#include "trace/observer.h"

namespace tilescope::analysis {

/// Sums of GlobalCost over warp instructions.
struct GlobalCounts {
  uint64_t requests = 0, sectors = 0, lines = 0, words = 0;
  uint64_t bytes = 0;                         ///< Distinct within each request.
  uint64_t ideal_sectors = 0;                 ///< See GlobalCost.
  uint32_t min_sectors = 0, max_sectors = 0;  ///< Of one request; 0 when there was none.
  uint64_t wavefronts = 0;                    ///< Clocks of the SM's data path; see global_wavefronts().
  /// Of loads, in every eighth block: examined requests, and those for sectors that the block had not requested before,
  /// which have to wait for L2.
  uint64_t looked_at = 0, misses = 0;
  void add(const GlobalCost& cost);
  void merge(const GlobalCounts& other);
  double sectors_per_request() const { return ratio(sectors, requests); }
  double ideal_sectors_per_request() const { return ratio(ideal_sectors, requests); }
  bool operator==(const GlobalCounts&) const = default;
};

/// Sums of SharedCost over warp instructions.
struct SharedCounts {
  uint64_t requests = 0, wavefronts = 0, bank_conflicts = 0, words = 0;
  uint32_t min_wavefronts = 0, max_wavefronts = 0;  ///< Of one request; 0 when there was none.
  void add(const SharedCost& cost);
  void merge(const SharedCounts& other);
  double wavefronts_per_request() const { return ratio(wavefronts, requests); }
  /// Without bank conflicts.
  double ideal_wavefronts_per_request() const { return ratio(wavefronts - bank_conflicts, requests); }
  bool operator==(const SharedCounts&) const = default;
};

/// Atomic and reduction instructions. How long colliding lanes take is not modelled.
struct AtomicCounts {
  uint64_t requests = 0, words = 0;
  void merge(const AtomicCounts& other);
  bool operator==(const AtomicCounts&) const = default;
};

/// Bulk copies (cp.async.bulk and its tensor form), each of one thread.
struct BulkCounts {
  uint64_t copies = 0, bytes = 0;
  uint64_t sectors = 0;  ///< See bulk_sectors(). Their requests to L2 follow no known rule.
  void merge(const BulkCounts& other);
  bool operator==(const BulkCounts&) const = default;
};

/// The counts of one instruction. cp.async is a load on its global side and a store on its shared side.
struct PcCounts {
  GlobalCounts global_load, global_store, local_load, local_store;
  SharedCounts shared_load, shared_store;
  /// shared_load and shared_store as ptxas merges them; the same as those without a plan.
  SharedCounts shared_load_merged, shared_store_merged;
  uint64_t matrix_loads = 0, matrix_stores = 0;  ///< ldmatrix and stmatrix, of the requests above.
  AtomicCounts global_atomic, shared_atomic;
  BulkCounts bulk_load, bulk_store;  ///< Into shared memory, and out of it.
  uint64_t product_wavefronts = 0;   ///< Of shared memory that wgmma reads; see product_wavefronts().
  uint64_t barriers = 0;             ///< Warps' arrivals at block barriers.
  void merge(const PcCounts& other);
  bool operator==(const PcCounts&) const = default;
};

/// Counts memory requests, sectors, wavefronts, words and barriers per instruction while the emulator runs. One per
/// worker; merge() them when the blocks are done. Figures are as the PTX says, but for those that are `_merged`. Every
/// pc that is published must be below `instructions`.
class Counter : public trace::Observer {
 public:
  /// `instructions` is the length of the flat function's instruction list. `plan` may be null: nothing merges.
  explicit Counter(size_t instructions, std::shared_ptr<const MergePlan> plan = nullptr);

  void block_begin(uint32_t block) override;
  void access(const trace::Access& access) override;
  void sync(const trace::Sync& sync) override;
  void bulk_copy(const trace::BulkCopy& copy) override;
  void product_read(const trace::ProductRead& read) override;

  const std::vector<PcCounts>& per_pc() const { return per_pc_; }
  PcCounts total() const;
  /// Adds the counts of another counter of the same function.
  void merge(const Counter& other);

 private:
  /// The last request of an instruction to one space, and its costs. A request whose lanes are as far apart costs the
  /// same if its first one is at the same place of a cache line, or, in shared memory, of a bank: all banks are alike.
  struct Request {
    std::array<uint64_t, trace::kLanes> distances{};  ///< Of each lane's address from the first's, without a pattern.
    uint32_t pattern = 0;                             ///< See trace::Access.
    uint64_t place = 0;
    uint32_t active = 0, bytes = 0;
    GlobalCost global;
    uint32_t global_wavefronts = 0;
    SharedCost shared, merged;
    uint32_t merged_bytes = 0;  ///< `merged` is of an access of so many at this place of 16; 0: of none.
    uint64_t merged_place = 0;
    /// Takes over what `access` is but for its costs. True if these are the same; places repeat after
    /// `period` bytes, a power of two.
    bool becomes(const trace::Access& access, uint32_t period);
  };

  Request& last_request(std::vector<uint32_t>& known, uint32_t pc);
  void count_global(PcCounts& counts, const trace::Access& access);
  void count_shared(PcCounts& counts, const trace::Access& access);
  bool misses(const trace::Access& access);

  std::shared_ptr<const MergePlan> plan_;
  MergeRoles roles_;
  std::vector<PcCounts> per_pc_;
  std::vector<uint32_t> global_, shared_;  ///< Of each instruction: the place of its last request, plus one, or 0.
  std::vector<Request> requests_;
  bool looks_ = true;                 ///< Whether this block's loads are examined.
  std::vector<uint64_t> remembered_;  ///< The sector of each place plus one, or 0.
};

}  // namespace tilescope::analysis
