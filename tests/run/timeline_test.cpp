// How warps that do not do the same stand beside one another.

#include <gtest/gtest.h>

#include "traced.h"

namespace tilescope::analysis {
namespace {

/// Warp 1 has three instructions less before the barrier.
Traced uneven() {
  return Traced(
      "setp.ge.u32 %p0, %r0, 32;\n@%p0 bra L;\nmov.u32 %r3, 1;\nmov.u32 %r3, 2;\nmov.u32 %r3, 3;\nL:\n"
      "bar.sync 0;\nst.global.u32 [%rd1], %r3;\n");
}

TEST(Timeline, AWarpThatWaitsStandsAtItsBarrierUntilAllHaveMet) {
  const Traced run = uneven();
  const Timeline& timeline = *run.timeline;
  ASSERT_EQ(timeline.barrier_lines().size(), 1u);
  const uint32_t line = timeline.barrier_lines()[0];
  const StepRef barrier = run.find(1, StepKind::Barrier);
  EXPECT_EQ(timeline.slot(run.find(0, StepKind::Barrier)), line - 1);
  EXPECT_EQ(timeline.slot(barrier), line - 4);
  for (uint32_t slot = line - 4; slot < line; ++slot)
    EXPECT_EQ(timeline.step_at_or_before(1, slot), barrier.step) << slot;
  EXPECT_EQ(timeline.step_in(1, line - 4), barrier.step);
  EXPECT_EQ(timeline.step_in(1, line - 1), std::nullopt);
  EXPECT_EQ(timeline.step_in(1, line), barrier.step + 1);
  EXPECT_EQ(timeline.step_at_or_before(1, timeline.slots() + 10), timeline.last(1).step);
}

TEST(Timeline, AfterTheLastBoundaryComesTheEnd) {
  const Traced run = uneven();
  const StepRef last = run.timeline->last(0);
  EXPECT_EQ(run.timeline->move({0, 2}, Unit::Tile, 1), last);
  EXPECT_EQ(run.timeline->move(run.find(0, StepKind::StoreGlobal), Unit::Phase, 1), last);
  EXPECT_EQ(run.timeline->move(last, Unit::Tile, -1), run.timeline->first(0));
}

TEST(Timeline, LoadsWithoutArithmeticBetweenThemAreOneTile) {
  const Traced run(
      "ld.global.f32 %f0, [%rd1];\nst.shared.f32 [%r1], %f0;\nbar.sync 0;\nld.global.f32 %f1, [%rd1+256];\n"
      "bar.sync 0;\nfma.rn.f32 %f2, %f0, %f1, %f1;\nld.global.f32 %f0, [%rd1];\n");
  EXPECT_EQ(run.timeline->tiles(0).size(), 2u);
}

TEST(Timeline, TheLastTilesOfAPipelineHaveNothingToLoad) {
  const std::string load = "ld.global.f32 %f0, [%rd1];\n", meet = "bar.sync 0;\n",
                    multiply = "fma.rn.f32 %f1, %f0, %f0, %f0;\n";
  const Traced run(load + meet + load + multiply + meet + load + multiply + meet + multiply + meet + multiply +
                   "st.global.f32 [%rd1], %f1;\n");
  EXPECT_EQ(run.timeline->tiles(0).size(), 4u);
}

TEST(Timeline, ABarrierBehindTheArithmeticBeginsNoTile) {
  const Traced run(
      "ld.global.f32 %f0, [%rd1];\nbar.sync 0;\nfma.rn.f32 %f1, %f0, %f0, %f0;\nbar.sync 0;\n"
      "ld.global.f32 %f0, [%rd1];\nbar.sync 0;\nfma.rn.f32 %f1, %f0, %f0, %f0;\nbar.sync 0;\n"
      "st.global.f32 [%rd1], %f1;\n");
  EXPECT_EQ(run.timeline->tiles(0).size(), 2u);
}

TEST(Timeline, StepsByAccessPassOverArithmetic) {
  const Traced run("ld.global.f32 %f0, [%rd1];\nfma.rn.f32 %f1, %f0, %f0, %f0;\nst.global.f32 [%rd1], %f1;\n");
  const StepRef load = run.find(0, StepKind::LoadGlobal), store = run.find(0, StepKind::StoreGlobal);
  EXPECT_EQ(run.timeline->move(load, Unit::Access, 1), store);
  EXPECT_EQ(run.timeline->move(store, Unit::Access, -1), load);
}

}  // namespace
}  // namespace tilescope::analysis
