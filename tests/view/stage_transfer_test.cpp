// Values on their way from an input to its tile.

#include "view/stage/stage_transfer.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <string>

#include <gmock/gmock.h>

#include "view/stage/stage_picture.h"
#include "view/traced_fixture.h"

namespace tilescope::view {
namespace {
using analysis::StepKind;
using analysis::StepRef;
using run::TracedBlock;
using testing::IsEmpty;
using testing::SizeIs;

StepRef first_of(const TracedBlock& traced, uint32_t warp, StepKind kind) {
  StepRef at{warp, 0};
  while (traced.timeline.kind(at) != kind) ++at.step;
  return at;
}

// Tiles of 32 x 32: a warp copies a row of A to a row of As, and a row of B to a row of Bs.
TEST(Transfers, OfAStoreComeFromWhereItsValuesWereLoaded) {
  const auto traced = traced_of("04", {256, 256, 64}, "", 1, 2);
  const StepRef store = first_of(*traced, 3, StepKind::StoreShared);
  const std::vector<Transfer> transfers = transfers_at(*traced, store);
  ASSERT_THAT(transfers, SizeIs(32));
  for (const Transfer& transfer : transfers) {
    EXPECT_EQ(transfer.to->allocation.space, Space::Shared);
    EXPECT_EQ(transfer.from->side, transfer.to->side);
    const bool of_a = transfer.from->side == run::Side::A;
    EXPECT_EQ(transfer.from_index / transfer.from->columns, of_a ? 2 * 32 + 3 : 3);
    EXPECT_EQ(transfer.from_index % transfer.from->columns, (of_a ? 0 : 32) + transfer.lane);
    EXPECT_EQ(transfer.to_index, 3 * 32 + transfer.lane);
  }
  EXPECT_THAT(transfers_at(*traced, {3, store.step - 1}), IsEmpty());
}

/// At the load an arrow says where the value will go.
TEST(Transfers, ALoadKnowsWhereItsValueWillBeStored) {
  const auto traced = traced_of("04", {256, 256, 64}, "", 1, 2);
  const StepRef load = first_of(*traced, 3, StepKind::LoadGlobal), store = first_of(*traced, 3, StepKind::StoreShared);
  const std::vector<Transfer> later = later_transfers(*traced, load, 5);
  ASSERT_THAT(later, SizeIs(1));
  EXPECT_EQ(later[0].from->side, run::Side::A);
  EXPECT_EQ(later[0].to->side, run::Side::A);
  EXPECT_EQ(later[0].from_index % later[0].from->columns, 5u);
  EXPECT_EQ(later[0].to_index, 3 * 32 + 5u);
  EXPECT_THAT(later_transfers(*traced, store, 5), IsEmpty());
  const PlainMeasure measure;
  const auto arrows = [&](const StepRef& at) {
    size_t lines = 0;
    for (const Shape& shape : stage_picture(focus_at(*traced, at), {900, 500, &measure, 14}, {2}).shapes)
      if (const auto* line = std::get_if<Polyline>(&shape)) lines += line->colour.ink == Ink::Strong;
    return lines;
  };
  EXPECT_EQ(arrows(load), 2u) << "a line and its head";
}

/// Eight rows of A and of As, at the stage's size at 1600 x 900 and at 1280 x 720.
TEST(Transfers, OfFewRowsHaveTheLanesNumbersAtBothEnds) {
  const auto traced = traced_of("22");
  const StepRef copy = first_of(*traced, 0, StepKind::AsyncCopy);
  const PlainMeasure measure;
  for (const Point size : {Point{1136, 400}, Point{914, 310}}) {
    const Picture picture = stage_picture(focus_at(*traced, copy), {size.x, size.y, &measure, 14}, {2});
    std::map<std::string, int> times;
    for (const Shape& shape : picture.shapes)
      if (const auto* label = std::get_if<Label>(&shape)) ++times[label->text];
    for (uint32_t lane = 0; lane < trace::kLanes; ++lane) EXPECT_EQ(times[std::to_string(lane)], 2) << lane;
  }
}

/// The rectangles that are in one picture and not in the other.
std::vector<Box> added(const Picture& with, const Picture& without) {
  const auto boxes = [](const Picture& picture) {
    std::vector<Box> result;
    for (const Shape& shape : picture.shapes)
      if (const auto* rectangle = std::get_if<Rectangle>(&shape)) result.push_back(rectangle->box);
    return result;
  };
  const std::vector<Box> known = boxes(without);
  std::vector<Box> result;
  for (const Box& box : boxes(with))
    if (std::none_of(known.begin(), known.end(), [&](const Box& other) {
          return std::abs(box.x - other.x) < 0.1f && std::abs(box.y - other.y) < 0.1f &&
                 std::abs(box.width - other.width) < 0.1f;
        }))
      result.push_back(box);
  return result;
}

TEST(Transfers, GoToTheTileWithTheCursorAndBackWithIt) {
  const auto traced = traced_of("04", {32, 32, 32}, "8x8");
  const StepRef load = first_of(*traced, 1, StepKind::LoadGlobal), store = first_of(*traced, 1, StepKind::StoreShared);
  const PlainMeasure measure;
  const Canvas canvas{900, 500, &measure};
  const auto picture = [&](const StepRef& at, const StepRef& before, float moved) {
    StageView view;
    view.level = 2;
    view.before = before;
    view.moved = moved;
    view.banks = false;
    return stage_picture(focus_at(*traced, at), canvas, view);
  };
  const auto middle = [](const std::vector<Box>& boxes) {
    float sum = 0;
    for (const Box& box : boxes) sum += box.x + box.y;
    return sum / static_cast<float>(boxes.size());
  };
  const auto going = [&](float moved) { return added(picture(store, load, moved), picture(store, load, 1)); };
  const auto returning = [&](float moved) { return added(picture(load, store, moved), picture(load, store, 1)); };
  ASSERT_THAT(going(0.3f), SizeIs(32));
  ASSERT_THAT(returning(0.3f), SizeIs(32));
  EXPECT_NEAR(middle(going(0.3f)), middle(returning(0.7f)), 1) << "the way back is the way there";
  EXPECT_GT(std::abs(middle(going(0.9f)) - middle(going(0.1f))), 20);
  EXPECT_EQ(picture(store, load, 1).shapes.size(), picture(store, {1, store.step + 1}, 1).shapes.size())
      << "at rest it does not matter where one came from";
}

}  // namespace
}  // namespace tilescope::view
