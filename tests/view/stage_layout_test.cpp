#include "view/stage/stage_layout.h"

#include <map>

#include <gtest/gtest.h>

#include "picture_checks.h"
#include "traced_fixture.h"
#include "view/stage/stage_copy.h"
#include "view/stage/stage_frame.h"

namespace tilescope::view {
namespace {
using run::Region;
using run::Side;
using run::TracedArray;

constexpr Box kArea{0, 0, 160, 80};
const Region kAll{0, 0, 8, 16};

/// 8 rows of 16 columns in cells of 10 x 10 pixels, which fill the area.
ArrayPanel panel_of(const TracedArray& array) { return {&array, kArea, kAll, 1, Ink::ArrayC}; }

TracedArray matrix(bool transposed = false) {
  TracedArray array;
  array.rows = transposed ? 16 : 8;
  array.columns = transposed ? 8 : 16;
  array.transposed = transposed;
  return array;
}

StageView view_panned(float x, float y, float zoom = 1) { return {1, zoom, x / kArea.width, y / kArea.height}; }

void expect_box(const Box& box, const Box& expected) {
  EXPECT_NEAR(box.x, expected.x, 1e-3);
  EXPECT_NEAR(box.y, expected.y, 1e-3);
  EXPECT_NEAR(box.width, expected.width, 1e-3);
  EXPECT_NEAR(box.height, expected.height, 1e-3);
}

TEST(VisiblePart, LosesTheCellsThatArePannedOutAndKeepsTheOthersInTheirPlaces) {
  const TracedArray array = matrix();
  const ArrayPanel right = visible_part(panel_of(array), kArea, view_panned(33, 0));
  EXPECT_EQ(right.window, (Region{0, 0, 8, 13})) << "of 33 pixels three whole cells";
  expect_box(right.box, {33, 0, 130, 80});
  const ArrayPanel left = visible_part(panel_of(array), kArea, view_panned(-33, 0));
  EXPECT_EQ(left.window, (Region{0, 3, 8, 16}));
  expect_box(left.box, {-3, 0, 130, 80});
  const ArrayPanel down = visible_part(panel_of(array), kArea, view_panned(0, 27));
  EXPECT_EQ(down.window, (Region{0, 0, 6, 16}));
  expect_box(down.box, {0, 27, 160, 60});
  const ArrayPanel up = visible_part(panel_of(array), kArea, view_panned(0, -27));
  EXPECT_EQ(up.window, (Region{2, 0, 8, 16}));
  expect_box(up.box, {0, -7, 160, 60});
}

TEST(VisiblePart, IsCutAlongTheRowsOfAnArrayThatIsDrawnTransposed) {
  const TracedArray array = matrix(true);
  const ArrayPanel panel{&array, kArea, {0, 0, 16, 8}, 1, Ink::ArrayA};
  const ArrayPanel left = visible_part(panel, kArea, view_panned(-33, 27));
  EXPECT_EQ(left.window, (Region{3, 0, 16, 6}));
  expect_box(left.box, {-3, 27, 130, 60});
}

TEST(VisiblePart, ZoomedInIsCutAtBothEnds) {
  const TracedArray array = matrix();
  const ArrayPanel part = visible_part(panel_of(array), kArea, view_panned(0, 0, 4));
  // Cells of 40 x 40 around the centre: 240 pixels, six cells, are out at either side, and 120, three, above and below.
  EXPECT_EQ(part.window, (Region{3, 6, 5, 10}));
  expect_box(part.box, kArea);
  EXPECT_EQ(part.strength, 1);
}

TEST(VisiblePart, EveryCellThatStaysLiesWhereItLayWithoutTheCut) {
  const TracedArray array = matrix();
  for (const float x : {-101.0f, -55.5f, 0.0f, 9.9f, 77.0f})
    for (const float zoom : {0.7f, 1.0f, 3.3f}) {
      const StageView view = view_panned(x, x / 3, zoom);
      const ArrayPanel part = visible_part(panel_of(array), kArea, view);
      const ArrayPanel whole = visible_part(panel_of(array), {-1e4f, -1e4f, 2e4f + 160, 2e4f + 80},
                                            {1, zoom, view.pan_x * 160 / (2e4f + 160), view.pan_y * 80 / (2e4f + 80)});
      ASSERT_EQ(whole.window, kAll);
      for (uint64_t row = 0; row < 8; ++row)
        for (uint64_t column = 0; column < 16; ++column) {
          const Region cell{row, column, row + 1, column + 1};
          const Box box = whole.place(cell);
          const bool in = box.x < 160 && box.right() > 0 && box.y < 80 && box.bottom() > 0;
          if (!part.window.contains(row, column)) {
            EXPECT_FALSE(in && box.x > 0 && box.right() < 160 && box.y > 0 && box.bottom() < 80)
                << row << " " << column;
            continue;
          }
          const Box kept = part.place(cell);
          EXPECT_NEAR(kept.x, box.x, 0.02);
          EXPECT_NEAR(kept.y, box.y, 0.02);
          EXPECT_NEAR(kept.width, box.width, 0.02);
        }
    }
}

TEST(VisiblePart, WhatIsPannedOutAltogetherIsNotThere) {
  const TracedArray array = matrix();
  for (const StageView& view : {view_panned(161, 0), view_panned(-161, 0), view_panned(0, 81), view_panned(0, -81)})
    EXPECT_EQ(visible_part(panel_of(array), kArea, view).strength, 0);
  for (const StageView& view : {view_panned(155, 0), view_panned(-155, 0), view_panned(0, 75), view_panned(0, -75)})
    EXPECT_EQ(visible_part(panel_of(array), kArea, view).strength, 1);
}

/// The shown part of an input whose k has that many elements, at a k-tile of [begin, end).
Region shown_of(Side side, uint64_t begin, uint64_t end) {
  const auto traced = traced_of("01", {64, 64, 256});
  std::vector<Region> tiles;
  for (const TracedArray& array : traced->accesses.arrays())
    tiles.push_back(array.side == Side::A ? Region{0, begin, 64, end} : Region{begin, 0, end, 64});
  for (const ArrayPanel& panel : stage_panels(focus_at(*traced, {0, 0}), kArea, 1, tiles))
    if (panel.array->side == side) return panel.window;
  return {};
}

TEST(StagePanels, OfAWideInputFourKTilesAreShownAndMoveInStepsOfTwo) {
  const auto columns = [](uint64_t begin, uint64_t end) {
    const Region a = shown_of(Side::A, begin, end), b = shown_of(Side::B, begin, end);
    EXPECT_EQ(a.column, b.row);
    EXPECT_EQ(a.column_end, b.row_end);
    return std::pair{a.column, a.column_end};
  };
  using Columns = std::pair<uint64_t, uint64_t>;
  EXPECT_EQ(columns(0, 8), (Columns{0, 32}));
  EXPECT_EQ(columns(8, 16), (Columns{0, 32}));
  EXPECT_EQ(columns(16, 24), (Columns{16, 48}));
  EXPECT_EQ(columns(24, 32), (Columns{16, 48})) << "the same until the tile is a step further";
  EXPECT_EQ(columns(32, 40), (Columns{32, 64}));
  EXPECT_EQ(columns(248, 256), (Columns{224, 256})) << "at the end no less is shown";
  EXPECT_EQ(columns(7, 8), (Columns{0, 16})) << "never less than 16";
  EXPECT_EQ(columns(32, 64), (Columns{32, 96})) << "nor more than 64";
  EXPECT_EQ(columns(0, 128), (Columns{0, 128})) << "but where the tile is deeper";
  EXPECT_EQ(columns(56, 112), (Columns{32, 112})) << "also where it does not begin at a step";
}

/// What is copied when the warp is at its first access of that kind: by the array's name.
std::map<std::string, Region> copied_at(const char* kernel, uint32_t warp, analysis::StepKind kind) {
  const auto traced = traced_of(kernel);
  uint32_t step = 0;
  while (traced->timeline.kind({warp, step}) != kind) ++step;
  const std::vector<Region> regions = copy_regions(*traced, {warp, step});
  std::map<std::string, Region> copied;
  for (size_t i = 0; i < regions.size(); ++i)
    if (!regions[i].empty()) copied[traced->accesses.arrays()[i].allocation.name] = regions[i];
  return copied;
}

TEST(CopyRegions, AreWhatAWarpLoadsWithWhereItStoresTheSameValues) {
  using Copied = std::map<std::string, Region>;
  const Copied tile_2d{{"A", {8, 0, 12, 8}}, {"As", {8, 0, 12, 8}}, {"B", {0, 64, 1, 96}}, {"Bs", {0, 64, 1, 96}}};
  EXPECT_EQ(copied_at("09", 2, analysis::StepKind::LoadGlobal), tile_2d);
  EXPECT_EQ(copied_at("09", 2, analysis::StepKind::StoreShared), tile_2d);
  EXPECT_EQ(copied_at("09", 2, analysis::StepKind::LoadShared), Copied{}) << "no copy";
  EXPECT_EQ(copied_at("02", 2, analysis::StepKind::LoadGlobal), Copied{}) << "there is no shared memory";
  // Four columns for each lane, and As is transposed.
  const Copied wide{{"A", {32, 0, 48, 8}}, {"As", {0, 32, 8, 48}}, {"B", {2, 0, 3, 128}}, {"Bs", {2, 0, 3, 128}}};
  EXPECT_EQ(copied_at("10", 2, analysis::StepKind::LoadGlobal), wide);
}

TEST(StagePanels, OfACopyHaveCellsThatHoldALanesNumber) {
  for (const char* kernel : {"04", "05", "06", "07", "08", "09"}) {
    const auto traced = traced_of(kernel);
    uint32_t step = 0;
    while (traced->timeline.kind({1, step}) != analysis::StepKind::LoadGlobal) ++step;
    const Focus focus = focus_at(*traced, {1, step});
    const Box area{20, 8, 820, 330};
    for (const ArrayPanel& panel : stage_panels(focus, area, 2, tile_regions(*traced, focus.cursor))) {
      if (panel.strength < 1) continue;  // C, where the elements will go.
      EXPECT_GE(panel.cell_width(), 16) << kernel << " " << panel.array->allocation.name;
      EXPECT_GE(panel.cell_height(), 14) << kernel << " " << panel.array->allocation.name;
      EXPECT_LE(panel.box.bottom(), area.bottom()) << kernel << " " << panel.array->allocation.name;
      EXPECT_LE(panel.box.right(), area.right() + 0.1f) << kernel << " " << panel.array->allocation.name;
    }
  }
}

TEST(StagePanels, OfACopyShowThePaddingOfTheTile) {
  const auto traced = traced_of_lesson("09-bank-conflicts/transposed_tile.cu", {64, 64, 64}, {{"PAD", "1"}});
  ASSERT_TRUE(traced);
  uint32_t step = 0;
  while (traced->timeline.kind({0, step}) != analysis::StepKind::StoreShared) ++step;
  const Focus focus = focus_at(*traced, {0, step});
  for (const ArrayPanel& panel : stage_panels(focus, {20, 8, 820, 330}, 2, tile_regions(*traced, focus.cursor)))
    if (panel.strength > 0 && panel.array->allocation.space == Space::Shared && !never_accessed(*panel.array).empty()) {
      EXPECT_EQ(panel.window.column_end, panel.array->columns) << panel.array->allocation.name;
    }
}

// Eight of 68 columns with four rows: with the padding the copy would be a stamp.
TEST(StagePanels, OfACopyOfAFewElementsOfLongRowsShowTheseAlone) {
  const auto traced = traced_of("17", {256, 256, 128});
  uint32_t step = 0;
  const auto is_copy_of_a = [&] { return traced->instruction(traced->timeline.pc({0, step})).op == ptx::Op::CpAsync; };
  while (!is_copy_of_a()) ++step;
  const Focus focus = focus_at(*traced, {0, step});
  for (const ArrayPanel& panel : stage_panels(focus, {20, 8, 820, 330}, 2, tile_regions(*traced, focus.cursor)))
    EXPECT_TRUE(panel.strength < 1 || panel.cell_width() > 20) << panel.array->allocation.name;
}

TEST(StagePanels, ATilesCellsAreAboutAsHighAsWide) {
  const Box areas[] = {{25, 8, 600, 390}, {25, 8, 480, 300}};  // Beside a lesson, at 1600 x 900 and 1280 x 720.
  for (const char* preset : {"8x8", "16x16"})
    for (const Box& area : areas) {
      const auto traced = traced_of("04", {32, 32, 32}, preset);
      const Focus focus = focus_at(*traced);
      for (const ArrayPanel& panel : stage_panels(focus, area, 1, tile_regions(*traced, focus.cursor))) {
        if (panel.array->allocation.space != Space::Shared) continue;
        const float ratio = panel.cell_width() / panel.cell_height();
        EXPECT_NEAR(ratio, 1, 0.01f) << preset << " " << panel.array->allocation.name << " " << ratio;
        EXPECT_GT(panel.cell_height(), std::string(preset) == "8x8" ? 11 : 5.5f) << preset;
      }
    }
}

TEST(StagePanels, ASquareOfNoProductIsSquareAndFewRowsAreLong) {
  const Box area{25, 8, 560, 340};
  for (const char* file : {"19-transpose/transpose_swizzled.cu", "19-transpose/transpose_tile.cu"}) {
    const auto traced = traced_of_lesson(file, {16, 24, 1}, {{"TILE", "8"}});
    ASSERT_TRUE(traced);
    const Focus focus = focus_at(*traced);
    for (const ArrayPanel& panel : stage_panels(focus, area, 1, tile_regions(*traced, focus.cursor)))
      EXPECT_NEAR(panel.cell_width() / panel.cell_height(), 1, 0.01f) << file << panel.array->allocation.name;
  }
}

TEST(StagePanels, InTheCornerIsRoomForNamesBesideB) {
  const auto traced = traced_of_lesson("21-attention/flash.cu", {256, 256, 1}, {{"D", "64"}});
  ASSERT_TRUE(traced);
  const Focus focus = focus_at(*traced);
  float beside = 0;
  std::vector<Box> corner;
  for (const ArrayPanel& panel : stage_panels(focus, {25, 8, 560, 400}, 1, tile_regions(*traced, focus.cursor))) {
    if (panel.array->side == Side::B) beside = panel.box.x;
    if (panel.array->in_corner()) corner.push_back(panel.box);
  }
  ASSERT_EQ(corner.size(), 2U);
  for (const Box& box : corner) {
    EXPECT_LE(box.right(), beside) << "not on the keys";
    EXPECT_GE(box.x - 25, 10 * 7) << "the name of value_tile";
  }
}

TEST(StagePanels, TilesThatNothingReachedAreTheInputsAllTheSame) {
  const auto traced = traced_of_lesson("18-hopper/mend_18.cu", {16, 16, 64}, {});
  ASSERT_TRUE(traced);
  EXPECT_TRUE(traced->accesses.find(Space::Shared, "As")->touched.empty());
  EXPECT_EQ(traced->accesses.find(Space::Shared, "As")->side, Side::A);
  EXPECT_EQ(traced->accesses.find(Space::Shared, "Bs")->side, Side::B);
  EXPECT_EQ(traced->accesses.find(Space::Shared, "full")->side, Side::None);
}

TEST(StagePanels, AnInputOfThirtyTwoIsShownWhole) {
  const auto traced = traced_of("01", {64, 64, 32});
  const std::vector<Region> tiles(traced->accesses.arrays().size(), Region{16, 16, 24, 24});
  for (const ArrayPanel& panel : stage_panels(focus_at(*traced, {0, 0}), kArea, 1, tiles))
    EXPECT_EQ(panel.window, panel.array->touched);
}

TEST(StagePanels, GoFromWhereTheyWereAtTheCursorBefore) {
  const auto traced = traced_of("09_thread_tile_2d");
  ASSERT_TRUE(traced);
  // From the first load of the k-tile to the first product.
  const std::optional<analysis::StepRef> load = run::find_access(*traced, 39, 1, 0),
                                         read = run::find_access(*traced, 51, 1, 0);
  ASSERT_TRUE(load && read);
  const auto focus_of_cursor = [&](const analysis::StepRef& at) {
    Focus focus;
    focus.traced = traced.get();
    focus.cursor = at;
    return focus;
  };
  const Canvas canvas{800, 500, &kMeasure, 14};
  const Focus from = focus_of_cursor(*load), to = focus_of_cursor(*read);
  const auto left_of_a = [&](const Focus& focus, const StageView& view) {
    for (const ArrayPanel& panel : stage_frame(focus, canvas, view).panels)
      if (panel.array->allocation.name == "As") return panel.box.x;
    ADD_FAILURE() << "As is not there";
    return 0.0f;
  };
  const float begin = left_of_a(from, {2}), end = left_of_a(to, {2});
  ASSERT_NE(begin, end);
  StageView view{2};
  view.before = *load;
  view.moved = 0;
  EXPECT_EQ(left_of_a(to, view), begin);
  view.moved = 0.5f;
  EXPECT_NEAR(left_of_a(to, view), (begin + end) / 2, 1);
}

TEST(CopiedOutput, EachWarpOfAWgmmaOwnsSixteenRowsOfC) {
  const auto traced = traced_of("23");
  ASSERT_TRUE(traced);
  const TracedArray& c = *traced->accesses.output();
  for (uint32_t warp = 0; warp < traced->timeline.warps(); ++warp) {
    const std::vector<uint64_t>& elements = traced->accesses.copied_output(warp);
    EXPECT_EQ(elements.size(), warp < 4 ? 0u : 16u * c.touched.columns()) << warp << ": the first four copy";
    if (!elements.empty()) {
      EXPECT_EQ(bounds_of(c, elements).rows(), 16u) << warp;
    }
  }
}

TEST(CopiedOutput, IsEmptyWhereThreadsStoreToC) {
  const auto traced = traced_of("09");
  for (uint32_t warp = 0; warp < traced->timeline.warps(); ++warp)
    EXPECT_TRUE(traced->accesses.copied_output(warp).empty());
}

/// Kernel 01 with an A of 4 x 16 x K in place of its M x K.
std::shared_ptr<const run::TracedBlock> sliced_traced() {
  run::Request request = request_for("01", {64, 64, 32});
  for (kernel::Array& array : request.kernel.description.arrays)
    if (array.name == "A") array.shape = array.logical = {{"4", {}}, {"16", {}}, {"K", {}}};
  compile::Compiler compiler(prebuilt_only());
  const auto traced = trace_block(request, compiler, {0, 0});
  EXPECT_TRUE(traced) << to_string(traced.errors());
  return traced ? *traced : nullptr;
}

TEST(StagePanels, ThreeExtentsAreShownSliceBySlice) {
  const auto traced = sliced_traced();
  ASSERT_TRUE(traced);
  const Focus focus = focus_at(*traced, {0, 0});
  const TracedArray* a = traced->accesses.find(Space::Global, "A");
  ASSERT_TRUE(a);
  EXPECT_EQ(slices_of(*a), 4u);
  EXPECT_EQ(slices_of(*traced->accesses.find(Space::Global, "B")), 1u);
  const auto rows = [&](float level, int slice) {
    for (const ArrayPanel& panel : stage_panels(focus, kArea, level, tile_regions(*traced, focus.cursor), slice))
      if (panel.array == a) return std::pair{panel.window.row, panel.window.row_end};
    return std::pair<uint64_t, uint64_t>{};
  };
  EXPECT_EQ(rows(0, -1), (std::pair<uint64_t, uint64_t>{0, 16}));
  EXPECT_EQ(rows(0, 2), (std::pair<uint64_t, uint64_t>{32, 48}));
  EXPECT_EQ(rows(0, 99), (std::pair<uint64_t, uint64_t>{48, 64}));
  // Block (0, 0) touches rows 0 to 31; a slice that it does not touch is shown as a whole.
  EXPECT_EQ(rows(1, 0).first, 0u);
  EXPECT_EQ(rows(1, 3), (std::pair<uint64_t, uint64_t>{48, 64}));
}

}  // namespace
}  // namespace tilescope::view
