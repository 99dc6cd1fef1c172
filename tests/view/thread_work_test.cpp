// What a thread multiplies in stages with pipelines, split k and tensor cores.

#include "view/stage/thread_work.h"

#include <map>
#include <optional>
#include <set>
#include <string>
#include <variant>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "picture_checks.h"
#include "view/stage/thread_picture.h"
#include "view/traced_fixture.h"

namespace tilescope::view {
namespace {
using analysis::StepKind;
using analysis::StepRef;
using run::TracedBlock;

/// The warp's n-th multiply-add or matrix product, from 0; the last where it has fewer.
StepRef product_of(const TracedBlock& traced, uint32_t warp, uint32_t n) {
  StepRef found;
  for (uint32_t step = 0; step < traced.timeline.steps(warp); ++step)
    if (traced.timeline.kind({warp, step}) == StepKind::Multiply) {
      found = {warp, step};
      if (n-- == 0) break;
    }
  return found;
}

std::vector<std::string> words_of(const TracedBlock& traced, const StepRef& at) {
  return labels_of(thread_picture(focus_at(traced, at), {900, 330, &kMeasure, 14}));
}

TEST(ThreadPicture, NamesARowOfTheArrayAsItHasDimensions) {
  const auto traced = traced_of("18", {256, 256, 128});
  EXPECT_THAT(words_of(*traced, product_of(*traced, 0, 130)),
              testing::AllOf(testing::Contains("Bs[0][0], a value for each column"), testing::Contains("As[0][0][0]")));
}

TEST(ThreadPicture, SaysThatTensorCoresMultiply) {
  const auto traced = traced_of("23", {256, 256, 192});
  EXPECT_THAT(words_of(*traced, product_of(*traced, 4, 2)),
              testing::Contains(testing::HasSubstr("holds 128 of the sums")));
  EXPECT_THAT(words_of(*traced, {0, 0}), testing::ElementsAre("This thread stores nothing to C."));
}

/// Of a product whose threads store their sums themselves: each element of C that this thread holds is one of its
/// cells.
TEST(ThreadPicture, OnTensorCoresShowsWhichOfTheWarpsSumsTheThreadHolds) {
  for (const char* kernel : {"21", "22"}) {
    const auto traced = traced_of(kernel);
    const StepRef at = product_of(*traced, 0, 2);
    Focus focus = focus_at(*traced, at);
    focus.lane = 5;
    const Picture picture = thread_picture(focus, {1136, 390, &kMeasure, 14});
    std::vector<uint64_t> expected, shown;
    for (const SumElement& element : sum_elements(*traced, 0, 5)) expected.push_back(element.index);
    for (const session::Target& target : targets_of(picture, session::Target::Kind::Element))
      shown.push_back(target.index);
    EXPECT_THAT(shown, testing::UnorderedElementsAreArray(expected)) << kernel;
    const auto cells = shapes_of<Cells>(picture);
    ASSERT_EQ(cells.size(), 1u) << kernel;
    EXPECT_EQ(std::ranges::count_if(cells[0].colours, [](const Colour& colour) { return colour.strength == 1; }),
              static_cast<std::ptrdiff_t>(expected.size()));
    EXPECT_THAT(labels_of(picture), testing::Contains(testing::HasSubstr("bright those of lane 5")));
  }
}

TEST(ThreadWork, AProductOfZerosIsNotCounted) {
  const auto traced = traced_of("18", {256, 256, 128});
  const ThreadWork first = thread_work(*traced, product_of(*traced, 0, 0), 0);
  EXPECT_TRUE(first.of_zeros);
  EXPECT_EQ(first.total, 128u);
  const ThreadWork second = thread_work(*traced, product_of(*traced, 0, 130), 0);
  EXPECT_FALSE(second.of_zeros);
  EXPECT_EQ(second.number, 0u);
  EXPECT_EQ(second.total, 128u);
  EXPECT_EQ(second.values(), 24u);
}

TEST(ThreadWork, OfABlockWithSeveralTilesIsOfTheTileAtHand) {
  const auto traced = traced_of("20", {256, 512, 128}, "128x256x16-4-8-224-3");
  const ThreadWork first = thread_work(*traced, product_of(*traced, 0, 130), 0),
                   last = thread_work(*traced, product_of(*traced, 0, ~0u), 0);
  EXPECT_EQ(first.sums.size(), 128u);
  EXPECT_EQ(last.sums.size(), 128u);
  EXPECT_NE(first.sums.front().index, last.sums.front().index);
  EXPECT_EQ(first.total + last.total, 160u) << "a third of 512";
}

/// The warp's first step of that kind.
StepRef first_of(const TracedBlock& traced, StepKind kind) {
  StepRef at;
  while (traced.timeline.kind(at) != kind) ++at.step;
  return at;
}

TEST(ThreadWork, WhatIsLoadedAheadWaitsInRegisters) {
  const auto ahead = traced_of("12", {256, 256, 64}, "128x128x16-64x64-4-8x4");
  const ThreadWork reading = thread_work(*ahead, first_of(*ahead, StepKind::LoadShared), 0);
  ASSERT_EQ(reading.waiting.size(), 32u) << "(128 + 128) * 16 for 128 threads";
  EXPECT_EQ(reading.waiting.front().array->allocation.name, "A");
  EXPECT_EQ(reading.waiting.back().array->allocation.name, "B");
  EXPECT_THAT(words_of(*ahead, first_of(*ahead, StepKind::LoadShared)),
              testing::Contains("32 values wait in registers for shared memory:"));
  EXPECT_EQ(thread_work(*ahead, {0, 0}, 0).waiting.size(), 0u);
  const auto at_once = traced_of("10");
  EXPECT_EQ(thread_work(*at_once, first_of(*at_once, StepKind::LoadShared), 0).waiting.size(), 0u);
}

TEST(ThreadWork, SumsThatOthersStoreAreTold) {
  const auto traced = traced_of("19", {128, 256, 256});
  const ThreadWork work = thread_work(*traced, product_of(*traced, 0, 200), 0);
  EXPECT_EQ(work.sums.size(), 32u);
  EXPECT_EQ(work.sums_for_others(), 96u);
  EXPECT_EQ(work.values(), 24u);
  EXPECT_EQ(thread_work(*traced_of("25", {70, 300, 37}), product_of(*traced_of("25", {70, 300, 37}), 0, 200), 0)
                .sums_for_others(),
            0u);
}

/// The cells of a thread's picture by ink, and the places from the left at which names of rows end.
struct ThreadCells {
  std::map<Ink, size_t> by_ink;
  std::set<float> names_end;
  float width = 0;
};
ThreadCells cells_of(const Picture& picture) {
  ThreadCells cells;
  for (const Shape& shape : picture.shapes) {
    if (const auto* box = std::get_if<Rectangle>(&shape); box && box->fill.strength > 0) {
      ++cells.by_ink[box->fill.ink];
      cells.width = box->box.width;
    }
    if (const auto* label = std::get_if<Label>(&shape); label && label->horizontal == Align::End)
      cells.names_end.insert(label->at.x);
  }
  return cells;
}

TEST(ThreadPicture, FactorsHaveTheirValues) {
  const auto traced = traced_of("8", {256, 256, 64});
  Focus focus = focus_at(*traced, product_of(*traced, 0, 40));
  const ThreadWork work = thread_work(*traced, focus.cursor, 0);
  const std::vector<std::string> words = labels_of(thread_picture(focus, {1136, 390, &kMeasure, 14}));
  for (const Product& product : work.products)
    for (const Factor& factor : {product.a, product.b}) {
      ASSERT_EQ(factor.array->allocation.space, Space::Shared) << "a copy, whose origin has the value";
      const std::optional<float> value = value_of(*traced, {0, product.step}, factor);
      ASSERT_TRUE(value);
      EXPECT_THAT(words, testing::Contains(fmt::format("{:.2f}", *value)));
    }
  const auto small = labels_of(thread_picture(focus, {400, 200, &kMeasure, 14}));
  EXPECT_THAT(small, testing::Not(testing::Contains(testing::MatchesRegex("-?0[.][0-9]+"))));
}

TEST(ThreadPicture, OfNoProductListsWhatTheThreadReadsAndWrites) {
  const auto traced = traced_of_lesson("20-reduction/sum_halves.cu", {1, 1024, 1}, {});
  ASSERT_TRUE(traced);
  Focus focus = focus_at(*traced, {0, 0});
  focus.lane = 3;
  const Canvas canvas{1136, 390, &kMeasure, 14};
  const std::vector<std::string> words = labels_of(thread_picture(focus, canvas));
  EXPECT_THAT(words, testing::IsSupersetOf({"in[0][3]", "part[3]", "part[131]", "reads", "writes"}));
  EXPECT_THAT(words, testing::Contains(testing::StartsWith("thread (3, 0): ")));
  EXPECT_THAT(words, testing::Not(testing::Contains(testing::HasSubstr("roduct"))));
  // In little room those around the cursor, with a frame around the one at it.
  const uint32_t last = traced->timeline.steps(0) - 1;
  uint32_t step = last;
  while (traced->timeline.kind({0, step}) != StepKind::LoadShared) --step;
  focus.cursor = {0, step};
  const Picture picture = thread_picture(focus, {400, 110, &kMeasure, 14});
  EXPECT_THAT(labels_of(picture), testing::Not(testing::Contains("in[0][3]")));
}

TEST(ThreadPicture, ATallTileGoesOnAtTheRight) {
  const auto traced = traced_of("8", {256, 256, 64});
  const Canvas canvas{1136, 390, &kMeasure, 14};
  const ThreadCells cells = cells_of(thread_picture(focus_at(*traced, product_of(*traced, 0, 40)), canvas));
  EXPECT_GT(cells.names_end.size(), 1u);
  EXPECT_GT(cells.width, 25);
}

TEST(ThreadPicture, SumsForOtherThreadsAreGreyCells) {
  const auto traced = traced_of("19", {128, 256, 256});
  const Canvas canvas{1136, 390, &kMeasure, 14};
  const Picture picture = thread_picture(focus_at(*traced, product_of(*traced, 0, 200)), canvas);
  const ThreadCells cells = cells_of(picture);
  EXPECT_EQ(cells.by_ink.at(Ink::ArrayC), 32u);
  EXPECT_EQ(cells.by_ink.at(Ink::Faint), 96u);
  EXPECT_THAT(labels_of(picture), testing::IsSupersetOf({"and 96 sums for other threads, in grey"}));
}

TEST(ThreadWork, OfTensorCoresIsTheWarps) {
  const auto traced = traced_of("21", {256, 256, 128});
  const ThreadWork work = thread_work(*traced, product_of(*traced, 1, 20), 6);
  EXPECT_EQ(work.tensor_sums, work.sums.size());
  EXPECT_TRUE(work.products.empty());
  const auto wgmma = traced_of("23", {256, 256, 192});
  EXPECT_EQ(thread_work(*wgmma, product_of(*wgmma, 4, 2), 0).tensor_sums, 128u);
  EXPECT_EQ(thread_work(*wgmma, {0, 0}, 0).tensor_sums, 0u) << "a warp that copies";
}

}  // namespace
}  // namespace tilescope::view
