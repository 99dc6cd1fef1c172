// What an instruction touches, and which part of the arrays a block and a warp do.

#include "view/touches.h"

#include <bit>
#include <tuple>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "view/scene_fixture.h"
#include "view/thread_picture.h"

namespace tilescope::view {
namespace {
using analysis::Moment;
using analysis::StepKind;
using session::ArrayStory;
using session::Region;
using session::Scene;
using session::Side;
using Seen = std::tuple<Touch::How, Side, uint64_t>;

std::vector<Moment> some_products(const Scene& scene) {
  std::vector<Moment> products;
  uint32_t seen = 0;
  for (uint32_t warp = 0; warp < scene.timeline->warps(); warp += 3)
    for (uint32_t step = 0; step < scene.timeline->steps(warp); ++step)
      if (scene.timeline->kind({warp, step}) == StepKind::Multiply && seen++ % 401 == 0)
        products.push_back({warp, step});
  return products;
}

TEST(Touches, OfAProductAreItsFactorsAndTheElementThatItAddsTo) {
  for (const auto& scene : every_scene())
    for (const Moment& at : some_products(*scene)) {
      const auto lane = static_cast<uint32_t>(std::countr_zero(scene->timeline->active(at)));
      const ThreadWork work = thread_work(*scene, at, lane);
      const Product& product = work.products[static_cast<size_t>(work.current)];
      std::vector<Seen> expected{{Touch::How::Uses, Side::A, product.a.index},
                                 {Touch::How::Uses, Side::B, product.b.index}};
      for (const SumElement& sum : work.sums)
        if (sum.sum == product.sum) expected.emplace_back(Touch::How::Adds, Side::C, sum.index);
      std::vector<Seen> seen;
      for (const Touch& touch : touches(*scene, at))
        if (touch.lane == lane) seen.emplace_back(touch.how, touch.array->side, touch.index);
      EXPECT_THAT(seen, testing::UnorderedElementsAreArray(expected)) << scene->report.kernel << " step " << at.step;
    }
}

TEST(Story, KnowsWhichPartOfEachArrayABlockAndAWarpTouch) {
  const auto scene = scene_of("04_shared_tile", {256, 256, 64}, "", 1, 2);
  const ArrayStory& a = *scene->story->find(Space::Global, "A");
  const ArrayStory& b = *scene->story->find(Space::Global, "B");
  const ArrayStory& c = *scene->story->find(Space::Global, "C");
  EXPECT_EQ(a.touched, (Region{64, 0, 96, 64}));
  EXPECT_EQ(b.touched, (Region{0, 32, 64, 64}));
  EXPECT_EQ(c.touched, (Region{64, 32, 96, 64}));
  EXPECT_EQ(a.warp_read[3], (Region{67, 0, 68, 64}));
  EXPECT_EQ(c.warp_touched[3], (Region{67, 32, 68, 64}));
  EXPECT_TRUE(c.warp_read[3].empty());
}

TEST(Footprint, HoldsAllElementsOfAWideStore) {
  const auto scene = scene_of("10_wide_loads");
  ASSERT_EQ(scene->stores.size(), 1u);
  EXPECT_EQ(scene->stores[0].region, (Region{0, 0, 128, 128}));
}

TEST(Story, KnowsWhichTilesLieTransposed) {
  const auto is_transposed = [](const char* kernel, const char* tile) {
    return scene_of(kernel)->story->find(Space::Shared, tile)->transposed;
  };
  EXPECT_FALSE(is_transposed("04_shared_tile", "As"));
  EXPECT_FALSE(is_transposed("09_thread_tile_2d", "As"));
  EXPECT_TRUE(is_transposed("10_wide_loads", "As"));
  EXPECT_FALSE(is_transposed("10_wide_loads", "Bs"));
}

}  // namespace
}  // namespace tilescope::view
