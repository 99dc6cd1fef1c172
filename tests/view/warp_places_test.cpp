// Where the warps of a block may be while one of them is at the cursor, and the errors that follow.

#include "view/warp_places.h"

#include <gmock/gmock.h>

#include "view/picture_checks.h"
#include "view/stage/stage_frame.h"
#include "view/stage/stage_picture.h"
#include "view/strip/warps_picture.h"
#include "view/traced_fixture.h"

namespace tilescope::view {
namespace {
using analysis::StepKind;
using analysis::StepRef;
using run::TracedBlock;
using session::WarpOrder;
using testing::Each;
using testing::IsEmpty;
using testing::SizeIs;

/// A kernel of lesson 3 with tiles of 8 x 8: two warps, of which each fills four rows.
std::shared_ptr<const TracedBlock> of_lesson(const std::string& file) {
  return traced_of_lesson("03-shared-tiles/" + file, {16, 16, 16}, {{"TILE", "8"}});
}

/// The warp's n-th access of that kind, from 0.
StepRef nth(const TracedBlock& traced, uint32_t warp, StepKind kind, int n) {
  for (uint32_t step = 0; step < traced.timeline.steps(warp); ++step)
    if (traced.timeline.kind({warp, step}) == kind && n-- == 0) return {warp, step};
  ADD_FAILURE() << "there is no such access";
  return {};
}

Focus focus_in(const TracedBlock& traced, const StepRef& at, WarpOrder order) {
  Focus focus = focus_at(traced, at);
  focus.order = order;
  return focus;
}

TEST(WarpPlaces, BehindABarrierTheOthersHaveBegun) {
  const auto traced = traced_of("04");
  const auto words = [&](StepKind kind) {
    return warps_words(focus_in(*traced, nth(*traced, 3, kind, 0), WarpOrder::Ahead)).sentence;
  };
  EXPECT_EQ(words(StepKind::LoadGlobal), "Warp 3 runs ahead: the others have yet to begin.");
  EXPECT_EQ(words(StepKind::LoadShared), "Warp 3 runs ahead: the others are just past the barrier.");
}

TEST(WarpPlaces, AreAsFarApartAsBarriersAllow) {
  const auto traced = traced_of("04");
  const analysis::Timeline& timeline = traced->timeline;
  ASSERT_TRUE(timeline.free_between_barriers());
  const StepRef at = nth(*traced, 3, StepKind::LoadShared, 5);
  const uint32_t slot = timeline.slot(at), interval = timeline.interval(at);
  EXPECT_EQ(interval, 1U) << "behind the first barrier";
  for (uint32_t warp = 0; warp < timeline.warps(); ++warp) {
    const auto executed = [&](WarpOrder order) { return warp_places(focus_in(*traced, at, order)).executed[warp]; };
    const auto [begin, end] = timeline.steps_in(warp, interval);
    EXPECT_EQ(timeline.kind({warp, begin - 1}), StepKind::Barrier);
    EXPECT_EQ(timeline.kind({warp, end - 1}), StepKind::Barrier);
    EXPECT_EQ(timeline.slot({warp, executed(WarpOrder::InStep) - 1}), slot);
    EXPECT_EQ(executed(WarpOrder::Ahead), warp == 3 ? at.step + 1 : begin);
    EXPECT_EQ(executed(WarpOrder::Behind), warp == 3 ? at.step + 1 : end);
  }
  const auto state = [&](WarpOrder order, uint32_t warp) {
    const Focus focus = focus_in(*traced, at, order);
    return state_of(focus, warp_places(focus), warp);
  };
  EXPECT_EQ(state(WarpOrder::Ahead, 0), WarpState::Released);
  EXPECT_EQ(state(WarpOrder::Behind, 0), WarpState::Waits);
  EXPECT_EQ(state(WarpOrder::Behind, 3), WarpState::Runs);
}

TEST(OutOfOrder, IsNothingOfAKernelWhoseBarriersOrderAll) {
  for (const auto& traced : every_traced()) {
    if (!traced->timeline.free_between_barriers()) continue;
    for (const WarpOrder order : {WarpOrder::Ahead, WarpOrder::Behind})
      for (uint32_t step = 0; step < traced->timeline.steps(0); step += 7) {
        const Focus focus = focus_in(*traced, {0, step}, order);
        EXPECT_THAT(out_of_order(focus, warp_places(focus)), IsEmpty()) << traced->report.kernel << " " << step;
      }
  }
}

TEST(OutOfOrder, WithoutTheFirstBarrierAWarpReadsWhatTheOtherHasYetToWrite) {
  const auto traced = of_lesson("no_ready_barrier.cu");
  ASSERT_TRUE(traced);
  const run::TracedArray& bs = *traced->accesses.find(Space::Shared, "Bs");
  size_t found = 0;
  for (int n = 0; n < 2 * 8; ++n) {  // of As and of Bs, for each k of the tile
    const StepRef read = nth(*traced, 0, StepKind::LoadShared, n);
    const Focus ahead = focus_in(*traced, read, WarpOrder::Ahead);
    for (const OutOfOrder& each : out_of_order(ahead, warp_places(ahead))) {
      EXPECT_EQ(each.kind, OutOfOrder::Kind::NotYetWritten);
      EXPECT_EQ(each.array, &bs);
      EXPECT_GE(each.index, 4U * 8) << "rows 0 to 3 are its own";
      EXPECT_EQ(each.warp, 1U);
      ++found;
    }
    const Focus in_step = focus_in(*traced, read, WarpOrder::InStep);
    EXPECT_THAT(out_of_order(in_step, warp_places(in_step)), IsEmpty());
  }
  EXPECT_EQ(found, 4U * 8);
}

TEST(OutOfOrder, WithoutTheSecondBarrierWhatAWarpHasYetToReadIsOverwritten) {
  const auto traced = of_lesson("no_used_barrier.cu");
  ASSERT_TRUE(traced);
  const run::TracedArray& bs = *traced->accesses.find(Space::Shared, "Bs");
  const Focus behind = focus_in(*traced, nth(*traced, 0, StepKind::LoadShared, 0), WarpOrder::Behind);
  EXPECT_THAT(spoiled(behind, warp_places(behind), bs), SizeIs(4 * 8)) << "what warp 1 fills";
  Focus last = behind;
  while (traced->timeline.tile(last.cursor) == 0) {
    const auto wrong = out_of_order(last, warp_places(last));
    for (const OutOfOrder& each : wrong) EXPECT_EQ(each.kind, OutOfOrder::Kind::Overwritten);
    if (!wrong.empty()) break;
    last.cursor = traced->timeline.move(last.cursor, analysis::Unit::Access, 1);
  }
  EXPECT_EQ(traced->timeline.tile(last.cursor), 0) << "it reads something that is spoiled";
  EXPECT_TRUE(warps_words(last).wrong);
  last.hidden.add(session::Fact::Findings);
  EXPECT_FALSE(warps_words(last).wrong) << "a question asks for it";
  const Focus ahead = focus_in(*traced, nth(*traced, 0, StepKind::StoreShared, 3), WarpOrder::Ahead);
  const auto early = out_of_order(ahead, warp_places(ahead));
  ASSERT_THAT(early, SizeIs(32)) << "Bs of the second k-tile";
  EXPECT_EQ(early.front().kind, OutOfOrder::Kind::StillNeeded);
}

TEST(OutOfOrder, InAnArrayOfStagesTheStageIsNamedAndWhatIsStillToBeCopiedIntoItIsMarked) {
  const auto traced = traced_of_lesson("15-async-copies/no_barrier.cu", {16, 16, 64}, {});
  ASSERT_TRUE(traced);
  const run::TracedArray& bs = *traced->accesses.find(Space::Shared, "Bs");
  Focus ahead = focus_in(*traced, nth(*traced, 0, StepKind::LoadShared, 0), WarpOrder::Ahead);
  while (!warps_words(ahead).wrong && traced->timeline.tile(ahead.cursor) == 0)
    ahead.cursor = traced->timeline.move(ahead.cursor, analysis::Unit::Access, 1);
  EXPECT_EQ(warps_words(ahead).sentence, "Reads Bs[0][4][0…7] before warp 1 has written it.");
  const auto missing = [&](const StepRef& at, WarpOrder order) {
    const Focus focus = focus_in(*traced, at, order);
    const StageFrame frame = stage_frame(focus, {1500, 900, &kMeasure, 14}, {1, 1, 0, 0});
    return frame.shared[frame.number_of(bs)].missing;
  };
  EXPECT_THAT(missing(ahead.cursor, WarpOrder::Ahead), SizeIs(4 * 8))
      << "warp 1's half of stage 0; the others are on the way";
  size_t rising = 0, falling = 0;
  for (const Polyline& line : shapes_of<Polyline>(stage_picture(ahead, {1500, 900, &kMeasure, 14}, {1, 1, 0, 0}))) {
    if (line.colour.ink != Ink::Window || line.points.size() != 2) continue;
    (line.points[0].y > line.points[1].y ? rising : falling) += 1;
  }
  EXPECT_GT(rising, 0u) << "not yet written";
  EXPECT_GT(falling, rising) << "two stages on the way";
  EXPECT_THAT(missing(ahead.cursor, WarpOrder::InStep), IsEmpty());
  EXPECT_THAT(missing({0, 0}, WarpOrder::InStep), SizeIs(3 * 8 * 8)) << "nobody has copied yet";
}

}  // namespace
}  // namespace tilescope::view
