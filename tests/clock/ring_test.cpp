#include "clock/ring.h"

#include <gtest/gtest.h>

namespace tilescope::clock {
namespace {

TEST(Ring, GivesValuesBackInTheirOrder) {
  Ring<int> ring;
  int pushed = 0, popped = 0;
  for (int round = 1; round < 20; ++round) {  // It grows while its first value is anywhere among its places.
    for (int i = 0; i < round; ++i) ring.push() = pushed++;
    for (int i = 0; i < round / 2; ++i, ring.pop()) EXPECT_EQ(ring.front(), popped++);
    EXPECT_EQ(ring.size(), static_cast<size_t>(pushed - popped));
  }
  for (; !ring.empty(); ring.pop()) EXPECT_EQ(ring.front(), popped++);
  EXPECT_EQ(popped, pushed);
}

}  // namespace
}  // namespace tilescope::clock
