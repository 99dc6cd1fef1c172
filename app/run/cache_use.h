#pragma once

#include <cstdint>
#include <string>

namespace tilescope::run {

/// What reads of global memory ask the caches for, simulated: bytes of the whole launch.
struct CacheUse {
  std::string array;  ///< Empty: all.
  uint32_t line = 0;  ///< Of the CUDA text; 0: all, or not known.
  double asked = 0;   ///< Of L1.
  double hits = 0;    ///< Of those: L1 has them.
  double again = 0;   ///< Of those that L1 lacks: it has had them and evicted them.
  double l2 = 0;      ///< That L2 is asked for; bulk copies and some of cp.async do not ask L1.
  double dram = 0;    ///< Of those: L2 lacks them.
  double l1_hit_rate() const { return asked > 0 ? hits / asked : 0; }
  double l2_hit_rate() const { return l2 > 0 ? 1 - dram / l2 : 0; }
};

}  // namespace tilescope::run
