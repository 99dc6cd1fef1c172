#include "view/parameters.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "traced_fixture.h"

namespace tilescope::view {
namespace {
using testing::ElementsAre;

ParameterPanel panel_of(const session::Inputs& inputs,
                        const std::optional<std::vector<ParameterValues>>& shipped = std::nullopt) {
  const kernel::Description description = kernel::find_kernel(textbook_kernels(), inputs.kernel)->description;
  return parameter_panel(description, inputs, {}, kernel::configure(description, inputs.settings, inputs.size),
                         shipped);
}

ParameterPanel panel_of(const std::string& kernel, kernel::Settings settings = {}, kernel::Size size = {256, 256, 64}) {
  session::Inputs inputs;
  inputs.kernel = kernel;
  inputs.settings = std::move(settings);
  inputs.size = size;
  return panel_of(inputs);
}

/// What kernel::configure() says, which must be that many sentences.
std::vector<std::string> what_breaks(const std::string& kernel, const kernel::Settings& settings, size_t count,
                                     kernel::Size size = {256, 256, 64}) {
  const kernel::Description description = kernel::find_kernel(textbook_kernels(), kernel)->description;
  const Result<kernel::Configuration> configured = kernel::configure(description, settings, size);
  std::vector<std::string> sentences;
  for (const Diagnostic& problem : configured.errors()) sentences.push_back(problem.message.text());
  EXPECT_EQ(sentences.size(), count);
  return sentences;
}

TEST(ParameterPanel, HasASliderAParameter) {
  const ParameterPanel panel = panel_of("09");
  ASSERT_EQ(panel.sliders.size(), 5u);
  const Slider& bm = panel.sliders[0];
  EXPECT_EQ(bm.name, "BM");
  EXPECT_EQ(bm.about, "Rows of C that a block computes.");
  EXPECT_THAT(bm.values, ElementsAre(16, 32, 64, 128, 256));
  EXPECT_EQ(bm.value, 128);
  EXPECT_EQ(bm.index, 3u);
  EXPECT_THAT(bm.legal, ElementsAre(true, true, true, true, true));
  EXPECT_EQ(panel.grid, (Dim3{2, 2, 1}));
  EXPECT_TRUE(panel.legality.legal);
  EXPECT_THAT(panel.legality.sentences, ElementsAre("legal: 128*128/(8*8) = 256 threads"));
  EXPECT_TRUE(panel.legality.ways.empty());
}

TEST(ParameterPanel, KnowsTheNearestThatShips) {
  const kernel::Description description = kernel::find_kernel(textbook_kernels(), "09")->description;
  session::Inputs inputs;
  inputs.kernel = "09";
  inputs.settings = {{"BM", "64"}, {"BN", "256"}};
  ParameterValues far, near;
  for (const kernel::Parameter& parameter : description.parameters) far[parameter.name] = near[parameter.name] = 1;
  for (const Slider& slider : panel_of(inputs).sliders) near[slider.name] = slider.value;
  near["BN"] = 128;
  const auto way = nearest_shipped(description, inputs, {far, near});
  ASSERT_TRUE(way);
  EXPECT_EQ(way->label, "BN = 128");
  ASSERT_EQ(way->commands.size(), 1u);
  EXPECT_EQ(std::get<session::SetParameter>(way->commands[0]).value, 128);
  near["BN"] = 256;
  EXPECT_FALSE(nearest_shipped(description, inputs, {far, near})) << "it ships";
  EXPECT_FALSE(nearest_shipped(description, inputs, {}));
}

TEST(ParameterPanel, TicksAreLegalWithTheOtherSettings) {
  const ParameterPanel panel = panel_of("09", {{"BK", "2"}});
  EXPECT_THAT(panel.sliders[0].legal, ElementsAre(true, true, true, true, false));
  EXPECT_EQ(panel.sliders[2].name, "BK");
  EXPECT_EQ(panel.sliders[2].value, 2);
  EXPECT_TRUE(panel.legality.legal);
}

TEST(ParameterPanel, TicksOfEveryKernelAreThoseOfLegalValues) {
  for (const kernel::Kernel& kernel : textbook_kernels().kernels)
    for (const kernel::Size size : {kernel::Size{256, 256, 64}, {250, 256, 64}, {0, 1, 1}})
      for (const Slider& slider : panel_of(kernel.name, {}, size).sliders) {
        std::vector<int64_t> legal;
        for (size_t i = 0; i < slider.values.size(); ++i)
          if (slider.legal[i]) legal.push_back(slider.values[i]);
        EXPECT_EQ(legal, kernel::legal_values(kernel.description, {}, size, {}, slider.name))
            << kernel.name << ' ' << slider.name;
      }
}

TEST(ParameterPanel, ALegalChoiceSaysItInFewWordsToo) {
  EXPECT_EQ(panel_of("09", {}).legality.sentences.front(), "legal: 128*128/(8*8) = 256 threads");
  EXPECT_EQ(panel_of("09", {}).legality.brief, "legal: 256 threads");
}

TEST(ParameterPanel, AnIllegalChoiceNamesWhatBreaksAndOffersTheNearest) {
  const ParameterPanel panel = panel_of("09", {{"TM", "1"}});
  EXPECT_EQ(panel.legality.sentences, what_breaks("09", {{"TM", "1"}}, 1));
  ASSERT_EQ(panel.legality.ways.size(), 2u);
  const LegalWay& first = panel.legality.ways[0];
  EXPECT_EQ(first.label, "TM = 2");
  ASSERT_EQ(first.commands.size(), 1u);
  const auto& command = std::get<session::SetParameter>(first.commands[0]);
  EXPECT_EQ(command.name, "TM");
  EXPECT_EQ(command.value, 2);
  EXPECT_EQ(panel.grid, Dim3{});
}

TEST(ParameterPanel, SlidersThatAreIllegalOnlyTogetherAreWrong) {
  const auto wrong = [](const kernel::Settings& settings) {
    std::string names;
    for (const Slider& slider : panel_of("09", settings).sliders)
      if (slider.wrong) names += slider.name + ' ';
    return names;
  };
  EXPECT_EQ(wrong({}), "");
  EXPECT_EQ(wrong({{"TM", "1"}}), "TM TN ");
  EXPECT_EQ(wrong({{"BM", "256"}, {"BN", "256"}, {"TM", "1"}, {"TN", "1"}}), "TM TN ") << "no one of them alone";
}

TEST(ParameterPanel, ASizeThatTilesDoNotDivideIsMovedAsAWhole) {
  const ParameterPanel panel = panel_of("09", {}, {250, 256, 60});
  EXPECT_EQ(panel.legality.sentences, what_breaks("09", {}, 2, {250, 256, 60}));
  ASSERT_FALSE(panel.legality.ways.empty());
  const LegalWay& way = panel.legality.ways[0];
  EXPECT_EQ(way.label, "M = 256 and K = 64");
  ASSERT_EQ(way.commands.size(), 1u);
  EXPECT_EQ(std::get<session::SetSize>(way.commands[0]).size, (kernel::Size{256, 256, 64}));
}

TEST(ParameterPanel, AValueOutsideTheListStandsAtTheNearest) {
  const ParameterPanel panel = panel_of("09", {{"BK", "9"}});
  EXPECT_EQ(panel.sliders[2].value, 9);
  EXPECT_EQ(panel.sliders[2].index, 2u);
  EXPECT_EQ(panel.legality.sentences, what_breaks("09", {{"BK", "9"}}, 1));
  ASSERT_FALSE(panel.legality.ways.empty());
  EXPECT_EQ(panel.legality.ways[0].label, "BK = 8");
}

TEST(ParameterPanel, WhatIsNoSettingIsSaidWithoutAnOffer) {
  const ParameterPanel panel = panel_of("09", {{"BX", "9"}}, {0, 256, 64});
  EXPECT_EQ(panel.legality.sentences, what_breaks("09", {{"BX", "9"}}, 2, {0, 256, 64}));
  EXPECT_TRUE(panel.legality.ways.empty());
}

TEST(ParameterPanel, KnowsWhichPresetIsOn) {
  const ParameterPanel panel = panel_of("09", {{"BM", "64"}, {"BN", "64"}, {"TM", "8"}, {"TN", "4"}});
  ASSERT_EQ(panel.presets.size(), 6u);
  EXPECT_EQ(panel.presets[0].name, "64x64x32-4x4");
  EXPECT_FALSE(panel.presets[0].on);
  EXPECT_EQ(panel.presets[2].name, "64x64x8-8x4");
  EXPECT_TRUE(panel.presets[2].on);
  EXPECT_EQ(panel.presets[2].words, "BM 64 \u00b7 BN 64 \u00b7 BK 8 \u00b7 TM 8 \u00b7 TN 4");
  EXPECT_EQ(panel.presets[2].params.front(), std::pair(std::string("BM"), int64_t{64}));
}

TEST(ParameterPanel, TheTracedBlockStaysInTheGrid) {
  session::Inputs inputs;
  inputs.kernel = "09";
  inputs.block_x = inputs.block_y = 7;
  inputs.size = {256, 128, 64};
  const ParameterPanel panel = panel_of(inputs);
  EXPECT_EQ(panel.block, (std::array<uint32_t, 3>{0, 1, 0}));
}

TEST(ParameterPanel, WhereOnlyWhatShipsRunsSlidersHaveThatAndTheNearestOfTheOthers) {
  session::Inputs inputs;
  inputs.kernel = "07";
  inputs.settings = {{"TILE_ROWS", "8"}, {"TILE_COLS", "32"}};
  const std::vector<ParameterValues> shipped{{{"TILE_ROWS", 8}, {"TILE_COLS", 32}},
                                             {{"TILE_ROWS", 32}, {"TILE_COLS", 8}},
                                             {{"TILE_ROWS", 32}, {"TILE_COLS", 16}}};
  const ParameterPanel panel = panel_of(inputs, shipped);
  const Slider& rows = panel.sliders[0];
  ASSERT_EQ(rows.name, "TILE_ROWS");
  std::vector<int64_t> offered;
  for (size_t i = 0; i < rows.values.size(); ++i)
    if (rows.legal[i]) offered.push_back(rows.values[i]);
  EXPECT_THAT(offered, ElementsAre(8, 32));
  EXPECT_EQ(rows.shipped.back(), shipped[2]) << "columns change as little as they can";
  EXPECT_TRUE(panel_of(inputs).sliders[0].shipped.empty());
}

TEST(ParameterPanel, OffersNoWayThatDoesNotShip) {
  session::Inputs inputs;
  inputs.kernel = "07";
  inputs.settings = {{"TILE_ROWS", "7"}, {"TILE_COLS", "32"}};
  ASSERT_FALSE(panel_of(inputs).legality.ways.empty());
  EXPECT_TRUE(panel_of(inputs, std::vector<ParameterValues>{}).legality.ways.empty());
}

TEST(ThreadsSentence, OfEveryKernel) {
  std::vector<std::string> sentences;
  for (const kernel::Kernel& kernel : textbook_kernels().kernels)
    sentences.push_back(panel_of(kernel.name).legality.sentences.front());
  EXPECT_THAT(
      sentences,
      ElementsAre("legal: 32*32 = 1024 threads", "legal: 32*32 = 1024 threads", "legal: 32*32 = 1024 threads",
                  "legal: 32*32 = 1024 threads", "legal: 32*32 = 1024 threads", "legal: 32*32 = 1024 threads",
                  "legal: 32*8 = 256 threads", "legal: 64*64/16 = 256 threads", "legal: 128*128/(8*8) = 256 threads",
                  "legal: 128*128/(8*8) = 256 threads", "legal: (128/64)*(128/64)*32 = 128 threads",
                  "legal: (128/64)*(128/64)*32 = 128 threads", "legal: (64/64)*(128/64)*32 = 64 threads",
                  "legal: (64/64)*(128/64)*32 = 64 threads", "legal: (64/64)*(128/64)*32 = 64 threads",
                  "legal: (64/64)*(256/64)*32 = 128 threads", "legal: (64/64)*(256/64)*32 = 128 threads",
                  "legal: ((128/64)*(256/64)*32) + 128 = 384 threads",
                  "legal: (4*(64/64)*(128/64)*32) + 128 = 384 threads",
                  "legal: ((128/64)*(256/64)*32) + 128 = 384 threads", "legal: (128/64)*(128/64)*32 = 128 threads",
                  "legal: (128/64)*(128/64)*32 = 128 threads", "legal: 384 threads", "legal: 384 threads",
                  "legal: ((128/64)*(256/64)*32) + 128 = 384 threads"));
}

}  // namespace
}  // namespace tilescope::view
