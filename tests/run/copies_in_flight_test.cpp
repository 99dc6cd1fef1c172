#include "analysis/copies_in_flight.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "traced.h"

namespace tilescope::analysis {
namespace {

const std::string kCopy = "cp.async.ca.shared.global [%r1], [%rd1], 4;\n", kCommit = "cp.async.commit_group;\n",
                  kOther = "add.s32 %r5, %r5, 1;\n";
std::string wait_group(int left) { return "cp.async.wait_group " + std::to_string(left) + ";\n"; }

/// Of warp 1, in steps after the first copy.
std::vector<std::pair<uint32_t, uint32_t>> spans(const std::string& body) {
  const Traced run("mov.u32 %r5, 0;\n" + body);
  const uint32_t begin = run.timeline->slot(run.find(1, StepKind::AsyncCopy));
  std::vector<std::pair<uint32_t, uint32_t>> found;
  for (const CopiesInFlight& copies : copies_in_flight(run.program->function(), *run.trace, *run.timeline))
    if (copies.warp == 1) found.emplace_back(copies.first_slot - begin, copies.end_slot - begin);
  return found;
}
using Spans = std::vector<std::pair<uint32_t, uint32_t>>;

TEST(CopiesInFlight, FromTheFirstCopyOfAGroupToItsWait) {
  EXPECT_EQ(spans(kCopy + kCopy + kCommit + kOther + wait_group(0)), (Spans{{0, 5}}));
}

TEST(CopiesInFlight, TheNewestGroupsStayInFlight) {
  // 0 copy, 1 commit, 2 copy, 3 commit, 4 wait for the first, 5 copy, 6 commit, 7 and 8 waits.
  EXPECT_EQ(spans(kCopy + kCommit + kCopy + kCommit + wait_group(1) + kCopy + kCommit + wait_group(1) + wait_group(0)),
            (Spans{{0, 5}, {2, 8}, {5, 9}}));
}

TEST(CopiesInFlight, AnEmptyGroupCounts) {
  EXPECT_EQ(spans(kCopy + kCommit + kCommit + wait_group(1) + wait_group(0)), (Spans{{0, 4}}));
}

TEST(CopiesInFlight, WaitAllEndsWhatIsNotCommittedToo) {
  EXPECT_EQ(spans(kCopy + kCommit + kCopy + wait_group(0) + kOther + "cp.async.wait_all;\n"), (Spans{{0, 4}, {2, 6}}));
}

TEST(CopiesInFlight, WhatNothingWaitsForIsInFlightToTheEnd) {
  EXPECT_EQ(spans(kCopy + kCommit + kOther), (Spans{{0, 4}}));
}

TEST(CopiesInFlight, AKernelWithoutAnyHasNone) {
  const Traced run("ld.global.f32 %f0, [%rd1];\nst.shared.f32 [%r1], %f0;\nbar.sync 0;\n");
  EXPECT_TRUE(copies_in_flight(run.program->function(), *run.trace, *run.timeline).empty());
}

/// Lane 0 of warp 0 copies 64 bytes for a phase of the mbarrier behind the array's first 512 bytes, both warps wait.
const std::string kStart =
    "mov.u32 %r6, s;\nadd.s32 %r7, %r6, 512;\nsetp.eq.u32 %p0, %r0, 0;\n"
    "@%p0 mbarrier.init.shared::cta.b64 [%r7], 1;\nbar.sync 0;\n@!%p0 bra WAIT;\n";
const std::string kBulk =
    "mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r7], 64;\n"
    "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r6], [%rd0], 64, [%r7];\n";
std::string wait_for_phase(int phase) {
  return "WAIT:\nmbarrier.try_wait.parity.shared::cta.b64 %p1, [%r7], " + std::to_string(phase) +
         ";\n@!%p1 bra WAIT;\n";
}

TEST(CopiesInFlight, ABulkCopyEndsWithTheWaitForItsMbarrier) {
  const Traced run(kStart + kBulk + kOther + wait_for_phase(0) + "ld.shared.f32 %f0, [%r1];\n");
  const auto copies = copies_in_flight(run.program->function(), *run.trace, *run.timeline);
  ASSERT_EQ(copies.size(), 1u);
  EXPECT_EQ(copies[0].warp, 0u);
  EXPECT_EQ(copies[0].first_slot, run.timeline->slot(run.find(0, StepKind::AsyncCopy)));
  // The copying warp issues one more instruction, and the other lanes of it go on to their wait in between.
  const StepRef load = run.find(copies[0].ended_by, StepKind::LoadShared);
  EXPECT_GT(copies[0].end_slot, copies[0].first_slot + 1);
  EXPECT_LE(copies[0].end_slot, run.timeline->slot(load));
}

TEST(ProductsInFlight, AKernelWithoutWgmmaHasNone) {
  const Traced run(kOther);
  EXPECT_TRUE(products_in_flight(run.program->function(), run.log, *run.timeline).empty());
}

TEST(Timeline, AWaitStandsBehindWhatItWaitsFor) {
  const Traced run(kStart + kOther + kOther + kOther + kBulk + wait_for_phase(0) + "ld.shared.f32 %f0, [%r1];\n");
  const uint32_t copy = run.timeline->slot(run.find(0, StepKind::AsyncCopy));
  for (const uint32_t warp : {0u, 1u})
    EXPECT_GT(run.timeline->slot(run.find(warp, StepKind::LoadShared)), copy) << warp;
}

}  // namespace
}  // namespace tilescope::analysis
