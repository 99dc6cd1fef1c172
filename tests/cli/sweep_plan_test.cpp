#include "cli/sweep_plan.h"

#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include "kernel/reach.h"

namespace tilescope::cli {
namespace {
using kernel::Settings;
using testing::ElementsAre;

kernel::Kernel stage(const char* name) {
  return *kernel::find_kernel(kernel::load_catalogue(std::filesystem::path(TILESCOPE_SOURCE_DIR) / "kernels"), name);
}

std::vector<int64_t> widths(const char* text) {
  std::vector<int64_t> result;
  const Result<std::vector<kernel::Size>> sizes = parse_sizes(text);
  if (!sizes) ADD_FAILURE() << to_string(sizes.errors());
  if (sizes)
    for (const kernel::Size& size : *sizes) result.push_back(size.m);
  return result;
}

TEST(Sizes, DoubleOrAreListed) {
  EXPECT_THAT(widths("256..2048"), ElementsAre(256, 512, 1024, 2048));
  EXPECT_THAT(widths("256..1000"), ElementsAre(256, 512));
  EXPECT_THAT(widths("256,1000"), ElementsAre(256, 1000));
  EXPECT_EQ(parse_sizes("M=3,N=5,K=7")->at(0).n, 5);
  EXPECT_EQ(to_string(parse_sizes("512..256").errors()), "error: --size 512..256: give the smaller first.");
}

TEST(SetLists, GiveEveryCombination) {
  const Result<std::vector<Settings>> lists = parse_set_lists({"BM=32,64", "BN=8,16"});
  ASSERT_TRUE(lists);
  EXPECT_THAT(*lists, testing::UnorderedElementsAre(
                          Settings{{"BM", "32"}, {"BN", "8"}}, Settings{{"BM", "64"}, {"BN", "8"}},
                          Settings{{"BM", "32"}, {"BN", "16"}}, Settings{{"BM", "64"}, {"BN", "16"}}));
  EXPECT_THAT(*parse_set_lists({}), ElementsAre(Settings{}));
  EXPECT_EQ(to_string(parse_set_lists({"BM"}).errors()), "error: --set BM: write it as BM=32,64,128.");
}

TEST(Sliders, ReachWhatOneOfThemChanges) {
  const kernel::Kernel rectangles = stage("07");
  const std::vector<Settings> presets = kernel::preset_settings(rectangles.description);
  const std::vector<Settings> reached = kernel::slider_settings(rectangles.description);
  ASSERT_FALSE(presets.empty());
  EXPECT_EQ(presets[0], (Settings{{"TILE_ROWS", "8"}, {"TILE_COLS", "32"}}));
  for (const Settings& settings : reached) EXPECT_EQ(std::ranges::count(presets, settings), 0);
  const auto one_away = [&](const Settings& settings) {
    return std::ranges::any_of(presets, [&](const Settings& preset) {
      return (settings.at("TILE_ROWS") != preset.at("TILE_ROWS")) +
                 (settings.at("TILE_COLS") != preset.at("TILE_COLS")) ==
             1;
    });
  };
  EXPECT_TRUE(std::ranges::all_of(reached, one_away));
  EXPECT_EQ(std::ranges::count(reached, Settings{{"TILE_ROWS", "4"}, {"TILE_COLS", "32"}}), 1);
}

TEST(Points, LeaveOutWhatIsNotLegal) {
  SweepPlan plan;
  add_points(stage("04"), {{{"TILE", "32"}}, {{"TILE", "12"}}}, *parse_sizes("256,100"), plan);
  ASSERT_EQ(plan.points.size(), 1U);
  EXPECT_EQ(plan.points[0].size.m, 256);
  EXPECT_EQ(plan.illegal, 3U);
}

}  // namespace
}  // namespace tilescope::cli
