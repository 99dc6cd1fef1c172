#include "view/stage/stage_picture.h"

#include <cmath>
#include <map>
#include <optional>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "picture_checks.h"
#include "traced_fixture.h"
#include "view/lane_uses.h"
#include "view/stage/stage_frame.h"
#include "view/stage/stage_marks.h"

namespace tilescope::view {
namespace {
using analysis::StepKind;
using analysis::StepRef;
using run::Side;
using run::TracedArray;
using run::TracedBlock;
using session::Target;

const Canvas kStageCanvas{1500, 900, &kMeasure, 14};
constexpr StageView kBlock{1, 1, 0, 0}, kWarp{2, 1, 0, 0}, kWarpLanes{2, 1, 0, 0, false};

/// One array's grid in a picture of the stage.
struct Grid {
  HitCells hot;
  Cells cells;

  float width() const { return hot.box.width / static_cast<float>(hot.columns); }
  float height() const { return hot.box.height / static_cast<float>(hot.rows); }
  uint64_t index(uint64_t down, uint64_t across) const {
    const uint64_t row = hot.first_row + (hot.transposed ? across : down);
    const uint64_t column = hot.first_column + (hot.transposed ? down : across);
    return row * hot.stride + column;
  }
  /// Whether each element has a cell of its own.
  bool whole() const { return cells.rows == hot.rows && cells.columns == hot.columns; }
  std::map<uint64_t, Colour> colours() const {
    std::map<uint64_t, Colour> result;
    for (uint32_t down = 0; down < hot.rows; ++down)
      for (uint32_t across = 0; across < hot.columns; ++across)
        result[index(down, across)] = cells.colours[size_t{down} * hot.columns + across];
    return result;
  }
};

std::map<std::string, Grid> grids_of(const Picture& picture) {
  std::map<std::string, Grid> grids;
  const std::vector<Cells> cells = shapes_of<Cells>(picture);
  for (size_t i = 0; i < picture.hot_cells.size(); ++i)
    for (const Cells& one : cells)
      if (one.box.x == picture.hot_cells[i].box.x && one.box.y == picture.hot_cells[i].box.y)
        grids[picture.hot_cells[i].array] = {picture.hot_cells[i], one};
  return grids;
}

/// What the cursor's instruction touches, by array and element: the lanes.
std::map<std::string, std::map<uint64_t, std::vector<uint32_t>>> touched_at(const TracedBlock& traced,
                                                                            const StepRef& at) {
  std::map<std::string, std::map<uint64_t, std::vector<uint32_t>>> result;
  for (const LaneUse& touch : lane_uses(traced, at))
    result[touch.array->allocation.name][touch.index].push_back(touch.lane);
  return result;
}

std::vector<StepRef> moments_of(const TracedBlock& traced, StepKind kind, uint32_t warp, size_t most) {
  std::vector<StepRef> result;
  for (uint32_t step = 0; step < traced.timeline.steps(warp) && result.size() < most; ++step)
    if (traced.timeline.kind({warp, step}) == kind) result.push_back({warp, step});
  return result;
}

std::vector<StepRef> moments_of(const TracedBlock& traced, uint32_t warp) {
  std::vector<StepRef> result;
  for (const StepKind kind : {StepKind::LoadGlobal, StepKind::AsyncCopy, StepKind::StoreShared, StepKind::LoadShared,
                              StepKind::Multiply, StepKind::StoreGlobal})
    for (const StepRef& at : moments_of(traced, kind, warp, 3)) result.push_back(at);
  return result;
}

/// The frames and fills that mark touched elements, without the pixel outside of a frame.
std::vector<Box> marks_of(const Picture& picture) {
  std::vector<Box> boxes;
  for (const Rectangle& mark : shapes_of<Rectangle>(picture)) {
    const Box& box = mark.box;
    if (mark.stroke.ink == kUsedInk && mark.stroke.strength > 0 && mark.stroke_width <= 1)
      boxes.push_back(box);  // A thin frame, within a small element.
    else if (mark.stroke.ink == kUsedInk && mark.stroke.strength > 0)
      boxes.push_back({box.x + 1, box.y + 1, box.width - 2, box.height - 2});
    if (mark.fill.ink == kUsedInk && mark.fill.strength > 0) boxes.push_back(box);
  }
  return boxes;
}

/// The elements that the marks on a grid hold, each as often as it is held.
std::multiset<uint64_t> marked_on(const Grid& grid, const std::vector<Box>& marks) {
  std::multiset<uint64_t> elements;
  for (const Box& mark : marks) {
    if (!grid.hot.box.contains(mark.centre())) continue;
    const auto cell = [](float pixels, float size) { return static_cast<uint64_t>(std::lround(pixels / size)); };
    const uint64_t top = cell(mark.y - grid.hot.box.y, grid.height());
    const uint64_t left = cell(mark.x - grid.hot.box.x, grid.width());
    for (uint64_t down = 0; down < cell(mark.height, grid.height()); ++down)
      for (uint64_t across = 0; across < cell(mark.width, grid.width()); ++across)
        elements.insert(grid.index(top + down, left + across));
  }
  return elements;
}

size_t marks_on(const Grid& grid, const std::vector<Box>& marks) {
  return static_cast<size_t>(
      std::count_if(marks.begin(), marks.end(), [&](const Box& mark) { return grid.hot.box.contains(mark.centre()); }));
}

TEST(StageMarks, HoldEveryTouchedElementOnceAndNoOther) {
  for (const auto& traced : every_traced())
    for (const StepRef& at : moments_of(*traced, 1)) {
      const Picture picture = stage_picture(focus_at(*traced, at), kStageCanvas, kBlock);
      const auto grids = grids_of(picture);
      for (const auto& [name, elements] : touched_at(*traced, at)) {
        const std::multiset<uint64_t> marked = marked_on(grids.at(name), marks_of(picture));
        std::multiset<uint64_t> expected;
        for (const auto& [index, lanes] : elements) expected.insert(index);
        if (expected.size() > 96 && marked.size() != expected.size()) continue;  // Too many parts: one frame for all.
        EXPECT_EQ(marked, expected) << traced->request().kernel.name << " " << name << " at " << at.step;
      }
    }
}

size_t marks_at(const std::string& kernel, const std::string& array, StepKind kind) {
  const auto traced = traced_of(kernel);
  for (const StepRef& at : moments_of(*traced, kind, 1, 1000)) {
    if (!touched_at(*traced, at).contains(array)) continue;
    const Picture picture = stage_picture(focus_at(*traced, at), kStageCanvas, kBlock);
    return marks_on(grids_of(picture).at(array), marks_of(picture));
  }
  ADD_FAILURE() << kernel << " does not touch " << array;
  return 0;
}

TEST(StageMarks, NeighboursAreOneFrameAlongAndAcrossRowsAndOthersAreNot) {
  EXPECT_EQ(marks_at("04", "Bs", StepKind::LoadShared), 1u) << "32 elements side by side";
  EXPECT_EQ(marks_at("09", "A", StepKind::LoadGlobal), 1u) << "4 rows of 8 elements";
  EXPECT_EQ(marks_at("09", "As", StepKind::LoadShared), 2u) << "an element in rows 16 and 24";
  EXPECT_EQ(marks_at("09", "Bs", StepKind::LoadShared), 16u) << "every eighth column";
  EXPECT_EQ(marks_at("09", "C", StepKind::StoreGlobal), 32u) << "lanes store 8 columns and 8 rows apart";
}

TEST(StageCells, OfOneLaneHaveItsColourOfSeveralTheArraysInk) {
  size_t alone = 0, shared = 0;
  for (const auto& traced : every_traced())
    for (const StepRef& at : moments_of(*traced, 1)) {
      const auto grids = grids_of(stage_picture(focus_at(*traced, at), kStageCanvas, kWarpLanes));
      for (const auto& [name, elements] : touched_at(*traced, at)) {
        const Grid& grid = grids.at(name);
        if (!grid.whole()) continue;
        const auto colours = grid.colours();
        for (const auto& [index, lanes] : elements) {
          const Colour& colour = colours.at(index);
          (lanes.size() == 1 ? alone : shared) += 1;
          const Ink ink = array_ink(*traced->accesses.find(grid.hot.space, name));
          EXPECT_EQ(colour, lanes.size() == 1 ? lane_colour(lanes[0]) : (Colour{ink, 1}));
        }
      }
    }
  EXPECT_GT(alone, 1000u);
  EXPECT_GT(shared, 100u);
}

TEST(StageCells, OfASharedArrayHaveTheirBanksHueWhereItIsAccessed) {
  size_t bright = 0, dim = 0;
  for (const auto& traced : every_traced())
    for (const StepRef& at : moments_of(*traced, 1)) {
      const run::TracedArray* array = shared_access(*traced, at);
      if (!array) continue;
      const std::string name = array->allocation.name;
      const auto touched = touched_at(*traced, at);
      ASSERT_TRUE(touched.contains(name));
      Focus focus = focus_at(*traced, at);
      for (const StageView& view : {kBlock, kWarp}) {
        const auto grids = grids_of(stage_picture(focus, kStageCanvas, view));
        const Grid& grid = grids.at(name);
        if (!grid.whole()) continue;
        for (const auto& [index, colour] : grid.colours()) {
          const bool accessed = touched.at(name).contains(index);
          const auto bank = static_cast<uint32_t>(array->address_of(index) / 4 % 32);
          EXPECT_EQ(colour, bank_colour(bank, colour.strength)) << name << " " << index;
          EXPECT_EQ(colour.strength == 1, accessed) << name << " " << index;
          (accessed ? bright : dim) += 1;
        }
      }
      focus.hidden.add(session::Fact::Counts);
      for (const Cells& cells : shapes_of<Cells>(stage_picture(focus, kStageCanvas, kWarp)))
        for (const Colour& colour : cells.colours) EXPECT_NE(colour.ink, Ink::Bank) << "a question asks for conflicts";
    }
  EXPECT_GT(bright, 1000u);
  EXPECT_GT(dim, 1000u);
}

/// The lane that owns an element of C, of the cursor's warp.
std::map<uint64_t, uint32_t> owners_of(const TracedBlock& traced, uint32_t warp) {
  std::map<uint64_t, uint32_t> owners;
  for (uint32_t lane = 0; lane < trace::kLanes; ++lane)
    for (const SumElement& element : sum_elements(traced, warp, lane)) owners[element.index] = lane;
  return owners;
}

/// A multiply-add of the warp.
StepRef a_product(const TracedBlock& traced, uint32_t warp) {
  return moments_of(traced, StepKind::Multiply, warp, 1).front();
}

/// A warp that multiplies and whose lanes store elements of C, not the first where there is a choice. None where bulk
/// copies bring C out of shared memory.
std::optional<uint32_t> storing_warp(const TracedBlock& traced) {
  for (uint32_t i = 1; i <= traced.timeline.warps(); ++i) {
    const uint32_t warp = i % traced.timeline.warps();
    if (!moments_of(traced, StepKind::Multiply, warp, 1).empty() && !owners_of(traced, warp).empty()) return warp;
  }
  return std::nullopt;
}

/// Scenes whose output the tests below look at, at least: those of the kernels in which threads alone copy and store.
constexpr size_t kFewestOutputs = 16;

TEST(StageOutput, EveryElementOfTheWarpHasTheColourOfTheLaneThatStoresIt) {
  size_t looked_at = 0;
  for (const auto& traced : every_traced()) {
    const std::optional<uint32_t> warp = storing_warp(*traced);
    if (!warp) continue;
    const auto owners = owners_of(*traced, *warp);
    ASSERT_GE(owners.size(), trace::kLanes);
    const auto grids = grids_of(stage_picture(focus_at(*traced, a_product(*traced, *warp)), kStageCanvas, kWarp));
    if (!grids.at("C").whole()) continue;  // Elements too small for a cell each.
    ++looked_at;
    const auto colours = grids.at("C").colours();
    size_t coloured = 0;
    for (const auto& [index, colour] : colours) coloured += lane_of(colour).has_value();
    EXPECT_EQ(coloured, owners.size()) << traced->request().kernel.name;
    for (const auto& [index, lane] : owners)
      ASSERT_EQ(lane_of(colours.at(index)), lane) << traced->request().kernel.name << " element " << index;
  }
  EXPECT_GE(looked_at, kFewestOutputs);
}

TEST(StageOutput, OfTheBlockEveryWarpsPartHasItsHueAndTheCursorsIsBright) {
  size_t looked_at = 0;
  for (const auto& traced : every_traced()) {
    const std::optional<uint32_t> cursor = storing_warp(*traced);
    if (!cursor) continue;
    const StepRef at = a_product(*traced, *cursor);
    const auto grids = grids_of(stage_picture(focus_at(*traced, at), kStageCanvas, kBlock));
    if (!grids.at("C").whole()) continue;
    ++looked_at;
    const auto colours = grids.at("C").colours();
    std::set<float> here, elsewhere;
    for (uint32_t warp = 0; warp < traced->timeline.warps(); ++warp)
      for (const auto& [index, lane] : owners_of(*traced, warp)) {
        ASSERT_EQ(warp_of(colours.at(index)), warp) << traced->request().kernel.name << " element " << index;
        (warp == *cursor ? here : elsewhere).insert(colours.at(index).strength);
      }
    EXPECT_GT(*here.begin(), *elsewhere.rbegin()) << traced->request().kernel.name;
  }
  EXPECT_GE(looked_at, kFewestOutputs);
}

TEST(StageOutput, OtherWarpsAreNamedWhereTheirPartHasRoom) {
  const auto traced = traced_of("09");
  const auto labels = labels_of(stage_picture(focus_at(*traced, a_product(*traced, 2)), kStageCanvas, kBlock));
  for (uint32_t warp = 0; warp < 8; ++warp)
    EXPECT_EQ(std::count(labels.begin(), labels.end(), "warp " + std::to_string(warp)), warp == 2 ? 0 : 1) << warp;
  EXPECT_THAT(labels, testing::Contains("warps 0 to 7, here 2"));
}

TEST(StageOutput, WhatSeveralStoreIsNamedAfterNone) {
  const auto traced = traced_of_lesson("20-reduction/sum_atomic.cu", {8, 64, 1}, {{"THREADS", "64"}});
  const auto labels = labels_of(stage_picture(focus_at(*traced), kStageCanvas, kBlock));
  for (const char* name : {"warp 0", "warp 1", "2", "31"}) EXPECT_THAT(labels, testing::Not(testing::Contains(name)));
}

TEST(StageInput, RowsBetweenTheStepsOfABlockAreNotMarked) {
  const auto traced = traced_of_lesson("20-reduction/sum_grid.cu", {512, 512, 1}, {{"BLOCKS", "132"}});
  const run::TracedArray& in = *traced->accesses.find(Space::Global, "in");
  EXPECT_EQ(in.touched, (run::Region{0, 0, 266, 512}));
  EXPECT_EQ(in.touched_rows, (std::vector<run::Region>{{0, 0, 2, 512}, {264, 0, 266, 512}}));
  const Cells cells = grids_of(stage_picture(focus_at(*traced), kStageCanvas, {0})).at("in").cells;
  const auto marked = std::ranges::count_if(cells.colours, [](const Colour& each) { return each.strength > 0.3f; });
  EXPECT_GT(marked, 0);
  EXPECT_LT(static_cast<size_t>(marked) * 20, cells.colours.size());
}

TEST(StagePicture, OfASumShowsWhatItIsMadeOf) {
  const auto traced = traced_of_lesson("20-reduction/sum_halves.cu", {8, 64, 1}, {{"THREADS", "64"}});
  const Picture picture = stage_picture(focus_at(*traced), kStageCanvas, kBlock);
  EXPECT_THAT(labels_of(picture), testing::Not(testing::Contains(testing::HasSubstr("hatched: threads outside"))));
  const auto grids = grids_of(picture);
  EXPECT_EQ(grids.at("in").hot.columns, 64u) << "not cut to a part of a sum's index";
  EXPECT_GT(grids.at("in").hot.box.width, 3 * grids.at("sum").hot.box.width);
  EXPECT_LT(grids.at("sum").hot.box.height, kStageCanvas.height / 4);
}

TEST(StagePicture, ASecondOutputIsNotDrawnOverTheFirst) {
  const auto traced = traced_of_lesson("21-attention/attention_scores.cu", {32, 32, 1}, {{"ROWS", "32"}, {"D", "16"}});
  const auto grids = grids_of(stage_picture(focus_at(*traced), kStageCanvas, kBlock));
  const Box &scores = grids.at("scores").hot.box, &out = grids.at("out").hot.box;
  EXPECT_TRUE(out.right() <= scores.x || out.bottom() <= scores.y);
}

TEST(StageOutput, ANumberStandsOnElementsOfItsLane) {
  size_t numbers = 0;
  for (const auto& traced : every_traced())
    for (const float level : {1.0f, 2.0f}) {
      const std::optional<uint32_t> warp = storing_warp(*traced);
      if (!warp) continue;
      const Picture picture =
          stage_picture(focus_at(*traced, a_product(*traced, *warp)), kStageCanvas, {level, 1, 0, 0});
      const Grid grid = grids_of(picture).at("C");
      const auto owners = owners_of(*traced, *warp);
      std::set<uint32_t> named;
      for (const Label& label : shapes_of<Label>(picture)) {
        if (!grid.hot.box.contains(label.at) || label.font != Font::Mono) continue;
        const auto down = static_cast<uint64_t>((label.at.y - grid.hot.box.y) / grid.height() - 0.01f);
        const auto across = static_cast<uint64_t>((label.at.x - grid.hot.box.x) / grid.width() - 0.01f);
        EXPECT_EQ(std::to_string(owners.at(grid.index(down, across))), label.text) << traced->request().kernel.name;
        named.insert(static_cast<uint32_t>(std::stoul(label.text)));
        ++numbers;
      }
      EXPECT_TRUE(named.empty() || named.size() == trace::kLanes) << traced->request().kernel.name;
    }
  EXPECT_GT(numbers, 5u * trace::kLanes);
}

/// How strongly each block is painted from afar, by its number, when `blocks` of them ran.
std::map<uint32_t, float> block_strengths(const TracedBlock& traced, uint32_t columns_of_blocks, uint64_t side) {
  run::GridCounts counted;
  for (uint32_t block = 0; block < traced.report.grid.count(); ++block) {
    const uint64_t row = block / columns_of_blocks * side, column = block % columns_of_blocks * side;
    counted.stores.push_back({block, 2, {row, column, row + side, column + side}});
  }
  Focus focus = focus_at(traced);
  focus.counted = &counted;
  const Grid grid = grids_of(stage_picture(focus, kStageCanvas, {0, 1, 0, 0})).at("C");
  const float down_step = static_cast<float>(grid.cells.rows) / static_cast<float>(grid.hot.rows);
  const float across_step = static_cast<float>(grid.cells.columns) / static_cast<float>(grid.hot.columns);
  std::map<uint32_t, float> strengths;
  for (const analysis::StoreRegion& store : counted.stores) {
    const auto down = static_cast<size_t>((static_cast<float>(store.region.row) + 16) * down_step);
    const auto across = static_cast<size_t>((static_cast<float>(store.region.column) + 16) * across_step);
    strengths[store.block] = grid.cells.colours[down * grid.cells.columns + across].strength;
  }
  return strengths;
}

TEST(StageWaves, BlocksTooLowForEdgesKeepTheirColour) {
  const auto traced = traced_of("01", {1024, 1024, 8});
  const auto edges = [&](uint64_t height) {
    run::GridCounts counted;
    for (uint32_t block = 0; block < 16; ++block)
      counted.stores.push_back({block, 2, {block * height, 0, (block + 1) * height, 1024}});
    Focus focus = focus_at(*traced);
    focus.counted = &counted;
    const auto all = shapes_of<Rectangle>(stage_picture(focus, kStageCanvas, {0, 1, 0, 0}));
    return std::ranges::count_if(all, [](const Rectangle& each) { return each.stroke == Colour{Ink::Window, 1}; });
  };
  EXPECT_GE(edges(64), 15);
  EXPECT_EQ(edges(2), 0) << "nothing of a block would be left between its edges";
}

TEST(StageWaves, LaterBlocksAreLighterWaveByWaveAndTheTracedOneStandsOut) {
  const auto traced = traced_of("01", {1024, 1024, 8});
  const uint32_t columns = traced->report.grid.x;
  const uint64_t wave =
      traced->report.occupancy->blocks_per_sm * static_cast<uint64_t>(traced->prepared->device->sms->value);
  const uint64_t total = traced->report.grid.count(), waves = (total + wave - 1) / wave;
  ASSERT_GT(waves, 2u) << total << " blocks, " << wave << " a wave";
  const auto strengths = block_strengths(*traced, columns, 1024 / columns);
  EXPECT_FLOAT_EQ(strengths.at(traced->block), 0.95f);
  for (uint32_t block = 0; block < total; block += 17) {
    if (block == traced->block) continue;
    const float number = std::floor(static_cast<float>(block) / static_cast<float>(wave));
    EXPECT_FLOAT_EQ(strengths.at(block), 0.25f + 0.35f * number / static_cast<float>(waves - 1)) << block;
  }
  EXPECT_FLOAT_EQ(strengths.at(static_cast<uint32_t>(wave - 1)), 0.25f) << "the last of the first wave";
  EXPECT_GT(strengths.at(static_cast<uint32_t>(wave)), 0.3f) << "the first of the second";
  const auto labels = labels_of(stage_picture(focus_at(*traced), kStageCanvas, {0, 1, 0, 0}));
  EXPECT_THAT(labels, testing::Contains(std::to_string(waves) + " waves"));
}

TEST(StageWaves, OfOneWaveAllBlocksButTheTracedAreAlike) {
  const auto traced = traced_of("01", {256, 256, 64});
  const uint32_t columns = traced->report.grid.x;
  const auto strengths = block_strengths(*traced, columns, 256 / columns);
  ASSERT_GT(strengths.size(), 2u);
  for (const auto& [block, strength] : strengths) EXPECT_FLOAT_EQ(strength, block == traced->block ? 0.95f : 0.425f);
}

}  // namespace
}  // namespace tilescope::view
