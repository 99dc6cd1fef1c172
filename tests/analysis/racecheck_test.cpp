#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "check_driver.h"

namespace tilescope::analysis {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using trace::AccessKind;
using trace::SyncKind;

uint64_t word_zero(uint32_t) { return 0; }
uint64_t neighbour(uint32_t lane) { return (lane + 1) % 32 * 4; }

/// The same run with its two warps in either order.
std::vector<std::string> both_orders(bool swapped, bool with_barrier) {
  CheckDriver d(64);
  d.store(9, swapped ? 1 : 0, own_word);  // so that everything is initialised
  d.barrier(8);
  const auto write = [&] { d.store(3, 0, own_word); };
  const auto read = [&] { d.load(5, 1, own_word); };
  swapped ? read() : write();
  if (with_barrier) d.barrier(4);
  swapped ? write() : read();
  return d.records();
}

TEST(Racecheck, WriteAndReadByTwoWarpsNeedABarrier) {
  const std::string race = "read-write-race As[0][0]: store 0.0 line 4, load 0.32 line 6";
  EXPECT_THAT(both_orders(false, false), ElementsAre(race));
  EXPECT_THAT(both_orders(true, false), ElementsAre(race));
  EXPECT_THAT(both_orders(false, true), IsEmpty());
  EXPECT_THAT(both_orders(true, true), IsEmpty());
}

TEST(Racecheck, AFindingHoldsBothThreadsAndCountsItsInstances) {
  CheckDriver d(64);
  d.store(3, 0, own_word);
  d.load(5, 1, own_word);
  const auto findings = d.findings();
  ASSERT_EQ(findings.size(), 1u);
  const Finding& f = findings[0];
  EXPECT_EQ(f.checker, Checker::Racecheck);
  EXPECT_EQ(f.kind, FindingKind::ReadWriteRace);
  EXPECT_EQ(f.array, "As");
  EXPECT_EQ(f.element, "As[0][0]");
  EXPECT_EQ(f.count, 32u);
  EXPECT_EQ(f.site.line, 4);
  EXPECT_EQ(f.site.pc, 3u);
  EXPECT_EQ(f.site.access, AccessKind::Store);
  ASSERT_TRUE(f.other);
  EXPECT_EQ(f.other->thread.warp, 1u);
  EXPECT_EQ(f.other->thread.position, (Dim3{32, 0, 0}));
  EXPECT_EQ(f.other->access, AccessKind::Load);
}

TEST(Racecheck, LanesOfAWarpNeedSyncwarp) {
  for (const bool synced : {false, true}) {
    CheckDriver d(32);
    d.store(3, 0, own_word);
    d.op(4, ptx::Op::BarWarpSync, 1);
    if (synced) d.sync(4, SyncKind::WarpSync, 0, 0);
    d.load(5, 0, neighbour);
    if (synced)
      EXPECT_THAT(d.records(), IsEmpty());
    else
      EXPECT_THAT(d.records(), ElementsAre("read-write-race As[0][1]: store 0.1 line 4, load 0.0 line 6"));
  }
}

TEST(Racecheck, SyncwarpOrdersOnlyItsMembers) {
  CheckDriver d(32);
  d.store(3, 0, own_word);
  d.op(4, ptx::Op::BarWarpSync, 1);
  d.sync(4, SyncKind::WarpSync, 0, 0, 0xffff, 0xffff);
  d.load(5, 0, neighbour, 0x7fff);
  EXPECT_THAT(d.records(), IsEmpty());
  d.load(6, 0, neighbour, 0x8000);
  EXPECT_EQ(d.findings().size(), 1u);
}

TEST(Racecheck, AShuffleOrdersNothing) {
  CheckDriver d(32);
  d.store(3, 0, own_word);
  d.op(4, ptx::Op::Shfl, 5);
  d.sync(4, SyncKind::WarpSync, 0, 0);
  d.load(5, 0, neighbour);
  EXPECT_EQ(d.findings().size(), 1u);
}

TEST(Racecheck, AThreadDoesNotRaceWithItself) {
  CheckDriver d(64);
  for (uint32_t warp : {0u, 1u}) {
    const auto own = [&](uint32_t lane) { return (warp * 32 + lane) * 4; };
    d.store(3, warp, own);
    d.load(4, warp, own);
    d.store(5, warp, own);
  }
  EXPECT_THAT(d.records(), IsEmpty());
}

TEST(Racecheck, OneInstructionMayWriteOneValueTwiceButNotTwo) {
  CheckDriver same(32);
  same.access(3, AccessKind::Store, Space::Shared, 0, UINT32_MAX, word_zero, [](uint32_t) { return 7; });
  EXPECT_THAT(same.records(), IsEmpty());
  CheckDriver different(32);
  different.access(3, AccessKind::Store, Space::Shared, 0, 3, word_zero);
  EXPECT_THAT(different.records(), ElementsAre("write-write-race As[0][0]: store 0.0 line 4, store 0.1 line 4"));
}

TEST(Racecheck, AtomicsRaceWithPlainAccessesOnly) {
  CheckDriver d(64);
  d.access(3, AccessKind::Reduction, Space::Shared, 0, UINT32_MAX, word_zero);
  d.access(3, AccessKind::Reduction, Space::Shared, 1, UINT32_MAX, word_zero);
  const size_t before = d.findings().size();
  d.load(5, 1, word_zero, 1);
  const auto findings = d.findings();
  ASSERT_EQ(findings.size(), before + 1);
  EXPECT_EQ(record_of(findings.back()), "read-write-race As[0][0]: reduction 0.0 line 4, load 0.32 line 6");
  EXPECT_EQ(findings.back().count, 2u);
}

TEST(Racecheck, VolatileExcusesNothing) {
  CheckDriver d(32);
  d.access(
      3, AccessKind::Store, Space::Shared, 0, UINT32_MAX, own_word, [](uint32_t l) { return l; }, 4, true);
  d.access(
      4, AccessKind::Load, Space::Shared, 0, UINT32_MAX, neighbour, [](uint32_t l) { return l; }, 4, true);
  EXPECT_EQ(d.findings().size(), 1u);
}

TEST(Racecheck, HalvesOfAWordAreApart) {
  CheckDriver d(64);
  const auto half = [](uint32_t offset) { return [=](uint32_t lane) { return uint64_t{lane * 4 + offset}; }; };
  d.access(
      3, AccessKind::Store, Space::Shared, 0, UINT32_MAX, half(0), [](uint32_t l) { return l; }, 2);
  d.access(
      4, AccessKind::Store, Space::Shared, 1, UINT32_MAX, half(2), [](uint32_t l) { return l; }, 2);
  EXPECT_THAT(d.records(), IsEmpty());
  d.access(
      5, AccessKind::Store, Space::Shared, 1, 1, half(0), [](uint32_t l) { return l; }, 2);
  EXPECT_EQ(d.findings().size(), 1u);
}

TEST(Racecheck, AWideLoadTouchesAllItsWords) {
  CheckDriver d(64);
  d.store(3, 0, own_word);
  d.access(
      5, AccessKind::Load, Space::Shared, 1, 1, [](uint32_t) { return 16; }, [](uint32_t) { return 0; }, 16);
  ASSERT_EQ(d.findings().size(), 1u);
  EXPECT_EQ(d.findings()[0].count, 4u);
}

TEST(Racecheck, BlocksAreNeverOrdered) {
  CheckDriver d(32, 2);
  const auto c = [](uint32_t lane) { return 0x1000 + uint64_t{lane} * 4; };
  d.access(3, AccessKind::Store, Space::Global, 0, 1, c);
  d.barrier(4);
  d.begin_block(1);
  d.access(3, AccessKind::Store, Space::Global, 0, 1, c);
  EXPECT_THAT(d.records(), ElementsAre("write-write-race C[0][0]: store 0.0 line 4, store 1.0 line 4"));
}

TEST(Racecheck, AFencedAtomicFlagOrdersBlocks) {
  for (const bool fenced : {false, true}) {
    CheckDriver d(32, 2);
    const auto c = [](uint32_t) { return uint64_t{0x1000}; };
    const auto flag = [](uint32_t) { return uint64_t{0x1100}; };
    d.access(3, AccessKind::Store, Space::Global, 0, 1, c);
    if (fenced) d.sync(4, SyncKind::Fence, 0, 0, 1);
    d.access(5, AccessKind::Atomic, Space::Global, 0, 1, flag);
    d.begin_block(1);
    d.access(5, AccessKind::Atomic, Space::Global, 0, 1, flag);
    d.access(6, AccessKind::Load, Space::Global, 0, 1, c);
    EXPECT_EQ(d.findings().size(), fenced ? 0u : 1u);
  }
}

TEST(Racecheck, AVolatileFlagThatALoopWaitsForIsNoRaceAndOrdersNothingWithoutAFence) {
  const auto races = [](bool waits, bool fenced) {
    CheckDriver d(32, 2);
    const auto c = [](uint32_t) { return uint64_t{0x1000}; };
    const auto flag = [](uint32_t) { return uint64_t{0x1100}; };
    const auto one = [](uint32_t) { return 1u; };
    if (waits) d.polling_load(5);
    d.access(3, AccessKind::Store, Space::Global, 0, 1, c);
    if (fenced) d.sync(4, SyncKind::Fence, 0, 0, 1);
    d.access(7, AccessKind::Store, Space::Global, 0, 1, flag, one, 4, true);
    d.begin_block(1);
    d.access(5, AccessKind::Load, Space::Global, 0, 1, flag, one, 4, true);
    d.access(8, AccessKind::Load, Space::Global, 0, 1, c);
    return d.findings().size();
  };
  EXPECT_EQ(races(true, true), 0u);
  EXPECT_EQ(races(true, false), 1u) << "of what the flag guards";
  EXPECT_EQ(races(false, false), 2u) << "and of the flag, which is read once";
}

TEST(Racecheck, GlobalMemoryWithinABlockIsOrderedByBarriers) {
  CheckDriver d(64);
  const auto c = [](uint32_t) { return uint64_t{0x1000}; };
  d.access(3, AccessKind::Store, Space::Global, 0, 1, c);
  d.barrier(4);
  d.access(5, AccessKind::Load, Space::Global, 1, 1, c);
  EXPECT_THAT(d.records(), IsEmpty());
  d.access(6, AccessKind::Store, Space::Global, 0, 1, c);
  EXPECT_EQ(d.findings().size(), 1u);
}

TEST(Racecheck, ANamedBarrierOrdersThoseThatMeetAtIt) {
  CheckDriver d(96);
  d.op(4, ptx::Op::BarSync, 2);
  d.store(3, 0, own_word);
  d.sync(4, SyncKind::BarrierArrive, 1, 0);
  d.sync(4, SyncKind::BarrierArrive, 1, 1);
  d.complete(1);
  d.load(5, 1, own_word);
  EXPECT_THAT(d.records(), IsEmpty());
  d.load(6, 2, own_word);
  ASSERT_EQ(d.findings().size(), 1u);
  EXPECT_EQ(d.findings()[0].other->thread.warp, 2u);
}

TEST(Racecheck, WhoOnlyArrivesIsNotOrderedAfterTheOthers) {
  CheckDriver d(64);
  d.op(4, ptx::Op::BarArrive, 2);
  d.op(5, ptx::Op::BarSync, 2);
  d.store(2, 0, own_word);
  d.store(3, 1, [](uint32_t lane) { return 128 + uint64_t{lane} * 4; });
  d.sync(4, SyncKind::BarrierPass, 1, 0);
  d.sync(5, SyncKind::BarrierArrive, 1, 1);
  d.complete(1);
  d.load(6, 1, own_word);
  EXPECT_THAT(d.records(), IsEmpty());
  d.load(7, 0, [](uint32_t lane) { return 128 + uint64_t{lane} * 4; });
  EXPECT_EQ(d.findings().size(), 1u);
}

TEST(Racecheck, WhatAThreadDoesAfterItsArrivalIsNotOrdered) {
  CheckDriver d(64);
  d.op(4, ptx::Op::BarArrive, 2);
  d.op(5, ptx::Op::BarSync, 2);
  d.sync(4, SyncKind::BarrierPass, 1, 0);
  d.store(2, 0, own_word);
  d.sync(5, SyncKind::BarrierArrive, 1, 1);
  d.complete(1);
  d.load(6, 1, own_word);
  EXPECT_EQ(d.findings().size(), 1u);
}

/// cp.async by warp 0, then `between`, then a read by warp 1.
std::vector<std::string> after_copy(const std::function<void(CheckDriver&)>& between) {
  CheckDriver d(64);
  d.access(3, AccessKind::AsyncCopyWrite, Space::Shared, 0, UINT32_MAX, own_word);
  d.sync(4, SyncKind::CopyCommit, 0, 0);
  between(d);
  d.load(8, 1, own_word);
  return d.records();
}

TEST(Racecheck, ACopyInFlightRacesUntilItIsWaitedForAndABarrierPassed) {
  const auto wait = [](CheckDriver& d) { d.sync(5, SyncKind::CopyWait, 0, 0); };
  EXPECT_THAT(after_copy([](CheckDriver& d) { d.barrier(6); }),
              ElementsAre("async-copy-race As[0][0]: copy 0.0 line 4, load 0.32 line 9"));
  EXPECT_THAT(after_copy(wait), ElementsAre("read-write-race As[0][0]: copy 0.0 line 4, load 0.32 line 9"));
  EXPECT_THAT(after_copy([&](CheckDriver& d) {
                d.barrier(6);
                wait(d);
              }).size(),
              1u);
  EXPECT_THAT(after_copy([&](CheckDriver& d) {
                wait(d);
                d.barrier(6);
              }),
              IsEmpty());
}

TEST(Racecheck, WaitingLeavesTheLatestGroupsInFlight) {
  CheckDriver d(32);
  const auto second_row = [](uint32_t lane) { return 128 + uint64_t{lane} * 4; };
  d.access(3, AccessKind::AsyncCopyWrite, Space::Shared, 0, UINT32_MAX, own_word);
  d.sync(4, SyncKind::CopyCommit, 0, 0);
  d.access(5, AccessKind::AsyncCopyWrite, Space::Shared, 0, UINT32_MAX, second_row);
  d.sync(6, SyncKind::CopyCommit, 0, 0);
  d.sync(7, SyncKind::CopyWait, 1, 0);
  d.barrier(8);
  d.load(9, 0, own_word);
  EXPECT_THAT(d.records(), IsEmpty());
  d.load(10, 0, second_row);
  EXPECT_EQ(d.findings().size(), 1u);
}

TEST(Racecheck, AnMbarrierOrdersArrivalsBeforeThoseWhoFoundItComplete) {
  for (const bool waited : {false, true}) {
    CheckDriver d(64);
    d.store(3, 0, own_word);
    d.sync(4, SyncKind::MbarrierArrive, 256, 0);
    if (waited) d.sync(5, SyncKind::MbarrierWait, 256, 1);
    d.load(6, 1, own_word);
    EXPECT_EQ(d.findings().size(), waited ? 0u : 1u);
  }
}

TEST(Racecheck, AReleasingStoreAndAnAcquiringLoadAreAFlag) {
  CheckDriver d(64);
  d.op(4, ptx::Op::St, 2, ".release.cta.shared.u32");
  d.op(5, ptx::Op::Ld, 2, ".acquire.cta.shared.u32");
  const auto flag = [](uint32_t) { return uint64_t{256}; };
  const auto zero = [](uint32_t) { return 0u; };
  d.store(3, 0, own_word);
  d.access(4, AccessKind::Store, Space::Shared, 0, 1, flag, zero, 4, true);
  d.access(5, AccessKind::Load, Space::Shared, 1, 1, flag, zero, 4, true);
  d.load(6, 1, word_zero, 1);
  EXPECT_THAT(d.records(), IsEmpty());
}

}  // namespace
}  // namespace tilescope::analysis
