#include <algorithm>
#include <bit>
#include <set>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "picture_checks.h"
#include "run/traced_block.h"
#include "view/stage/cell_painter.h"
#include "view/stage/stage_frame.h"
#include "view/stage/stage_picture.h"
#include "view/stage/thread_picture.h"
#include "view/traced_fixture.h"

namespace tilescope::view {
namespace {
using analysis::StepKind;
using analysis::StepRef;
using analysis::Timeline;
using run::Side;
using run::TracedArray;
using run::TracedBlock;

std::vector<std::string> kernel_names() {
  std::vector<std::string> names;
  for (const kernel::Kernel& kernel : shipped_kernels().kernels) names.push_back(kernel.name);
  return names;
}

/// Those whose threads copy tiles into arrays that the description names, with barriers of all warps. From 17 on TMA
/// copies, shared memory is dynamic, or groups of warps wait for one another.
std::vector<std::string> names_of_threads_copies() {
  std::vector<std::string> names;
  for (const kernel::Kernel& kernel : shipped_kernels().kernels)
    if (kernel.number < 17) names.push_back(kernel.name);
  return names;
}

class Stages : public testing::TestWithParam<std::string> {
 protected:
  const TracedBlock& traced() const { return *traced_of(GetParam()); }
  Focus focus_on(const StepRef& at) const {
    Focus focus = focus_at(traced(), at);
    focus.lane = 5;
    return focus;
  }
};

class CopiesOfThreads : public Stages {};

std::vector<StepRef> every_moment_of(const TracedBlock& traced, StepKind kind, uint32_t every) {
  std::vector<StepRef> result;
  uint32_t seen = 0;
  for (uint32_t warp = 0; warp < traced.timeline.warps(); warp += 3)
    for (uint32_t step = 0; step < traced.timeline.steps(warp); ++step)
      if (traced.timeline.kind({warp, step}) == kind && seen++ % every == 0) result.push_back({warp, step});
  return result;
}

TEST_P(Stages, AsManyStepsBackAsForwardIsTheSamePlace) {
  const Timeline& timeline = traced().timeline;
  for (const analysis::Unit unit :
       {analysis::Unit::Instruction, analysis::Unit::Access, analysis::Unit::Phase, analysis::Unit::Tile}) {
    std::vector<StepRef> way{timeline.first(0)};
    while (way.size() < 60 && timeline.move(way.back(), unit, 1) != way.back())
      way.push_back(timeline.move(way.back(), unit, 1));
    ASSERT_GT(way.size(), 1u) << to_string(unit);
    if (way.back() == timeline.last(0)) way.pop_back();
    for (size_t i = way.size() - 1; i > 0; --i)
      EXPECT_EQ(timeline.move(way[i], unit, -1).step, way[i - 1].step) << to_string(unit) << " " << i;
  }
}

TEST_P(CopiesOfThreads, BarriersOfAllWarpsStandInOneSlot) {
  const Timeline& timeline = traced().timeline;
  std::vector<std::vector<uint32_t>> slots;
  for (uint32_t warp = 0; warp < timeline.warps(); ++warp) {
    slots.emplace_back();
    bool after = false;
    for (uint32_t step = 0; step < timeline.steps(warp); ++step) {
      if (after) slots.back().push_back(timeline.slot({warp, step}));
      after = timeline.kind({warp, step}) == StepKind::Barrier;
      EXPECT_EQ(timeline.step_in(warp, timeline.slot({warp, step})), step);
    }
    EXPECT_EQ(slots.back(), slots.front()) << warp;
  }
  EXPECT_EQ(slots.front(), timeline.barrier_lines());
}

TEST_P(Stages, TheCursorTouchesWhatTheTraceSays) {
  for (const StepKind kind : {StepKind::LoadGlobal, StepKind::StoreShared, StepKind::LoadShared, StepKind::StoreGlobal})
    for (const StepRef& at : every_moment_of(traced(), kind, 97)) {
      const uint32_t record = *traced().timeline.access(at), active = traced().trace.active(record);
      uint64_t addresses[trace::kLanes];
      traced().trace.addresses(record, addresses);
      const TracedArray* array =
          traced().accesses.find(traced().trace.space(record), addresses[std::countr_zero(active)]);
      ASSERT_NE(array, nullptr);
      const uint32_t element = std::max(1u, size_of(array->allocation.element));
      std::vector<std::pair<uint32_t, uint64_t>> expected, touched;  // Lane, address.
      for (uint32_t lane = 0; lane < trace::kLanes; ++lane)
        for (uint64_t byte = 0; active >> lane & 1 && byte < std::max(element, traced().trace.bytes(record));
             byte += element)
          expected.emplace_back(lane, addresses[lane] + byte);
      const bool stores = kind == StepKind::StoreShared || kind == StepKind::StoreGlobal;
      for (const LaneUse& use : lane_uses(traced(), at)) {
        touched.emplace_back(use.lane, use.array->address_of(use.index));
        EXPECT_EQ(use.how, stores ? LaneUse::How::Writes : LaneUse::How::Reads);
      }
      std::sort(touched.begin(), touched.end());
      EXPECT_EQ(touched, expected);
    }
}

// The rule of the matrix product, found again in what the kernel's registers hold: C[r][c] += A[r][k] * B[k][c].
TEST_P(CopiesOfThreads, EveryProductIsOneOfTheMatrixProduct) {
  const std::vector<StepRef> products = every_moment_of(traced(), StepKind::Multiply, 401);
  ASSERT_FALSE(products.empty());
  for (const StepRef& at : products) {
    const auto lane = static_cast<uint32_t>(std::countr_zero(traced().timeline.active(at)));
    const ThreadWork work = thread_work(traced(), at, lane);
    ASSERT_TRUE(work.at_cursor);
    const Product& product = work.products[static_cast<size_t>(work.current)];
    if (!product.a.array && !product.b.array) {
      EXPECT_EQ(work.number, 0u) << "a loop that multiplies one k behind its loads begins with zeros";
      continue;
    }
    ASSERT_TRUE(product.a.array && product.b.array);
    const TracedArray& a = product.a.input ? *product.a.input : *product.a.array;
    const TracedArray& b = product.b.input ? *product.b.input : *product.b.array;
    const uint64_t a_index = product.a.input ? product.a.input_index : product.a.index;
    const uint64_t b_index = product.b.input ? product.b.input_index : product.b.index;
    EXPECT_EQ(a.side, Side::A);
    EXPECT_EQ(b.side, Side::B);
    EXPECT_EQ(a_index % a.columns, b_index / b.columns) << "k";
    size_t found = 0;
    for (const SumElement& sum : work.sums)
      if (sum.sum == product.sum) {
        ++found;
        EXPECT_EQ(sum.index / sum.array->columns, a_index / a.columns) << "row";
        EXPECT_EQ(sum.index % sum.array->columns, b_index % b.columns) << "column";
      }
    EXPECT_EQ(found, 1u);
  }
}

TEST_P(CopiesOfThreads, EverySumHasAProductForEachK) {
  const ThreadWork work = thread_work(traced(), traced().timeline.last(0), 0);
  std::set<int32_t> sums;
  for (const SumElement& sum : work.sums) sums.insert(sum.sum);
  EXPECT_EQ(sums.size(), work.sums.size());
  EXPECT_EQ(sums.count(-1), 0u);
  EXPECT_EQ(work.products.size(), work.sums.size());
}

TEST_P(Stages, PicturesLieInsideTheirCanvas) {
  const PlainMeasure measure;
  const Canvas canvas{820, 420, &measure, 14};
  std::vector<StepRef> moments = every_moment_of(traced(), StepKind::Multiply, 5001);
  for (const StepKind kind : {StepKind::LoadGlobal, StepKind::StoreShared, StepKind::LoadShared, StepKind::Barrier})
    for (const StepRef& at : every_moment_of(traced(), kind, 1009)) moments.push_back(at);
  moments.push_back(traced().timeline.first(0));
  moments.push_back(traced().timeline.last(0));
  for (const StepRef& at : moments) {
    const Focus focus = focus_on(at);
    for (const float level : {0.0f, 0.4f, 1.0f, 1.7f, 2.0f})
      for (const Shape& shape : stage_picture(focus, canvas, {level, 1, 0, 0}).shapes)
        if (const auto* cells = std::get_if<Cells>(&shape)) {
          EXPECT_GE(cells->box.x, -1);
          EXPECT_GE(cells->box.y, -1);
          EXPECT_LE(cells->box.right(), canvas.width + 1);
          EXPECT_LE(cells->box.bottom(), canvas.height + 1);
          EXPECT_EQ(cells->colours.size(), size_t{cells->rows} * cells->columns);
        }
  }
}

/// Labels that overlap by more than rounding: a hundredth of a pixel, as in the LabelPlacer.
std::vector<std::string> overlaps_of(const Picture& picture, const TextMeasure& measure) {
  std::vector<std::string> found;
  const std::vector<Label> labels = shapes_of<Label>(picture);
  for (size_t i = 0; i < labels.size(); ++i)
    for (size_t j = i + 1; j < labels.size(); ++j) {
      const Box a = extent_of(labels[i], measure), b = extent_of(labels[j], measure);
      constexpr float kRounding = 0.01f;
      if (a.x + kRounding < b.right() && b.x + kRounding < a.right() && a.y + kRounding < b.bottom() &&
          b.y + kRounding < a.bottom())
        found.push_back(labels[i].text + " and " + labels[j].text);
    }
  return found;
}

TEST_P(Stages, TheNamesOfArraysLieBesideOneAnotherHoweverSmallTheCanvas) {
  const PlainMeasure measure;
  std::vector<StepRef> moments = {traced().timeline.first(0)};
  for (const StepKind kind : {StepKind::LoadGlobal, StepKind::StoreShared, StepKind::LoadShared, StepKind::StoreGlobal})
    for (const StepRef& at : every_moment_of(traced(), kind, 4001)) moments.push_back(at);
  for (const Canvas& canvas :
       {Canvas{1100, 560, &measure, 14}, {640, 250, &measure, 14}, {400, 170, &measure, 14}, {290, 130, &measure, 14}})
    for (const StepRef& at : moments)
      for (const float level : {1.0f, 2.0f}) {
        const Picture picture = stage_picture(focus_on(at), canvas, {level, 1, 0, 0});
        EXPECT_THAT(overlaps_of(picture, measure), testing::IsEmpty())
            << canvas.width << " at " << at.step << ", " << level;
      }
}

TEST_P(Stages, TheThreadsWordsLieBesideOneAnotherAndOnTheCanvas) {
  const PlainMeasure measure;
  std::vector<StepRef> moments = every_moment_of(traced(), StepKind::Multiply, 2003);
  for (const StepRef& at : every_moment_of(traced(), StepKind::LoadShared, 1009)) moments.push_back(at);
  moments.push_back(traced().timeline.first(0));
  moments.push_back(traced().timeline.last(0));
  for (const Canvas& canvas : {Canvas{1130, 356, &measure, 14}, {900, 302, &measure, 14}, {634, 302, &measure, 14}})
    for (const StepRef& at : moments) {
      const Picture picture = thread_picture(focus_on(at), canvas);
      const ThreadWork work = thread_work(traced(), at, 5);
      EXPECT_GT(shapes_of<Label>(picture).size(), work.sums.empty() || work.tensor_sums > 0 ? 0u : 3u);
      EXPECT_THAT(overlaps_of(picture, measure), testing::IsEmpty()) << canvas.width << " at " << at.step;
      expect_inside(picture, measure);
    }
}

TEST_P(CopiesOfThreads, ArraysStandWhereTheFigureHasThem) {
  std::set<std::string> on_a, on_b, on_c;
  for (const TracedArray& array : traced().accesses.arrays()) {
    if (array.side == Side::A) on_a.insert(array.allocation.name);
    if (array.side == Side::B) on_b.insert(array.allocation.name);
    if (array.side == Side::C) on_c.insert(array.allocation.name);
  }
  const bool shared = !traced().trace.header().shared.empty();
  EXPECT_EQ(on_a, shared ? (std::set<std::string>{"A", "As"}) : std::set<std::string>{"A"});
  EXPECT_EQ(on_b, shared ? (std::set<std::string>{"B", "Bs"}) : std::set<std::string>{"B"});
  EXPECT_EQ(on_c, std::set<std::string>{"C"});
}

INSTANTIATE_TEST_SUITE_P(AllKernels, Stages, testing::ValuesIn(kernel_names()),
                         [](const auto& kernel) { return kernel.param; });
INSTANTIATE_TEST_SUITE_P(Catalogue, CopiesOfThreads, testing::ValuesIn(names_of_threads_copies()),
                         [](const auto& kernel) { return kernel.param; });

TEST(Story, AColumnMajorTileIsSeenToBeTransposed) {
  const auto traced = traced_of("10_wide_loads");
  EXPECT_TRUE(traced->accesses.find(Space::Shared, "As")->transposed);
  EXPECT_FALSE(traced->accesses.find(Space::Shared, "Bs")->transposed);
}

TEST(CellPainter, SmallElementsShareACellThatTakesTheStrongestColour) {
  TracedArray array;
  array.rows = array.columns = 8;
  const ArrayPanel panel{&array, {10, 20, 8, 4}, {0, 0, 8, 8}, 1, Ink::ArrayC};
  CellPainter painter(panel, {Ink::ArrayC, 0.1f});
  painter.set(5, 3, {Ink::ArrayA, 0.9f});
  painter.set(4, 3, {Ink::ArrayB, 0.5f});
  Picture picture;
  painter.add_to(picture);
  const Cells& cells = std::get<Cells>(picture.shapes.at(0));
  EXPECT_EQ(cells.rows, 2u) << "three elements would be large enough: the next power of two";
  EXPECT_EQ(cells.columns, 4u);
  EXPECT_EQ(cells.colours[1 * 4 + 1], (Colour{Ink::ArrayA, 0.9f}));
  EXPECT_EQ(cells.colours[0], (Colour{Ink::ArrayC, 0.1f}));
}

TEST(CellPainter, ACellOfSeveralWarpsHasTheArraysColourInWhateverOrderTheyCome) {
  TracedArray array;
  array.rows = array.columns = 8;
  const auto coloured = [&](float size, const std::vector<Colour>& rows) {
    const ArrayPanel panel{&array, {0, 0, size, size}, {0, 0, 8, 8}, 1, Ink::ArrayB};
    CellPainter painter(panel, {Ink::ArrayB, 0.1f});
    for (uint64_t row = 0; row < rows.size(); ++row) painter.set(row, 0, rows[row]);
    Picture picture;
    painter.add_to(picture);
    return std::get<Cells>(picture.shapes.at(0)).colours[0];
  };
  const Colour zero = warp_colour(0, 0.5f), one = warp_colour(1, 0.5f), mixed{Ink::ArrayB, 0.5f};
  EXPECT_EQ(coloured(8, {zero, one}), mixed);
  EXPECT_EQ(coloured(8, {one, zero}), mixed);
  EXPECT_EQ(coloured(4, {zero, one, zero, one}), mixed);
  EXPECT_EQ(coloured(8, {zero, zero}), zero);
  EXPECT_EQ(coloured(8, {zero, warp_colour(1, 0.6f)}), warp_colour(1, 0.6f)) << "the strongest alone";
  EXPECT_EQ(coloured(16, {zero, one}), zero) << "a cell for each element";
}

// A kernel without shared memory reads A and B themselves at every step, and its warp is looked at closely.
TEST(Stage, WhatAWarpReadsOfAnInputIsLargeEnoughToBeSeen) {
  for (const char* name : {"01", "02", "03"}) {
    const auto traced = traced_of(name);
    Focus focus;
    focus.traced = traced.get();
    for (const StepRef& at : every_moment_of(*traced, StepKind::LoadGlobal, 7)) {
      focus.cursor = at;
      const auto record = *traced->timeline.access(at);
      uint64_t addresses[trace::kLanes];
      traced->trace.addresses(record, addresses);
      for (const ArrayPanel& panel : stage_panels(focus, {0, 0, 1000, 360}, 2, tile_regions(*traced, at))) {
        const TracedArray& array = *panel.array;
        if (!array.allocation.contains(addresses[0])) continue;
        EXPECT_GE(panel.cell_width(), 6) << name << " " << array.allocation.name;
        EXPECT_GE(panel.cell_height(), 6) << name << " " << array.allocation.name;
        const uint64_t index = array.index_of(addresses[0]);
        EXPECT_TRUE(panel.window.contains(index / array.columns, index % array.columns)) << name << " step " << at.step;
      }
    }
  }
}

TEST(Stage, AnInputThatIsShownInPartSaysWhichPart) {
  const auto traced = traced_of("01");
  const PlainMeasure measure;
  Focus focus;
  focus.traced = traced.get();
  const auto labels_at = [&](const StepRef& at) {
    focus.cursor = at;
    return labels_of(stage_picture(focus, {1100, 400, &measure, 14}, {2, 1, 0, 0}));
  };
  const std::vector<StepRef> loads = every_moment_of(*traced, StepKind::LoadGlobal, 1);
  EXPECT_THAT(labels_at(loads.front()), testing::Contains("k 0…15").Times(2)) << "A and B";
  StepRef later = loads.front();
  for (int tile = 0; tile < 17; ++tile) later = traced->timeline.move(later, analysis::Unit::Tile, 1);
  EXPECT_THAT(labels_at(later), testing::Contains("k 16…31").Times(2));
}

TEST(Stage, InputsWithoutASumsIndexInCommonAreShownWhole) {
  const auto traced = traced_of_lesson("21-attention/attention_scores.cu", {32, 32, 1}, {});
  ASSERT_TRUE(traced);
  const PlainMeasure measure;
  Focus focus;
  focus.traced = traced.get();
  focus.cursor = every_moment_of(*traced, StepKind::LoadGlobal, 1).back();
  const std::vector<std::string> labels = labels_of(stage_picture(focus, {1100, 600, &measure, 14}, {1, 1, 0, 0}));
  EXPECT_THAT(labels, testing::Contains("32 × 16").Times(2)) << "keys and queries";
  EXPECT_THAT(labels, testing::Not(testing::Contains(testing::StartsWith("k "))));
}

TEST(Stage, WhatLanesAccessIsNotMarkedUnderACover) {
  const auto traced = traced_of("09");
  const PlainMeasure measure;
  const Canvas canvas{800, 500, &measure, 14};
  Focus focus = focus_at(*traced, every_moment_of(*traced, StepKind::LoadGlobal, 1).front());
  const auto lane_colours = [&](float level) {
    size_t count = 0;
    for (const Cells& cells : shapes_of<Cells>(stage_picture(focus, canvas, {level, 1, 0, 0})))
      count += static_cast<size_t>(
          std::count_if(cells.colours.begin(), cells.colours.end(), [](const Colour& c) { return lane_of(c); }));
    return count;
  };
  EXPECT_GT(lane_colours(2), 0U);
  EXPECT_EQ(level_of(session::Scale::Warp, focus), 2);
  focus.hidden.add(session::Fact::Accesses);
  EXPECT_EQ(lane_colours(1), 0U);
  EXPECT_EQ(lane_colours(2), 0U);
  focus.cursor = every_moment_of(*traced, StepKind::StoreGlobal, 1).front();
  EXPECT_EQ(level_of(session::Scale::Warp, focus), 1) << "nearer, the cut of the arrays would tell";
  EXPECT_TRUE(targets_of(stage_picture(focus, canvas, {0, 1, 0, 0}), session::Target::Kind::Block).empty());
  for (const float level : {0.0f, 1.0f})
    EXPECT_THAT(labels_of(stage_picture(focus, canvas, {level, 1, 0, 0})),
                testing::Contains("The question asks about this."));
  EXPECT_THAT(labels_of(thread_picture(focus, canvas)), testing::ElementsAre("The question asks about this."));
}

TEST(Stage, OfSmsNothingIsSaidBeforeALessonDoes) {
  const auto traced = traced_of("09");
  const PlainMeasure measure;
  Focus focus = focus_at(*traced);
  focus.tells_of_sms = false;
  const auto labels = labels_of(stage_picture(focus, {800, 500, &measure, 14}, {0, 1, 0, 0}));
  EXPECT_THAT(labels, testing::Contains("4 blocks"));
  EXPECT_THAT(labels, testing::Not(testing::Contains(testing::HasSubstr("SMs"))));
}

TEST(Stage, HowManyBlocksRunIsLeftOutUnderACoverOfResources) {
  const auto traced = traced_of("09");
  const PlainMeasure measure;
  const Canvas canvas{800, 500, &measure, 14};
  Focus focus = focus_at(*traced);
  for (const bool covered : {false, true}) {
    focus.hidden = covered ? session::HiddenFacts{session::Fact::Resources} : session::HiddenFacts{};
    const size_t expected = covered ? 0 : 1;
    const auto far = labels_of(stage_picture(focus, canvas, {0, 1, 0, 0}));
    EXPECT_EQ(std::count(far.begin(), far.end(), "4 blocks"), expected);
    const auto near = labels_of(stage_picture(focus, canvas, {1, 1, 0, 0}));
    EXPECT_EQ(std::count(near.begin(), near.end(), "64 elements per thread"), expected);
  }
}

TEST(Stage, AnElementThatAThreadStoresTwiceIsCountedOnce) {
  const auto traced = traced_of_lesson("21-attention/attention_scores.cu", {32, 32, 1}, {});
  ASSERT_TRUE(traced);
  const PlainMeasure measure;
  const auto labels = labels_of(stage_picture(focus_at(*traced), {800, 500, &measure, 14}, {1, 1, 0, 0}));
  EXPECT_THAT(labels, testing::Contains("32 elements per thread"));
}

TEST(Stage, TheTileOfACopyHasItsNameInALowWindow) {
  const auto traced =
      traced_of_lesson("19-transpose/transpose_tile.cu", {1024, 1056, 1}, {{"PAD", "1"}, {"PER_THREAD", "4"}});
  ASSERT_TRUE(traced);
  const PlainMeasure measure;
  for (const float height : {195.0f, 220.0f, 300.0f}) {
    const auto labels = labels_of(stage_picture(focus_at(*traced), {1200, height, &measure, 14}, {1, 1, 0, 0}));
    EXPECT_THAT(labels, testing::Contains("tile")) << height;
  }
}

TEST(Stage, ANarrowArrayAtTheLeftHasItsNameToo) {
  const auto traced = traced_of_lesson("21-attention/flash.cu", {32, 64, 1}, {});
  ASSERT_TRUE(traced);
  const PlainMeasure measure;
  const auto labels = labels_of(stage_picture(focus_at(*traced), {740, 650, &measure, 14}, {1, 1, 0, 0}));
  EXPECT_THAT(labels, testing::Contains("queries"));
}

TEST(Stage, WordsOfTheSharedTileLeaveTheNameOfItsSourceWhereThatBegins) {
  const auto traced = traced_of("09");
  const uint32_t steps = traced->timeline.steps(2);
  uint32_t step = 0;
  while (step < steps && traced->timeline.kind({2, step}) != StepKind::LoadShared) ++step;
  const Focus focus = focus_at(*traced, {2, step});
  const PlainMeasure measure;
  for (const float text : {9.f, 10.f, 11.f, 12.f, 14.f})
    for (const float width : {600.f, 790.f, 1136.f}) {
      const Canvas canvas{width, 390, &measure, text};
      std::map<std::string, Label> names;
      for (const Label& label : shapes_of<Label>(stage_picture(focus, canvas, {2})))
        if (label.font == Font::Bold) names[label.text] = label;
      ASSERT_TRUE(names.contains("A") && names.contains("As")) << width << " " << text;
      EXPECT_EQ(names.at("A").at.y, names.at("As").at.y) << width << " " << text;
      EXPECT_GT(names.at("As").at.x, names.at("A").at.x) << width << " " << text;
    }
}

TEST(Stage, WordsOfTheColoursOfLanesAreWholeOrNotThere) {
  const auto traced = traced_of("02");
  const PlainMeasure measure;
  for (float width = 300; width < 700; width += 10)
    for (const std::string& label : labels_of(stage_picture(focus_at(*traced), {width, 400, &measure, 14}, {2})))
      EXPECT_FALSE(label.starts_with("lanes 0 to 31") && label != "lanes 0 to 31 of warp 0")
          << label << " at " << width;
}

// Four blocks of 20 share a tile of C: each takes a part of k.
TEST(Stage, BlocksThatShareATileHaveTheirPartsOfKFramed) {
  const auto traced = traced_of("20");
  ASSERT_TRUE(traced);
  const auto counted = run::count_grid(traced->prepared);
  ASSERT_TRUE(counted);
  Focus focus = focus_at(*traced);
  const PlainMeasure measure;
  const Canvas canvas{1136, 390, &measure, 14};
  const auto framed = [&](const std::string& name) {
    const StageFrame frame = stage_frame(focus, canvas, {0});
    for (const ArrayPanel& panel : frame.panels)
      if (panel.array->allocation.name == name) return frame.parts_of_k(*panel.array);
    return std::map<uint32_t, run::Region>{};
  };
  EXPECT_TRUE(framed("A").empty()) << "nobody has counted";
  focus.counted = counted->get();
  for (uint32_t block = 0; block < 4; ++block) {
    EXPECT_EQ(framed("A").at(block), (run::Region{0, 16 * block, 128, 16 * block + 16}));
    EXPECT_EQ(framed("B").at(block), (run::Region{16 * block, 0, 16 * block + 16, 256}));
  }
  EXPECT_EQ(framed("A").size(), 4u);
  EXPECT_TRUE(framed("C").empty());
  const auto labels = labels_of(stage_picture(focus, canvas, {0}));
  EXPECT_THAT(labels, testing::IsSupersetOf({"0", "1", "2", "3", "framed in the inputs: each block's part of k"}));
  focus.hidden.add(session::Fact::Accesses);
  EXPECT_TRUE(framed("A").empty());
}

TEST(Stage, EmphasisedArraysAreUnderlined) {
  const auto traced = traced_of("09");
  const PlainMeasure measure;
  const Canvas canvas{800, 500, &measure, 14};
  Focus focus = focus_at(*traced);
  const auto rectangles = [&] { return shapes_of<Rectangle>(stage_picture(focus, canvas, {1, 1, 0, 0})).size(); };
  const size_t without = rectangles();
  focus.emphasised = {"A", "Bs", "sectors"};
  EXPECT_EQ(rectangles(), without + 2);
}

TEST(Stage, ArraysInTheCornerHaveTheirNamesInALowWindow) {
  const PlainMeasure measure;
  for (const char* kernel : {"18", "20", "24"}) {
    const auto traced = traced_of(kernel);
    ASSERT_TRUE(traced);
    for (const float height : {150.0f, 180.0f, 230.0f, 300.0f}) {
      const auto labels = labels_of(stage_picture(focus_at(*traced), {880, height, &measure, 14}, {1, 1, 0, 0}));
      EXPECT_THAT(labels, testing::Contains("full")) << kernel << " at " << height;
      EXPECT_THAT(labels, testing::Contains("empty")) << kernel << " at " << height;
    }
  }
}

// Block 1 of 8 that share two tiles hands its sums on.
TEST(Stage, ABlockThatWritesNothingOfCSaysSo) {
  const auto traced = traced_of("20", {256, 256, 64}, "", 1);
  ASSERT_TRUE(traced);
  const PlainMeasure measure;
  const auto labels = labels_of(stage_picture(focus_at(*traced), {1100, 500, &measure, 14}, {1, 1, 0, 0}));
  EXPECT_THAT(labels, testing::Contains("this block writes none of it"));
  EXPECT_THAT(labels, testing::Not(testing::Contains(testing::HasSubstr("0 × 0"))));
}

}  // namespace
}  // namespace tilescope::view
