#pragma once

#include <vector>

#include "analysis/timeline.h"

namespace tilescope::analysis {

/// A group of a warp's cp.async, from the first that is issued up to and including the wait that ends them.
struct CopiesInFlight {
  uint32_t warp = 0;
  uint32_t first_slot = 0,
           end_slot = 0;  ///< [first, end); to the warp's last instruction where nothing waits for them.
  bool operator==(const CopiesInFlight&) const = default;
};

/// By warp, then in the order in which they end. A commit makes one group of all copies since the last one, even of
/// none; wait_group n leaves the newest n groups in flight, wait_all none, nor what is not committed (PTX ISA,
/// "cp.async .wait_group"). Copies that complete on an mbarrier are taken to be in flight to the end.
std::vector<CopiesInFlight> copies_in_flight(const ptx::Function& function, const trace::Trace& trace,
                                             const Timeline& timeline);

}  // namespace tilescope::analysis
