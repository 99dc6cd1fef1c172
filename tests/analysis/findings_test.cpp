#include "analysis/findings.h"

#include <gtest/gtest.h>

namespace tilescope::analysis {
namespace {

Finding race(int line, int other_line, uint32_t block = 0, uint32_t other_block = 0, uint32_t other_warp = 0) {
  Finding finding;
  finding.checker = Checker::Racecheck;
  finding.kind = FindingKind::ReadWriteRace;
  finding.site.line = line;
  finding.site.thread.block = block;
  finding.other.emplace();
  finding.other->line = other_line;
  finding.other->thread.block = other_block;
  finding.other->thread.warp = other_warp;
  finding.array = "As";
  return finding;
}

TEST(Findings, AreOneWhereKindBothPlacesAndArrayAreTheSame) {
  Findings findings{race(5, 6), race(5, 7), race(5, 6), race(4, 6)};
  Finding other_array = race(5, 6);
  other_array.array = "Bs";
  findings.add(other_array);
  Finding other_kind = race(5, 6);
  other_kind.kind = FindingKind::WriteWriteRace;
  findings.add(other_kind);
  ASSERT_EQ(findings.size(), 5U);
  EXPECT_EQ(findings[0].site.line, 4);
  EXPECT_EQ(findings[1].kind, FindingKind::WriteWriteRace);
  EXPECT_EQ(findings[2].array, "As");
  EXPECT_EQ(findings[2].count, 2U);
  EXPECT_EQ(findings[3].array, "Bs");
  EXPECT_EQ(findings[4].other->line, 7);
}

TEST(Findings, OneBarrierAgainstARaceBetweenWarpsEndsThatInAWarpToo) {
  const Finding in_warp = race(5, 8), between_warps = race(6, 8, 0, 0, 1), elsewhere = race(8, 9);
  for (const Findings& findings : {Findings{in_warp, between_warps, elsewhere}, Findings{between_warps, elsewhere, in_warp}}) {
    EXPECT_TRUE(findings[0].needs_block_barrier);
    EXPECT_FALSE(findings[1].needs_block_barrier) << "it is between warps itself";
    EXPECT_FALSE(findings[2].needs_block_barrier) << "no line is between those of both";
  }
  EXPECT_FALSE(Findings{in_warp}[0].needs_block_barrier);
}

TEST(Findings, WithoutLinesInstructionsArePlaces) {
  Finding first = race(0, 0), second = race(0, 0);
  second.site.pc = 1;
  EXPECT_EQ((Findings{first, second}).size(), 2U);
  second.site.pc = 0;
  second.other->pc = 1;
  EXPECT_EQ((Findings{first, second}).size(), 2U);
}

TEST(Findings, TheInstanceIsTheOneWhoseThreadsAreFurthestApart) {
  const Finding in_warp = race(5, 6), in_block = race(5, 6, 0, 0, 1), in_grid = race(5, 6, 0, 1);
  for (const Findings& findings : {Findings{in_warp, in_grid, in_block}, Findings{in_grid, in_block, in_warp}}) {
    EXPECT_EQ(findings[0].other->thread.block, 1U);
    EXPECT_EQ(findings[0].count, 3U);
  }
}

TEST(Findings, OfSeveralSuchItIsThatOfTheLowestBlockWhoeverFoundItFirst) {
  const Findings low{race(5, 6, 2, 2)}, high{race(5, 6, 7, 7)};
  for (const auto& [first, second] : {std::pair(low, high), std::pair(high, low)}) {
    Findings both = first;
    both.add(second);
    EXPECT_EQ(both[0].site.thread.block, 2U);
    EXPECT_EQ(both[0].count, 2U);
  }
  // Block 3 found a race with what block 0 did before it; block 2 had found one of its own with block 1.
  EXPECT_EQ((Findings{race(5, 6, 1, 2), race(5, 6, 0, 3)})[0].other->thread.block, 2U);
}

TEST(Findings, OfRunsOfTheSameBlocksNothingIsCountedTwice) {
  Findings block{race(5, 6, 3, 3)};
  const Findings grid{race(5, 6), race(5, 6, 3, 3), race(5, 7)};
  block.unite(grid);
  ASSERT_EQ(block.size(), 2U);
  EXPECT_EQ(block[0].site.thread.block, 3U) << "its instance stays";
  EXPECT_EQ(block[0].count, 2U);
  EXPECT_EQ(block[1].other->line, 7);
  EXPECT_EQ(block[1].count, 1U);
}

}  // namespace
}  // namespace tilescope::analysis
