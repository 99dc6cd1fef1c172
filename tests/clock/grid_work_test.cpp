#include "clock/grid_work.h"

#include <gtest/gtest.h>

namespace tilescope::clock {
namespace {

GridWork work_of(std::initializer_list<double> instructions) {
  GridWork work;
  uint64_t number = 0;
  for (const double of_block : instructions) work.add(number++, of_block);
  return work;
}

TEST(GridWork, BlocksBetweenThoseThatWereRunHaveWhatLiesBetween) {
  GridWork work;
  work.add(10, 100);
  work.add(20, 300);
  EXPECT_EQ(work.of(0), 100);
  EXPECT_EQ(work.of(10), 100);
  EXPECT_EQ(work.of(15), 200);
  EXPECT_EQ(work.of(25), 300);
}

TEST(GridWork, TheMeanIsThatOfTheGridAndNotOfTheBlocksThatWereRun) {
  GridWork work;
  for (const uint64_t number : {0, 1, 2, 3}) work.add(number, 100);
  work.add(103, 300);
  EXPECT_NEAR(work.mean(), 197, 1);
  EXPECT_EQ(work_of({70}).mean(), 70);
  EXPECT_EQ(GridWork().mean(), 0);
}

TEST(GridWork, FirstAndLastBlockMayDiffer) {
  EXPECT_TRUE(work_of({1, 100, 101, 102, 500}).is_alike());
  EXPECT_FALSE(work_of({100, 100, 150, 100, 150}).is_alike());
}

TEST(EndsOfGrid, BlocksStartWhereOneHasEnded) {
  const Paces paces({2}, {});
  // Two SMs of one block each: 0 and 1, then 2 where 0 has ended and 3 where 1 has.
  const GridEnds ends = ends_of_grid(work_of({100, 200, 300, 100}), paces, 4, 2, 1);
  EXPECT_DOUBLE_EQ(ends.last, 200);
  EXPECT_DOUBLE_EQ(ends.mean, (200 + 150) / 2.0);
  // A long one that starts last ends last.
  EXPECT_DOUBLE_EQ(ends_of_grid(work_of({100, 100, 100, 900}), paces, 4, 2, 1).last, 500);
  EXPECT_DOUBLE_EQ(ends_of_grid(work_of({900, 100, 100, 100}), paces, 4, 2, 1).last, 450);
}

TEST(EndsOfGrid, OlderBlocksGoFirstAndOneAloneIsFaster) {
  const Paces paces({3, 1}, {});
  // The first ends after 100 clocks, when the second has 200 of 300 left and becomes the older one.
  EXPECT_NEAR(ends_of_grid(work_of({300, 300}), paces, 2, 1, 2).last, 100 + 200 / 3.0, 1e-9);
  // That one alone issues 3.6 a clock was measured.
  EXPECT_NEAR(ends_of_grid(work_of({300, 300}), Paces({3, 1}, {3.6}), 2, 1, 2).last, 100 + 200 / 3.6, 0.1);
}

TEST(EndsOfGrid, BlocksThatIssueNothingEnd) {
  EXPECT_GT(ends_of_grid(work_of({300, 300}), Paces({0, 0}, {}), 2, 1, 2).last, 0);
  EXPECT_GT(ends_of_grid(work_of({300, 300}), Paces({}, {}), 2, 1, 2).last, 0);
}

}  // namespace
}  // namespace tilescope::clock
