// Where values come from, in kernels unlike those of the catalogue.

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "traced.h"

namespace tilescope::analysis {
namespace {

TEST(DataFlow, TheLastWarpThatStoredCountsWhicheverItIs) {
  const Traced run(
      "ld.global.f32 %f0, [%rd1];\nst.shared.f32 [%r1], %f0;\nbar.sync 0;\n"
      "xor.b32 %r3, %r1, 128;\nld.global.f32 %f1, [%rd1+256];\nst.shared.f32 [%r3], %f1;\nbar.sync 0;\n");
  const std::vector<uint32_t>& lines = run.timeline->barrier_lines();
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_EQ(run.element(run.flow->stored_from(4 * 5, lines[0])), 5);
  EXPECT_EQ(run.element(run.flow->stored_from(4 * 5, lines[1])), 64 + 37);
  EXPECT_EQ(run.element(run.flow->stored_from(4 * 37, lines[1])), 64 + 5);
}

TEST(DataFlow, WhatTheLastTileStoredIsFoundUntilItIsOverwritten) {
  const Traced run(
      "ld.global.f32 %f0, [%rd1];\nst.shared.f32 [%r1], %f0;\nbar.sync 0;\nfma.rn.f32 %f1, %f0, %f0, %f0;\n"
      "ld.global.f32 %f0, [%rd1+256];\nbar.sync 0;\nst.shared.f32 [%r1], %f0;\n");
  ASSERT_EQ(run.timeline->tiles(0).size(), 2u);
  const uint32_t second_load = run.timeline->slot(run.find(0, StepKind::LoadGlobal, 1));
  EXPECT_EQ(run.element(run.flow->stored_from(4 * 5, second_load + 1)), 5);
  EXPECT_EQ(run.element(run.flow->stored_from(4 * 5, run.timeline->slots())), 64 + 5);
}

TEST(DataFlow, AnAsyncCopyBringsEachOfItsBytesFromItsOwnPlace) {
  const Traced run(
      "shl.b32 %r3, %r0, 4;\nmov.u32 %r4, s;\nadd.s32 %r4, %r4, %r3;\nmul.wide.u32 %rd2, %r0, 16;\n"
      "add.s64 %rd2, %rd0, %rd2;\ncp.async.cg.shared.global [%r4], [%rd2], 16;\ncp.async.wait_all;\nbar.sync 0;\n");
  const StepRef copy = run.find(1, StepKind::AsyncCopy);
  EXPECT_EQ(run.element(run.flow->source_of_store(copy, 3, 16 * 35)), 4 * 35);
  EXPECT_EQ(run.element(run.flow->source_of_store(copy, 3, 16 * 35 + 8)), 4 * 35 + 2);
  EXPECT_EQ(run.element(run.flow->stored_from(16 * 35 + 12, run.timeline->slots())), 4 * 35 + 3);
}

constexpr const char* kSum =
    "ld.global.f32 %f0, [%rd1];\nld.global.f32 %f1, [%rd1+256];\nmov.f32 %f2, 0f00000000;\n"
    "fma.rn.f32 %f2, %f0, %f1, %f2;\nfma.rn.f32 %f2, %f1, %f0, %f2;\n";

void expect_stored_sum(const std::string& end) {
  const Traced run(kSum + end);
  const int32_t sum = run.flow->sum_of(run.timeline->pc(run.find(0, StepKind::Multiply)));
  EXPECT_GE(sum, 0);
  EXPECT_EQ(run.flow->sum_stored(run.find(0, StepKind::StoreGlobal), 0), sum) << end;
}

TEST(DataFlow, ASumThatIsScaledOnItsWayIsStoredAllTheSame) {
  expect_stored_sum("st.global.f32 [%rd1], %f2;\n");
  expect_stored_sum("mul.f32 %f3, %f2, 0f40000000;\nst.global.f32 [%rd1], %f3;\n");
  expect_stored_sum(
      "ld.global.f32 %f4, [%rd1];\nmul.f32 %f5, %f4, 0f40000000;\nmov.f32 %f7, 0f40000000;\n"
      "fma.rn.f32 %f6, %f7, %f2, %f5;\nst.global.f32 [%rd1], %f6;\n");
}

TEST(DataFlow, AFactorThatWasComputedIsNoPartOfTheSum) {
  const Traced run(
      "ld.global.f32 %f0, [%rd1];\nmov.f32 %f1, 0f40000000;\nmov.f32 %f2, 0f00000000;\n"
      "fma.rn.f32 %f3, %f0, %f1, 0f3F800000;\nfma.rn.f32 %f2, %f3, %f3, %f2;\nst.global.f32 [%rd1], %f2;\n");
  const int32_t factor = run.flow->sum_of(run.timeline->pc(run.find(0, StepKind::Multiply, 0)));
  const int32_t sum = run.flow->sum_of(run.timeline->pc(run.find(0, StepKind::Multiply, 1)));
  EXPECT_NE(factor, sum);
  EXPECT_EQ(run.flow->sum_stored(run.find(0, StepKind::StoreGlobal), 0), sum);
}

}  // namespace
}  // namespace tilescope::analysis
