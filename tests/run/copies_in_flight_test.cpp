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

}  // namespace
}  // namespace tilescope::analysis
