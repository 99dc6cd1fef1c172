// Facts of an array's elements: written or not, padding, the beginnings of sectors.

#include "view/stage/array_facts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "view/traced_fixture.h"

namespace tilescope::view {
namespace {
using analysis::StepKind;
using run::Region;
using run::TracedArray;
using run::TracedBlock;
using testing::ElementsAre;
using testing::IsEmpty;

uint32_t first_step(const TracedBlock& traced, uint32_t warp, StepKind kind) {
  uint32_t step = 0;
  while (traced.timeline.kind({warp, step}) != kind) ++step;
  return step;
}

TileState state_at(const TracedBlock& traced, const TracedArray& array, const analysis::StepRef& at) {
  const Focus focus = focus_at(traced, at);
  return tile_state(focus, warp_places(focus), array);
}

// A tile of 32 x 32: each of 32 warps stores a row of As by one instruction.
TEST(TileState, WhatIsStoredLaterInTheKTileIsMissing) {
  const auto traced = traced_of("04");
  const TracedArray& as = *traced->accesses.find(Space::Shared, "As");
  const uint32_t store = first_step(*traced, 3, StepKind::StoreShared);
  const TileState before = state_at(*traced, as, {3, store - 1}), after = state_at(*traced, as, {3, store});
  EXPECT_THAT(before.written, IsEmpty());
  EXPECT_EQ(before.missing.size(), 32U * 32);
  EXPECT_EQ(after.written.size(), 32U * 32);
  EXPECT_THAT(after.missing, IsEmpty());
}

TEST(TileState, IsOfTheCursorsKTile) {
  const auto traced = traced_of("04");
  const TracedArray& as = *traced->accesses.find(Space::Shared, "As");
  const analysis::StepRef second{3, traced->timeline.tiles(3).at(1)};
  EXPECT_THAT(state_at(*traced, as, second).written, IsEmpty()) << "what the first k-tile stored is old";
  EXPECT_EQ(state_at(*traced, as, second).missing.size(), 32U * 32);
}

TEST(NeverAccessed, IsThePaddingOfATileAndNothingElse) {
  TracedArray padded = *traced_of("04")->accesses.find(Space::Shared, "Bs");
  EXPECT_THAT(never_accessed(padded), IsEmpty());
  padded.rows = 32, padded.columns = 33, padded.touched = {0, 0, 32, 32};
  EXPECT_THAT(never_accessed(padded), ElementsAre(Region{0, 32, 32, 33}));
  padded.touched = {0, 0, 30, 33};
  EXPECT_THAT(never_accessed(padded), ElementsAre(Region{30, 0, 32, 33}));
}

using Extents = std::pair<uint64_t, uint64_t>;
Extents beyond(const TracedBlock& traced, bool grid, const run::GridCounts* counted = nullptr) {
  Focus focus = focus_at(traced);
  focus.counted = counted;
  const Beyond found = beyond_output(focus, grid);
  return {found.rows, found.columns};
}

// 40 x 50 elements in blocks of 32 x 32 threads.
TEST(BeyondOutput, IsWhatTheLastBlocksReachPastTheMatrix) {
  const kernel::Size size{40, 50, 16};
  for (const char* kernel : {"01", "05"}) {
    const uint32_t x = kernel == std::string("01") ? 1 : 0, y = 1 - x;  // Rows of 01 follow x.
    EXPECT_EQ(beyond(*traced_of(kernel, size, "", 0, 0), false), (Extents{0, 0})) << kernel;
    EXPECT_EQ(beyond(*traced_of(kernel, size, "", x, y), false), (Extents{24, 0})) << kernel;
    EXPECT_EQ(beyond(*traced_of(kernel, size, "", 1, 1), false), (Extents{24, 14})) << kernel;
    EXPECT_EQ(beyond(*traced_of(kernel, size, "", 0, 0), true), (Extents{24, 14})) << kernel;
  }
}

// The last block of each row of blocks writes past the rows' ends, into the elements of other blocks.
TEST(BeyondOutput, OfAKernelWithoutAGuardIsWhereItsThreadsBelong) {
  const kernel::Size size{20, 18, 16};
  const auto traced = traced_of_lesson("01-grid-and-roofline/unguarded.cu", size, {}, 2, 0);
  ASSERT_TRUE(traced);
  run::GridCounts counted;
  counted.stores = {{0, 2, {0, 0, 8, 8}}, {2, 2, {0, 0, 9, 18}}};
  EXPECT_EQ(beyond(*traced, true, &counted), (Extents{4, 6}));
  EXPECT_EQ(beyond(*traced, false, &counted), (Extents{0, 6}));
}

TEST(BeyondOutput, OfABlockWhoseThreadsDoNotShowItNeedsTheOtherBlocks) {
  const auto traced = traced_of("03", {40, 50, 16}, "", 1, 1);
  run::GridCounts counted;
  counted.stores = {{0, 2, {0, 0, 32, 32}}, {3, 2, {32, 32, 40, 50}}};
  EXPECT_EQ(beyond(*traced, false, &counted), (Extents{24, 14}));
}

TEST(HelpersOfBlocks, AreThoseWhoseSumsAStreamKBlockAdds) {
  const auto traced = traced_of("20_stream_k", {256, 512, 128}, "128x256x16-4-8-224-132", 9);
  const auto counted = run::count_grid(traced->prepared);
  ASSERT_TRUE(counted);
  Focus focus = focus_at(*traced, {0, 0});
  EXPECT_THAT(helpers_of_blocks(focus), IsEmpty()) << "one block alone does not tell";
  focus.counted = counted->get();
  const auto helpers = helpers_of_blocks(focus);
  ASSERT_EQ(helpers.size(), 4u) << "one for each tile";
  EXPECT_THAT(helpers.at(8), ElementsAre(9, 10, 11, 12, 13, 14, 15));
  EXPECT_EQ(positions_text({32, 1, 1}, helpers.at(8)), "(9…15, 0)");
  EXPECT_EQ(positions_text({4, 8, 1}, helpers.at(8)), "(1, 2) + 6");
}

TEST(SectorStarts, AreEightFloatsApartAcrossTheEndsOfRows) {
  TracedArray array;
  array.allocation = traced_of("04")->accesses.find(Space::Global, "A")->allocation;
  array.rows = 3, array.columns = 20;
  ASSERT_EQ(array.allocation.base % 32, 0U);
  EXPECT_THAT(sector_starts(array, {0, 0, 3, 20}), ElementsAre(8, 16, 24, 32, 48, 56))
      << "row 2 begins with a sector, at the window's edge";
  EXPECT_THAT(sector_starts(array, {1, 3, 2, 13}), ElementsAre(24, 32));
}

}  // namespace
}  // namespace tilescope::view
