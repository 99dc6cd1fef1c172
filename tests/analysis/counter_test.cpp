#include "analysis/counter.h"

#include <gtest/gtest.h>

#include <array>
#include <functional>

namespace tilescope::analysis {
namespace {

using trace::Access;
using trace::AccessKind;

struct Warp {
  std::array<uint64_t, 32> addresses{};
  Access access;

  Warp(uint32_t pc, AccessKind kind, Space space, uint8_t bytes, const std::function<uint64_t(uint32_t)>& address,
       uint32_t active = 0xffffffff) {
    for (uint32_t lane = 0; lane < 32; ++lane) addresses[lane] = address(lane);
    access.at.pc = pc;
    access.at.active = active;
    access.kind = kind;
    access.space = space;
    access.bytes = bytes;
  }
  void run(Counter& counter) {
    access.addresses = addresses.data();
    counter.access(access);
  }
};

uint64_t contiguous(uint32_t lane) { return 0x1000 + lane * 4; }
uint64_t column(uint32_t lane) { return lane * 128; }
uint64_t everywhere_the_same(uint32_t) { return 64; }

constexpr MergeRole kLeads{0, true}, kFollows{0, false};

TEST(Counter, KeepsLoadsAndStoresOfEachSpaceApart) {
  Counter counter(6);
  Warp(0, AccessKind::Load, Space::Global, 4, contiguous).run(counter);
  Warp(0, AccessKind::Load, Space::Global, 4, column).run(counter);
  Warp(1, AccessKind::Store, Space::Global, 4, contiguous, 0xff).run(counter);
  Warp(2, AccessKind::Load, Space::Shared, 4, column).run(counter);
  Warp(3, AccessKind::Store, Space::Shared, 4, contiguous).run(counter);
  Warp(4, AccessKind::Load, Space::Local, 4, everywhere_the_same).run(counter);
  Warp(5, AccessKind::Store, Space::Local, 4, everywhere_the_same).run(counter);
  const PcCounts total = counter.total();
  EXPECT_EQ(total.global_load, (GlobalCounts{2, 36, 33, 64, 256, 8, 4, 32, 33, 2, 2}));
  EXPECT_EQ(total.global_store, (GlobalCounts{1, 1, 1, 8, 32, 1, 1, 1, 1}));
  EXPECT_EQ(total.shared_load, (SharedCounts{1, 32, 31, 32, 32, 32}));
  EXPECT_EQ(total.shared_load_merged, total.shared_load);
  EXPECT_EQ(total.shared_store_merged, total.shared_store);
  EXPECT_EQ(total.shared_store, (SharedCounts{1, 1, 0, 32, 1, 1}));
  EXPECT_EQ(total.local_load, (GlobalCounts{1, 4, 1, 32, 128, 4, 4, 4, 1}));
  EXPECT_EQ(total.local_store, (GlobalCounts{1, 4, 1, 32, 128, 4, 4, 4, 1}));
  EXPECT_EQ(counter.per_pc()[2].shared_load, total.shared_load);
  EXPECT_EQ(counter.per_pc()[2].global_load, GlobalCounts{});
}

TEST(Counter, AsyncCopyIsAGlobalLoadAndASharedStore) {
  Counter counter(1);
  Warp(0, AccessKind::AsyncCopyRead, Space::Global, 16, [](uint32_t lane) { return lane * 16; }).run(counter);
  Warp(0, AccessKind::AsyncCopyWrite, Space::Shared, 16, [](uint32_t lane) { return lane * 16; }).run(counter);
  EXPECT_EQ(counter.total().global_load, (GlobalCounts{1, 16, 4, 128, 512, 16, 16, 16, 0, 1, 1}));
  EXPECT_EQ(counter.total().shared_store, (SharedCounts{1, 4, 0, 128, 4, 4}));
}

TEST(Counter, WhatABlockHasAskedForBeforeIsNotMissed) {
  Counter counter(1);
  const auto misses = [&](const std::function<uint64_t(uint32_t)>& address) {
    const uint64_t before = counter.total().global_load.misses;
    Warp(0, AccessKind::Load, Space::Global, 4, address).run(counter);
    return counter.total().global_load.misses - before;
  };
  EXPECT_EQ(misses(contiguous), 1U);
  EXPECT_EQ(misses(contiguous), 0U);
  EXPECT_EQ(misses([](uint32_t lane) { return lane * 4 + 32; }), 1U) << "one sector more";
  EXPECT_EQ(misses([](uint32_t lane) { return lane * 4 + 32; }), 0U);
  counter.block_begin(8);
  EXPECT_EQ(misses(contiguous), 1U) << "another block";
  EXPECT_EQ(counter.total().global_load.looked_at, 5U);
  counter.block_begin(9);
  EXPECT_EQ(misses([](uint32_t lane) { return lane * 4 + 64; }), 0U) << "every eighth is looked at";
  EXPECT_EQ(counter.total().global_load.looked_at, 5U);
}

TEST(Counter, AtomicsAndConstantsAreNotLoads) {
  Counter counter(1);
  Warp(0, AccessKind::Atomic, Space::Global, 8, contiguous, 0xf).run(counter);
  Warp(0, AccessKind::Reduction, Space::Shared, 4, contiguous).run(counter);
  Warp(0, AccessKind::Load, Space::Const, 4, contiguous).run(counter);
  PcCounts expected;
  expected.global_atomic = {1, 8};
  expected.shared_atomic = {1, 32};
  EXPECT_EQ(counter.total(), expected);
}

TEST(Counter, AnInstructionWithNoActiveLaneCountsNothing) {
  Counter counter(1);
  Warp(0, AccessKind::Load, Space::Global, 4, contiguous, 0).run(counter);
  EXPECT_EQ(counter.total(), PcCounts{});
}

TEST(Counter, CountsArrivalsAtBlockBarriersOnly) {
  Counter counter(1);
  trace::Sync sync;
  sync.kind = trace::SyncKind::BarrierArrive;
  counter.sync(sync);
  sync.kind = trace::SyncKind::WarpSync;
  counter.sync(sync);
  EXPECT_EQ(counter.total().barriers, 1u);
}

TEST(Counter, LeaderOfAMergeCountsTheWideLoadAndFollowersNothing) {
  auto plan = std::make_shared<MergePlan>();
  plan->accesses.push_back({0, -8, 16});
  plan->roles = {{kLeads}, {kFollows}, {kFollows}, {kFollows}, {}};
  Counter counter(5, plan);
  const std::array<uint64_t, 5> offsets = {8, 0, 4, 12, 64};  // the leader is not the lowest
  for (uint32_t pc = 0; pc < 5; ++pc)
    Warp(pc, AccessKind::Load, Space::Shared, 4, [&](uint32_t lane) { return lane * 16 + offsets[pc]; }).run(counter);
  const PcCounts total = counter.total();
  EXPECT_EQ(total.shared_load, (SharedCounts{5, 20, 15, 160, 4, 4}));
  EXPECT_EQ(total.shared_load_merged, (SharedCounts{2, 8, 3, 160, 4, 4}));
  EXPECT_EQ(counter.per_pc()[1].shared_load_merged, SharedCounts{});
}

TEST(Counter, StoresMergeWithTheRuleOfStores) {
  auto plan = std::make_shared<MergePlan>();
  plan->accesses.push_back({0, 0, 16});
  plan->roles = {{kLeads}, {kFollows}, {kFollows}, {kFollows}};
  Counter counter(4, plan);
  for (uint32_t pc = 0; pc < 4; ++pc)
    Warp(pc, AccessKind::Store, Space::Shared, 4, [&](uint32_t lane) { return lane / 2 * 16 + pc * 4; }).run(counter);
  EXPECT_EQ(counter.total().shared_store.requests, 4u);
  EXPECT_EQ(counter.total().shared_store_merged, (SharedCounts{1, 4, 0, 128, 4, 4}));
}

TEST(Counter, InALoopThatIsWrittenOutEachWarpsRunsTakeTurns) {
  auto plan = std::make_shared<MergePlan>();
  plan->accesses.push_back({0, 0, 8});
  plan->roles = {{kLeads, kFollows}};
  Counter counter(1, plan);
  const auto run = [&counter](uint16_t warp, uint64_t base) {
    Warp access(0, AccessKind::Load, Space::Shared, 4, [base](uint32_t lane) { return base + lane * 8; });
    access.access.at.warp = warp;
    access.run(counter);
  };
  counter.block_begin(0);
  for (uint64_t iteration = 0; iteration < 4; ++iteration)
    for (uint16_t warp : {0, 1}) run(warp, iteration * 4);
  run(0, 0);
  EXPECT_EQ(counter.total().shared_load.requests, 9u);
  EXPECT_EQ(counter.total().shared_load_merged.requests, 5u);
  EXPECT_EQ(counter.total().shared_load_merged.words, 5u * 64);
  counter.block_begin(1);
  run(0, 0);
  EXPECT_EQ(counter.total().shared_load_merged.requests, 6u) << "a block starts anew";
}

TEST(Counter, ARequestCostsTheSameBehindAnyOther) {
  for (const uint8_t bytes : {1, 2, 4, 8, 16}) {
    Counter together(1), apart(1);
    together.block_begin(1);  // Of which no load is looked at.
    for (const Space space : {Space::Global, Space::Shared})
      for (const uint32_t active : {0xffffffffu, 0x0000ffffu, 0x55555555u})
        for (const uint64_t stride : {0, 1, 3, 32, 33})
          for (const uint64_t offset : {0, 1, 2, 3, 8, 31, 32, 64}) {
            Warp request(
                0, AccessKind::Load, space, bytes,
                [&](uint32_t lane) { return 0x1000 + (lane * stride + offset) * bytes; }, active);
            Counter one(1);
            one.block_begin(1);
            request.run(one);
            request.run(together);
            apart.merge(one);
          }
    EXPECT_EQ(together.per_pc(), apart.per_pc()) << int{bytes};
  }
}

TEST(Counter, AMergedRequestCostsTheSameBehindAnyOther) {
  const auto plan_of = [](std::vector<MergedAccess> accesses) {
    auto plan = std::make_shared<MergePlan>();
    plan->accesses = std::move(accesses);
    plan->roles.emplace_back();
    for (uint32_t i = 0; i < plan->accesses.size(); ++i) plan->roles[0].push_back({i, true});
    return plan;
  };
  const std::array<MergedAccess, 3> accesses{MergedAccess{0, 0, 8}, MergedAccess{0, 0, 16}, MergedAccess{0, -8, 16}};
  Counter together(1, plan_of({accesses.begin(), accesses.end()})), apart(1);
  for (uint32_t run = 0; run < 6; ++run) {
    // At the second three, lanes that had 16 bytes in common have not.
    const uint64_t offset = run < 3 ? 0 : 8;
    Warp request(0, AccessKind::Load, Space::Shared, 4,
                 [&](uint32_t lane) { return 0x1000 + lane / 2 * 112 + lane % 2 * 8 + offset; });
    Counter one(1, plan_of({accesses[run % 3]}));
    request.run(one);
    request.run(together);
    apart.merge(one);
    ASSERT_EQ(together.per_pc(), apart.per_pc()) << run;
  }
}

TEST(Counter, MergingTwoCountersIsCountingAllInOne) {
  Counter one(2), two(2), all(2);
  for (Counter* counter : {&one, &all}) Warp(0, AccessKind::Load, Space::Global, 4, contiguous).run(*counter);
  for (Counter* counter : {&two, &all}) {
    Warp(0, AccessKind::Load, Space::Global, 4, column).run(*counter);
    Warp(1, AccessKind::Load, Space::Shared, 4, column).run(*counter);
  }
  one.merge(two);
  EXPECT_EQ(one.per_pc(), all.per_pc());
  Counter empty(2);
  empty.merge(one);
  EXPECT_EQ(empty.per_pc(), all.per_pc());
}

}  // namespace
}  // namespace tilescope::analysis
