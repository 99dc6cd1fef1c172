#include "clock/sector_cache.h"

#include <algorithm>

#include "arch/arch.h"

namespace tilescope::clock {

SectorCache::SectorCache(uint64_t bytes)
    : sets_(std::max<uint64_t>(1, bytes / arch::kLineBytes / kWays)), lines_(sets_ * kWays) {}

SectorCache::Line& SectorCache::hold(uint64_t number) {
  // Multiplicative hashing: which lines share a set of a GPU's L1 is not documented.
  Line* set = &lines_[((number * 0x9e3779b97f4a7c15) >> 32) % sets_ * kWays];
  Line* place = set;
  for (uint32_t way = 0; way < kWays; ++way) {
    if (set[way].number == number) {
      set[way].used = ++accesses_;
      return set[way];
    }
    if (set[way].used < place->used) place = &set[way];
  }
  *place = {number, ++accesses_, 0, {}};
  return *place;
}

}  // namespace tilescope::clock
