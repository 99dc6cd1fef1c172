// How warps that do different work are aligned.

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

TEST(Timeline, TheLastTilesOfAPipelineWithoutBarriersBeginWithTheWaitForTheirCopies) {
  const std::string copy = "cp.async.ca.shared.global [%r1], [%rd1], 4;\ncp.async.commit_group;\n",
                    wait = "cp.async.wait_group 1;\n", last = "cp.async.wait_all;\n",
                    multiply = "ld.shared.f32 %f0, [%r1];\nfma.rn.f32 %f1, %f0, %f0, %f1;\n";
  const Traced run(copy + copy + wait + copy + multiply + wait + multiply + multiply + last + multiply +
                   "st.global.f32 [%rd1], %f1;\n");
  EXPECT_EQ(run.timeline->tiles(0).size(), 3u);
}

TEST(Timeline, ABarrierBehindTheArithmeticBeginsNoTile) {
  const Traced run(
      "ld.global.f32 %f0, [%rd1];\nbar.sync 0;\nfma.rn.f32 %f1, %f0, %f0, %f0;\nbar.sync 0;\n"
      "ld.global.f32 %f0, [%rd1];\nbar.sync 0;\nfma.rn.f32 %f1, %f0, %f0, %f0;\nbar.sync 0;\n"
      "st.global.f32 [%rd1], %f1;\n");
  EXPECT_EQ(run.timeline->tiles(0).size(), 2u);
}

std::vector<PhaseKind> phases_of(const Traced& run) {
  std::vector<PhaseKind> kinds;
  for (const Phase& phase : run.timeline->phases(0)) kinds.push_back(phase.kind);
  return kinds;
}

const std::string kLoad = "ld.global.f32 %f0, [%rd1];\nst.shared.f32 [%r1], %f0;\n", kMeet = "bar.sync 0;\n",
                  kProducts = "ld.shared.f32 %f1, [%r1];\nfma.rn.f32 %f2, %f1, %f1, %f2;\n";

TEST(Timeline, SumsThatAreAddedUpThroughSharedMemoryAreStoredAndBeginNoTile) {
  const Traced run(kLoad + kMeet + kProducts + kMeet + "mul.f32 %f3, %f2, %f2;\nst.shared.f32 [%r1], %f3;\n" + kMeet +
                   "ld.shared.f32 %f4, [%r1];\nadd.f32 %f5, %f3, %f4;\nst.global.f32 [%rd1], %f5;\n");
  EXPECT_EQ(phases_of(run),
            (std::vector<PhaseKind>{PhaseKind::Load, PhaseKind::Sync, PhaseKind::Compute, PhaseKind::Sync,
                                    PhaseKind::Store, PhaseKind::Sync, PhaseKind::Store}));
  EXPECT_EQ(run.timeline->tiles(0).size(), 1u);
}

TEST(Timeline, AnElementOfCThatIsScaledAndAddedBelongsToTheStore) {
  const Traced run(kLoad + kMeet + kProducts + kProducts +
                   "ld.global.f32 %f6, [%rd1];\nmul.f32 %f7, %f2, 0f3f000000;\n"
                   "fma.rn.f32 %f8, %f6, 0f3f000000, %f7;\nst.global.f32 [%rd1], %f8;\n");
  EXPECT_EQ(phases_of(run),
            (std::vector<PhaseKind>{PhaseKind::Load, PhaseKind::Sync, PhaseKind::Compute, PhaseKind::Store}));
  EXPECT_EQ(run.timeline->tiles(0).size(), 1u);
}

TEST(Timeline, WhatASumMultipliesIsLoadedEvenIfItAlsoGoesToTheStoreItself) {
  const Traced run(
      "ld.global.f32 %f0, [%rd1];\nfma.rn.f32 %f1, %f0, 0f40000000, 0f3f800000;\nfma.rn.f32 %f2, %f0, %f0, %f1;\n"
      "mul.f32 %f3, %f2, %f1;\nst.global.f32 [%rd1], %f3;\n");
  EXPECT_EQ(phases_of(run), (std::vector<PhaseKind>{PhaseKind::Load, PhaseKind::Compute, PhaseKind::Store}));
}

TEST(Timeline, WhatIsScaledOnItsWayToSharedMemoryIsLoaded) {
  const Traced run(
      "ld.global.f32 %f0, [%rd1];\nfma.rn.f32 %f0, %f0, 0f40000000, 0f3f800000;\nst.shared.f32 [%r1], %f0;\n" + kMeet +
      kProducts + "st.global.f32 [%rd1], %f2;\n");
  EXPECT_EQ(phases_of(run).at(phases_of(run).size() - 3), PhaseKind::Sync);
  EXPECT_EQ(phases_of(run).at(phases_of(run).size() - 4), PhaseKind::Load);
}

TEST(Timeline, WhatIsReadFromSharedMemoryToBeStoredThereIsLoaded) {
  const Traced run(kLoad + kMeet + "ld.shared.f32 %f0, [%r1];\nst.shared.f32 [%r1], %f0;\n" + kMeet + kProducts +
                   kMeet + kLoad + kMeet + "ld.shared.f32 %f0, [%r1];\nst.shared.f32 [%r1], %f0;\n" + kMeet +
                   kProducts + "st.global.f32 [%rd1], %f2;\n");
  EXPECT_EQ(run.timeline->tiles(0).size(), 2u) << "not one more for each exchange";
}

TEST(Timeline, WhatIsReadToBeMultipliedIsComputedWithWhateverIsStoredInBetween) {
  const Traced run(kLoad + kMeet + kProducts + "ld.global.f32 %f9, [%rd1];\nld.shared.f32 %f1, [%r1];\n" +
                   "st.shared.f32 [%r1], %f9;\nfma.rn.f32 %f2, %f1, %f1, %f2;\nst.global.f32 [%rd1], %f2;\n");
  const StepRef read = run.find(0, StepKind::LoadShared, 1);
  EXPECT_EQ(run.timeline->phase(read).kind, PhaseKind::Compute);
}

TEST(Timeline, StepsByAccessPassOverArithmetic) {
  const Traced run("ld.global.f32 %f0, [%rd1];\nfma.rn.f32 %f1, %f0, %f0, %f0;\nst.global.f32 [%rd1], %f1;\n");
  const StepRef load = run.find(0, StepKind::LoadGlobal), store = run.find(0, StepKind::StoreGlobal);
  EXPECT_EQ(run.timeline->move(load, Unit::Access, 1), store);
  EXPECT_EQ(run.timeline->move(store, Unit::Access, -1), load);
}

}  // namespace
}  // namespace tilescope::analysis
