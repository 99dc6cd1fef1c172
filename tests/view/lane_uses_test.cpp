// The elements that an instruction touches, and the part of the arrays of a block and a warp.

#include "view/lane_uses.h"

#include <bit>
#include <tuple>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "view/stage/thread_picture.h"
#include "view/traced_fixture.h"

namespace tilescope::view {
namespace {
using analysis::StepKind;
using analysis::StepRef;
using run::Region;
using run::Side;
using run::TracedArray;
using run::TracedBlock;
using Seen = std::tuple<LaneUse::How, Side, uint64_t>;

std::vector<StepRef> some_products(const TracedBlock& traced) {
  std::vector<StepRef> products;
  uint32_t seen = 0;
  for (uint32_t warp = 0; warp < traced.timeline.warps(); warp += 3)
    for (uint32_t step = 0; step < traced.timeline.steps(warp); ++step)
      if (traced.timeline.kind({warp, step}) == StepKind::Multiply && seen++ % 401 == 0)
        products.push_back({warp, step});
  return products;
}

TEST(Touches, OfAProductAreItsFactorsAndTheElementThatItAddsTo) {
  for (const auto& traced : traced_of_threads_products())
    for (const StepRef& at : some_products(*traced)) {
      const auto lane = static_cast<uint32_t>(std::countr_zero(traced->timeline.active(at)));
      const ThreadWork work = thread_work(*traced, at, lane);
      const Product& product = work.products[static_cast<size_t>(work.current)];
      std::vector<Seen> expected;
      if (product.a.array) expected.emplace_back(LaneUse::How::Uses, Side::A, product.a.index);
      if (product.b.array) expected.emplace_back(LaneUse::How::Uses, Side::B, product.b.index);
      for (const SumElement& sum : work.sums)
        if (sum.sum == product.sum) expected.emplace_back(LaneUse::How::Adds, Side::C, sum.index);
      std::vector<Seen> seen;
      for (const LaneUse& touch : lane_uses(*traced, at))
        if (touch.lane == lane) seen.emplace_back(touch.how, touch.array->side, touch.index);
      EXPECT_THAT(seen, testing::UnorderedElementsAreArray(expected)) << traced->report.kernel << " step " << at.step;
    }
}

/// The warp's first access of that kind of the array.
StepRef first_access(const TracedBlock& traced, uint32_t warp, StepKind kind, const std::string& array) {
  for (uint32_t step = 0; step < traced.timeline.steps(warp); ++step)
    if (traced.timeline.kind({warp, step}) == kind)
      for (const LaneUse& use : lane_uses(traced, {warp, step}))
        if (use.array->allocation.name == array) return {warp, step};
  ADD_FAILURE() << array << " is not accessed so";
  return {};
}

std::vector<WarpUse> uses_at(const TracedBlock& traced, const StepRef& at) {
  const Focus focus = focus_at(traced, at);
  return warp_uses(focus, warp_places(focus));
}

// 256 threads fetch 128 x 8 elements in four instructions: 8 neighbours are a row, a warp 4 rows, all of them 32.
TEST(WarpUses, WhileATileIsLoadedAreAllOfItWithTheWarpThatFetchesEach) {
  const auto traced = traced_of("09");
  size_t fetched = 0;
  for (const WarpUse& use : uses_at(*traced, first_access(*traced, 2, StepKind::LoadGlobal, "A"))) {
    if (use.array->allocation.name != "A") continue;
    const uint64_t row = use.index / use.array->columns;
    ++fetched;
    ASSERT_EQ(use.warp, row % 32 / 4) << row;
    ASSERT_EQ(use.now, row < 32) << row;
    ASSERT_EQ(use.done, row < 32) << row;
    ASSERT_FALSE(use.several) << row;
  }
  EXPECT_EQ(fetched, 128U * 8);
}

TEST(WarpUses, WhileTheBlockComputesAreWhatItsWarpsReadInThisColumn) {
  const auto traced = traced_of("04");
  const auto uses = uses_at(*traced, first_access(*traced, 2, StepKind::LoadShared, "Bs"));
  ASSERT_EQ(uses.size(), 32U) << "the same row for all warps";
  for (const WarpUse& use : uses) EXPECT_TRUE(use.now && use.several && use.array->allocation.name == "Bs");
}

TEST(Story, KnowsWhichPartOfEachArrayABlockAndAWarpTouch) {
  const auto traced = traced_of("04_shared_tile", {256, 256, 64}, "", 1, 2);
  const TracedArray& a = *traced->accesses.find(Space::Global, "A");
  const TracedArray& b = *traced->accesses.find(Space::Global, "B");
  const TracedArray& c = *traced->accesses.find(Space::Global, "C");
  EXPECT_EQ(a.touched, (Region{64, 0, 96, 64}));
  EXPECT_EQ(b.touched, (Region{0, 32, 64, 64}));
  EXPECT_EQ(c.touched, (Region{64, 32, 96, 64}));
  EXPECT_EQ(a.warp_read[3], (Region{67, 0, 68, 64}));
  EXPECT_EQ(c.warp_touched[3], (Region{67, 32, 68, 64}));
  EXPECT_TRUE(c.warp_read[3].empty());
}

TEST(StoreRegions, HoldsAllElementsOfAWideStore) {
  const auto traced = traced_of("10_wide_loads");
  ASSERT_EQ(traced->stores.size(), 1u);
  EXPECT_EQ(traced->stores[0].region, (Region{0, 0, 128, 128}));
}

TEST(Story, KnowsWhichTilesLieTransposed) {
  const auto is_transposed = [](const char* kernel, const char* tile) {
    return traced_of(kernel)->accesses.find(Space::Shared, tile)->transposed;
  };
  EXPECT_FALSE(is_transposed("04_shared_tile", "As"));
  EXPECT_FALSE(is_transposed("09_thread_tile_2d", "As"));
  EXPECT_TRUE(is_transposed("10_wide_loads", "As"));
  EXPECT_FALSE(is_transposed("10_wide_loads", "Bs"));
}

}  // namespace
}  // namespace tilescope::view
