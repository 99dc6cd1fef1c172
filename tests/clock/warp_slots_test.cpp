#include "clock/warp_slots.h"

#include <vector>

#include <gtest/gtest.h>

namespace tilescope::clock {
namespace {

std::vector<uint32_t> slots(uint32_t warps, uint64_t turn) {
  std::vector<uint32_t> all;
  for (uint32_t warp = 0; warp < warps; ++warp) all.push_back(slot_of_warp(warp, warps, turn));
  return all;
}

TEST(WarpSlots, BlocksOfWholeRoundsBeginAtTheNextScheduler) {
  EXPECT_EQ(slots(4, 0), (std::vector<uint32_t>{0, 1, 2, 3}));
  EXPECT_EQ(slots(8, 1), (std::vector<uint32_t>{1, 2, 3, 0, 5, 6, 7, 4}));
  EXPECT_EQ(slots(4, 7), (std::vector<uint32_t>{3, 0, 1, 2}));
  EXPECT_EQ(slots(3, 1), (std::vector<uint32_t>{0, 1, 2})) << "the next block begins elsewhere by itself";
}

TEST(WarpSlots, AreFoundBack) {
  for (const uint32_t warps : {1, 3, 4, 12})
    for (uint64_t turn = 0; turn < 9; ++turn)
      for (uint32_t warp = 0; warp < warps; ++warp)
        EXPECT_EQ(warp_in_slot(slot_of_warp(warp, warps, turn), warps, turn), warp);
}

}  // namespace
}  // namespace tilescope::clock
