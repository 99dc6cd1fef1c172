#pragma once

#include <vector>

#include "analysis/timeline.h"
#include "trace/instruction_log.h"

namespace tilescope::analysis {

/// Copies of a warp that end together, from the first that is issued up to and including the wait that ends them: a
/// group of cp.async, or what a warp copies for one phase of an mbarrier.
struct CopiesInFlight {
  uint32_t warp = 0;
  uint32_t first_slot = 0,
           end_slot = 0;  ///< [first, end); to the warp's last instruction if nothing waits for them.
  uint32_t ended_by = 0;  ///< The warp that waits for them.
  uint32_t barrier = trace::BulkCopy::kNoBarrier;  ///< Shared offset of the mbarrier; of a group none.
  bool operator==(const CopiesInFlight&) const = default;
};

/// By warp, then in the order in which they end. A commit makes one group of all copies since the last one, even of
/// none; wait_group n leaves the newest n groups in flight, wait_all none, nor uncommitted ones (PTX ISA,
/// "cp.async .wait_group"). Copies to an mbarrier end with the first wait of any warp that finds its phase complete;
/// bulk copies out of shared memory with the wait for their bulk group.
std::vector<CopiesInFlight> copies_in_flight(const ptx::Function& function, const trace::Trace& trace,
                                             const Timeline& timeline);

/// A group of a warp's wgmma, from the first that is issued up to and including the wait that ends it.
struct ProductsInFlight {
  uint32_t warp = 0;
  uint32_t first_slot = 0,
           end_slot = 0;  ///< [first, end); to the warp's last instruction if nothing waits for them.
  bool operator==(const ProductsInFlight&) const = default;
};

/// By warp, then in the order in which they end, as the groups of copies; none of mma and wmma, which the warp itself
/// waits for.
std::vector<ProductsInFlight> products_in_flight(const ptx::Function& function, const trace::InstructionLog& log,
                                                 const Timeline& timeline);

}  // namespace tilescope::analysis
