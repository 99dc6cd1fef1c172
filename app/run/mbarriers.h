#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "analysis/timeline.h"
#include "ptx/module.h"
#include "trace/trace.h"

namespace tilescope::run {

/// An mbarrier object at one moment, in PTX ISA's words.
struct MbarrierState {
  bool initialised = false;
  uint32_t phase = 0;     ///< Number of the current phase: how many are complete. Its parity is phase % 2.
  uint32_t expected = 0;  ///< Arrivals that a phase takes.
  uint32_t pending = 0;   ///< Of the current phase: missing arrivals,
  uint32_t promised = 0;  ///< those of them that come by themselves once copies by cp.async have landed,
  int64_t bytes = 0;      ///< and the tx-count: bytes that are missing.
};

/// The mbarriers that the traced block uses, moment by moment, from its own warps: operations of other blocks of a
/// cluster are unknown. Copies, and arrivals that wait for copies, count as missing until a warp has found the phase
/// complete. Immutable.
class Mbarriers {
 public:
  Mbarriers(const ptx::Function& function, const trace::Trace& trace, const analysis::Timeline& timeline);

  /// Whether there is one at that offset of shared memory.
  bool has(uint64_t offset) const { return objects_.contains(offset); }
  /// After all instructions of the timeline up to that slot; not initialised where there is no such object.
  MbarrierState at(uint64_t offset, uint32_t slot) const;
  /// Number of the phase that a wait for `parity` in that slot is about; -1: the one before the first, which counts as
  /// complete.
  int64_t awaited(uint64_t offset, uint32_t slot, uint32_t parity) const;
  /// How often the block's warps arrive at it, announce bytes, and find a phase complete.
  struct Uses {
    uint64_t arrivals = 0, bytes = 0, waits = 0;
  };
  Uses uses(uint64_t offset) const;

 private:
  struct Moment {
    uint32_t slot = 0;
    MbarrierState state;
  };
  struct Object {
    std::vector<Moment> moments;  ///< Ascending; of those in one slot the last holds.
    Uses uses;
  };
  std::map<uint64_t, Object> objects_;
};

}  // namespace tilescope::run
