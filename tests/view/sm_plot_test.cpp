#include "view/plots/sm_plot.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "picture_checks.h"
#include "traced_fixture.h"

namespace tilescope::view {
namespace {
using analysis::Occupancy;
using analysis::OccupancyLimiter;
using testing::Contains;
using testing::ElementsAre;
using testing::Not;

constexpr kernel::Size kPlotSize{1024, 1024, 64};

Canvas canvas(float width = 540, float height = 210) { return {width, height, &kMeasure}; }

std::vector<SmResource> resources_of(uint64_t threads, uint32_t registers, uint64_t shared, uint32_t capability = 90) {
  return sm_resources(analysis::occupancy(*arch::find_limits(capability), {threads, registers, shared, 0}));
}

std::vector<std::string> limiting(const std::vector<SmResource>& resources) {
  std::vector<std::string> names;
  for (const SmResource& resource : resources)
    if (resource.limits) names.emplace_back(to_string(resource.what));
  return names;
}

/// The name of the bar at whose height "the limit" is drawn.
std::vector<std::string> marked(const Picture& picture) {
  std::vector<std::string> names;
  const std::vector<Label> labels = shapes_of<Label>(picture);
  for (size_t i = 1; i < labels.size(); ++i)
    if (labels[i].text == "the limit") names.push_back(labels[i - 1].text);
  return names;
}

float right_edge(const Picture& picture, Ink ink) {
  float right = 0;
  for (const Rectangle& rectangle : shapes_of<Rectangle>(picture))
    if (rectangle.fill.ink == ink && rectangle.fill.strength > 0) right = std::max(right, rectangle.box.right());
  return right;
}

TEST(SmResources, EachOfThemCanBeTheLimit) {
  EXPECT_THAT(limiting(resources_of(1024, 32, 0)), ElementsAre("warps", "registers"));
  EXPECT_THAT(limiting(resources_of(1024, 24, 0, 86)), ElementsAre("warps"));
  EXPECT_THAT(limiting(resources_of(256, 98, 8192)), ElementsAre("registers"));
  EXPECT_THAT(limiting(resources_of(128, 40, 40000)), ElementsAre("shared memory"));
  EXPECT_THAT(limiting(resources_of(32, 32, 0)), ElementsAre("blocks"));
  EXPECT_EQ(resources_of(128, 40, 40000).size(), 3u) << "the number of blocks is shown only as a limit";
}

TEST(SmResources, PortionsAreWhatTheHardwareGives) {
  const std::vector<SmResource> all = resources_of(256, 94, 8192);
  const SmResource &warps = all[0], &registers = all[1], &shared = all[2];
  EXPECT_EQ(warps.used(), 16u);
  EXPECT_EQ(warps.left(), 48u);
  EXPECT_EQ(registers.asked, 94u * 32);
  EXPECT_EQ(registers.portion, 3072u) << "in multiples of 256";
  EXPECT_EQ(registers.used(), 2u * 8 * 3072);
  EXPECT_EQ(shared.portion, 8192u + 1024) << "the system keeps 1 KiB per block";
  EXPECT_EQ(shared.asked, 8192u);
}

TEST(SmWaves, TheLastWaveIsHandedOutSmBySm) {
  const SmWaves few{4, 132, 2};
  EXPECT_EQ(few.full(), 0u);
  EXPECT_EQ(few.in_last_wave(3), 1u);
  EXPECT_EQ(few.in_last_wave(4), 0u);
  const SmWaves many{1024, 132, 2};
  EXPECT_EQ(many.full(), 3u);
  EXPECT_EQ(many.rest(), 232u);
  EXPECT_EQ(many.in_last_wave(99), 2u);
  EXPECT_EQ(many.in_last_wave(100), 1u);
  const SmWaves whole{264, 132, 2};
  EXPECT_EQ(whole.rest(), 0u);
  EXPECT_EQ(whole.in_last_wave(131), 2u);
}

TEST(SmPlot, TheLimitIsMarkedAndTheNextBlockStandsOut) {
  for (const auto& [kernel, limit] : {std::pair{"09_thread_tile_2d", "registers"}, {"04_shared_tile", "warps"}}) {
    const auto traced = traced_of(kernel, kPlotSize);
    ASSERT_TRUE(traced && traced->report.occupancy);
    const Plot plot = sm_plot(*traced, canvas(900, 600), false);
    expect_inside(plot.picture, kMeasure);
    EXPECT_THAT(marked(plot.picture), Contains(limit)) << kernel;
    EXPECT_GT(right_edge(plot.picture, Ink::Warning), right_edge(plot.picture, Ink::Raised))
        << kernel << ": what does not fit is over the bar's end";
    EXPECT_LE(right_edge(plot.picture, Ink::ArrayC), right_edge(plot.picture, Ink::Raised)) << kernel;
    EXPECT_EQ(plot.spots.size(), sm_resources(*traced->report.occupancy).size() + 1) << "and the waves";
    const Plot small = sm_plot(*traced, canvas(), false);
    EXPECT_LT(right_edge(small.picture, Ink::Warning), right_edge(small.picture, Ink::Raised) + 4)
        << kernel << ": nothing is over the end where there is no key";
  }
}

TEST(SmPlot, AnSmIsACell) {
  const auto traced = traced_of("09_thread_tile_2d", kPlotSize);
  ASSERT_TRUE(traced);
  const std::vector<Cells> cells = shapes_of<Cells>(sm_plot(*traced, canvas(), false).picture);
  ASSERT_EQ(cells.size(), 1u);
  const auto busy = std::count_if(cells[0].colours.begin(), cells[0].colours.end(),
                                  [](const Colour& colour) { return colour.ink == Ink::ArrayC; });
  EXPECT_EQ(busy, 64) << "1024 x 1024 in blocks of 128 x 128 over 132 SMs";
  const auto there = std::count_if(cells[0].colours.begin(), cells[0].colours.end(),
                                   [](const Colour& colour) { return colour.strength > 0; });
  EXPECT_EQ(there, 132);
}

TEST(SmPlot, SaysHowManyBlocksAnSmHasOfThoseThatFit) {
  const auto traced = traced_of("04_shared_tile", {128, 128, 128});
  ASSERT_TRUE(traced);
  const auto labels = labels_of(sm_plot(*traced, canvas(), false).picture);
  EXPECT_THAT(labels, Contains("16 blocks: one wave, on 16 of 132 SMs, at most 1 where 2 fit"));
  EXPECT_THAT(labels, Contains("8 + 1 KiB per block")) << "the kernel's, and the system's part";
  const auto naive = traced_of("02_naive_swapped", {128, 128, 128});
  ASSERT_TRUE(naive);
  EXPECT_THAT(labels_of(sm_plot(*naive, canvas(), false).picture), Contains("1 KiB per block, CUDA's"));
}

TEST(SmPlot, UnderAQuestionOnlyWhatAnSmHas) {
  const auto traced = traced_of("09_thread_tile_2d", kPlotSize);
  ASSERT_TRUE(traced);
  const Plot plot = sm_plot(*traced, canvas(), true);
  EXPECT_THAT(labels_of(plot.picture), Contains("? of 64"));
  EXPECT_THAT(labels_of(plot.picture), Not(Contains("the limit")));
  EXPECT_EQ(right_edge(plot.picture, Ink::ArrayC), 0);
  EXPECT_TRUE(shapes_of<Cells>(plot.picture).empty()) << "the waves tell how many blocks there are";
  EXPECT_EQ(plot.csv, "");
  for (const PlotSpot& spot : plot.spots) EXPECT_TRUE(spot.lines.empty());
}

TEST(SmPlot, FitsWhereverItIsShown) {
  const auto traced = traced_of("10_wide_loads", kPlotSize);
  ASSERT_TRUE(traced);
  for (const auto& [width, height] : {std::pair{428.0f, 110.0f}, {460.0f, 150.0f}, {900.0f, 600.0f}, {200.0f, 100.0f}})
    expect_inside(sm_plot(*traced, canvas(width, height), false).picture, kMeasure);
}

}  // namespace
}  // namespace tilescope::view
