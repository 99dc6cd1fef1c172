#include "clock/warp_slots.h"

#include <vector>

#include <gtest/gtest.h>

namespace tilescope::clock {
namespace {

std::vector<uint32_t> slots(uint32_t warps, uint32_t place) {
  std::vector<uint32_t> all;
  for (uint32_t warp = 0; warp < warps; ++warp) all.push_back(slot_of_warp(place, warp, warps));
  return all;
}

TEST(WarpSlots, BlocksOfWholeRoundsBeginAtTheNextScheduler) {
  EXPECT_EQ(slots(4, 0), (std::vector<uint32_t>{0, 1, 2, 3}));
  EXPECT_EQ(slots(8, 1), (std::vector<uint32_t>{9, 10, 11, 8, 13, 14, 15, 12}));
  EXPECT_EQ(slots(4, 7), (std::vector<uint32_t>{31, 28, 29, 30}));
  EXPECT_EQ(slots(3, 1), (std::vector<uint32_t>{3, 4, 5})) << "the next block begins elsewhere by itself";
}

TEST(WarpSlots, AreFoundBack) {
  for (const uint32_t warps : {1, 3, 4, 12})
    for (uint32_t place = 0; place < 9; ++place)
      for (uint32_t warp = 0; warp < warps; ++warp)
        EXPECT_EQ(warp_in_slot(slot_of_warp(place, warp, warps), warps), warp);
}

}  // namespace
}  // namespace tilescope::clock
