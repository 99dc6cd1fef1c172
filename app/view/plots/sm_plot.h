#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analysis/occupancy.h"
#include "run/traced_block.h"
#include "session/hidden_facts.h"
#include "view/plots/chart.h"

namespace tilescope::view {

/// A resource of an SM, shared by its resident blocks. It is allocated in portions: a warp's registers, a block's
/// shared memory.
struct SmResource {
  analysis::OccupancyLimiter what{};
  uint64_t total = 0;               ///< Of an SM: warps, registers, bytes or blocks.
  uint32_t parts = 1;               ///< The sub-partitions, each with its share of the total; the n-th portion, from 0,
                                    ///< comes out of part n % parts.
  uint64_t portion = 0;             ///< Allocated at once; 0: the kernel uses none.
  uint64_t asked = 0;               ///< The requested part of a portion; the rest is rounding and reserve.
  uint64_t portions_per_block = 0;  ///< Of each block, one after another.
  uint64_t blocks = 0;              ///< That the SM holds.
  bool limits = false;              ///< It does not allow another block.

  uint64_t used() const { return blocks * portions_per_block * portion; }
  uint64_t left() const { return total - used(); }
};

/// Warps, registers and shared memory; the number of blocks only where that is a limit.
std::vector<SmResource> sm_resources(const analysis::Occupancy& occupancy);

/// A grid's blocks in waves: as many at a time as all SMs hold, assuming equal times.
struct SmWaves {
  uint64_t blocks = 0, sms = 0, blocks_per_sm = 0;  ///< None is 0.

  uint64_t per_wave() const { return sms * blocks_per_sm; }
  uint64_t full() const { return blocks / per_wave(); }
  uint64_t rest() const { return blocks % per_wave(); }  ///< In a last wave that is not full.
  /// Blocks on an SM in the last wave, handed out SM by SM in turn.
  uint64_t in_last_wave(uint64_t sm) const;
};

/// The kernel's blocks on an SM, and its waves over the SMs of the device. `covered`: only the SM's resources, under an
/// open question.
Plot sm_plot(const run::TracedBlock& traced, const Canvas& canvas, bool covered);
/// The heading: how many blocks, and what limits them.
std::string sm_heading(const run::TracedBlock& traced, const session::HiddenFacts& hidden);

}  // namespace tilescope::view
