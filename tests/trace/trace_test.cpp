#include "trace/trace.h"

#include <algorithm>
#include <array>
#include <random>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tilescope::trace {
namespace {

using testing::ElementsAre;
using Lanes = std::array<uint64_t, kLanes>;

Header header() {
  Header h;
  h.kernel = "sgemm";
  h.grid = {4, 2, 1};
  h.block = {64, 1, 1};
  h.global = {{"A", Space::Global, 0x1000, 256, Element::F32, {8, 8}}};
  h.shared = {{"As", Space::Shared, 0, 128, Element::F32, {4, 8}}, {"Bs", Space::Shared, 128, 128, Element::F32, {32}}};
  return h;
}

Lanes strided(uint64_t base, int64_t stride) {
  Lanes lanes;
  for (uint32_t l = 0; l < kLanes; ++l) lanes[l] = base + l * static_cast<uint64_t>(stride);
  return lanes;
}

// `lanes` must outlive the result.
Access access_of(const Step& at, const Lanes& lanes) {
  Access access;
  access.at = at;
  access.addresses = lanes.data();
  return access;
}

Lanes addresses(const Trace& trace, size_t i) {
  Lanes lanes;
  trace.addresses(i, lanes.data());
  return lanes;
}

Lanes only(uint32_t active, Lanes lanes) {
  for (uint32_t l = 0; l < kLanes; ++l)
    if (!(active >> l & 1)) lanes[l] = 0;
  return lanes;
}

TEST(Trace, GivesBackWhatWasRecorded) {
  Recorder recorder(header());
  recorder.block_begin(3);
  const Lanes lanes = strided(0x1000, 4);
  Access store = access_of({7, 3, 1, 12, 0x0000ffff}, lanes);
  store.kind = AccessKind::Store;
  store.space = Space::Shared;
  store.bytes = 16;
  store.is_volatile = true;
  recorder.access(store);
  recorder.branch({{8, 3, 0, 13, kAllLanes}, 0xff});
  recorder.sync({{9, 3, 1, 14, kAllLanes}, SyncKind::WarpSync, 5, 0xf0f0f0f0});
  Fault fault;
  const Lanes far = strided(0x2000, 8);
  fault.at = {10, 3, 0, 15, kAllLanes};
  fault.kind = FaultKind::Misaligned;
  fault.space = Space::Global;
  fault.access = AccessKind::Atomic;
  fault.bytes = 8;
  fault.lanes = 0x6;
  fault.addresses = far.data();
  fault.detail = "a sentence that is too long to be kept inside the string itself";
  recorder.fault(fault);
  recorder.block_end(3);
  const Trace trace = recorder.take();

  ASSERT_EQ(trace.size(), 4u);
  EXPECT_EQ(trace.kind(0), RecordKind::Access);
  EXPECT_EQ(trace.access_kind(0), AccessKind::Store);
  EXPECT_EQ(trace.space(0), Space::Shared);
  EXPECT_EQ(trace.bytes(0), 16u);
  const Step step = trace.step(0);
  EXPECT_EQ(step.pc, 7u);
  EXPECT_EQ(step.block, 3u);
  EXPECT_EQ(step.warp, 1u);
  EXPECT_EQ(step.warp_step, 12u);
  EXPECT_EQ(step.active, 0x0000ffffu);
  EXPECT_EQ(trace.active(0), 0x0000ffffu);
  EXPECT_EQ(addresses(trace, 0), only(0x0000ffff, lanes));

  EXPECT_EQ(trace.kind(1), RecordKind::Branch);
  EXPECT_EQ(trace.taken(1), 0xffu);
  EXPECT_EQ(trace.space(1), Space::None);
  EXPECT_EQ(addresses(trace, 1), Lanes{});

  EXPECT_EQ(trace.kind(2), RecordKind::Sync);
  const Sync sync = trace.sync(2);
  EXPECT_EQ(sync.kind, SyncKind::WarpSync);
  EXPECT_EQ(sync.id, 5u);
  EXPECT_EQ(sync.members, 0xf0f0f0f0u);
  EXPECT_EQ(sync.at.pc, 9u);

  EXPECT_EQ(trace.kind(3), RecordKind::Fault);
  const FaultRecord& found = trace.fault(3);
  EXPECT_EQ(found.kind, FaultKind::Misaligned);
  EXPECT_EQ(found.access, AccessKind::Atomic);
  EXPECT_EQ(found.lanes, 0x6u);
  EXPECT_EQ(found.detail, fault.detail);
  EXPECT_EQ(trace.bytes(3), 8u);
  EXPECT_EQ(addresses(trace, 3), only(0x6, far));
  EXPECT_EQ(trace.header().kernel, "sgemm");
}

TEST(Trace, KeepsEveryPatternOfAddressesExactly) {
  std::mt19937_64 random(4);
  std::vector<std::pair<uint32_t, Lanes>> wanted;
  Recorder recorder(header());
  recorder.block_begin(0);
  for (int i = 0; i < 30000; ++i) {
    const uint64_t spread = i % 3 == 0 ? 1 << 12 : i % 3 == 1 ? uint64_t{1} << 32 : ~uint64_t{0};
    Lanes lanes;
    for (uint64_t& address : lanes) address = random() % spread;
    const uint32_t active = i % 2 ? kAllLanes : static_cast<uint32_t>(random());
    wanted.emplace_back(active, only(active, lanes));
    recorder.access(access_of({0, 0, 0, 0, active}, lanes));
  }
  const Trace trace = recorder.take();
  ASSERT_EQ(trace.size(), wanted.size());
  for (size_t i = 0; i < wanted.size(); ++i) ASSERT_EQ(addresses(trace, i), wanted[i].second) << i;
}

TEST(Trace, AddressesFurtherApartThan32BitsAreKept) {
  Lanes lanes = strided(0x1000, 4);
  lanes[31] = 0xfffffffffffffff0u;
  Recorder recorder(header());
  recorder.block_begin(0);
  recorder.access(access_of({0, 0, 0, 0, kAllLanes}, lanes));
  recorder.access(access_of({0, 0, 0, 1, 0}, lanes));
  const Trace trace = recorder.take();
  EXPECT_EQ(addresses(trace, 0), lanes);
  EXPECT_EQ(addresses(trace, 1), Lanes{});
}

// Strides of either sign, addresses that wrap, groups of lanes: what is ruled out is really absent, and hardly
// anything else is kept.
TEST(Trace, AnAccessThatMayMeetARangeIsNeverRuledOut) {
  std::mt19937 random(2);
  std::uniform_int_distribution<int64_t> stride(-64, 64);
  Recorder recorder(header());
  std::vector<Lanes> given;
  recorder.block_begin(0);
  for (int i = 0; i < 3000; ++i) {
    Lanes lanes;
    const int64_t inner = stride(random), outer = stride(random) * 16, k = 1 + static_cast<int64_t>(random() % 5);
    const uint64_t base = random() % 3 == 0 ? UINT64_MAX - random() % 500 : 0x1000 + random() % 4096;
    for (uint32_t l = 0; l < kLanes; ++l)
      lanes[l] = base + static_cast<uint64_t>((l & ((1u << k) - 1)) * inner + (l >> k) * outer);
    if (random() % 4 == 0) lanes[random() % kLanes] += random() % 64;  // Follows no rule.
    Access access = access_of({1, 0, 0, 0, kAllLanes}, lanes);
    access.bytes = 4u << random() % 3;
    recorder.access(access);
    given.push_back(lanes);
  }
  recorder.block_end(0);
  const Trace trace = recorder.take();
  size_t ruled_out = 0;
  for (size_t i = 0; i < given.size(); ++i)
    for (const uint64_t begin : {given[i][random() % kLanes] + random() % 16 - 8, uint64_t{random()} % 8192}) {
      const auto meets = [&](uint64_t address) {
        for (uint64_t byte = 0; byte < trace.bytes(i); ++byte)
          if (address + byte - begin < 4) return true;
        return false;
      };
      const bool may_meet = trace.may_meet(i, begin, begin + 4);
      EXPECT_TRUE(may_meet || std::none_of(given[i].begin(), given[i].end(), meets)) << i;
      ruled_out += !may_meet;
    }
  EXPECT_GT(ruled_out, given.size() / 3);
}

TEST(Trace, RecordsOnlyTheBlocksAsked) {
  Recorder recorder(header(), {.blocks = {5, 2}});
  const Lanes lanes = strided(0, 4);
  for (uint32_t block = 0; block < 8; ++block) {
    recorder.block_begin(block);
    for (uint32_t i = 0; i < block; ++i) recorder.access(access_of({i, block, 0, i, kAllLanes}, lanes));
    recorder.block_end(block);
    recorder.access(access_of({99, block, 0, 99, kAllLanes}, lanes));
  }
  const Trace trace = recorder.take();
  ASSERT_EQ(trace.size(), 7u);
  ASSERT_EQ(trace.blocks().size(), 2u);
  EXPECT_EQ(trace.blocks()[0].block, 2u);
  EXPECT_EQ(trace.blocks()[0].end, 2u);
  EXPECT_EQ(trace.blocks()[1].block, 5u);
  EXPECT_EQ(trace.blocks()[1].begin, 2u);
  EXPECT_EQ(trace.blocks()[1].end, 7u);
  EXPECT_EQ(trace.step(1).block, 2u);
  EXPECT_EQ(trace.step(2).block, 5u);
}

TEST(Trace, ABlockWithoutEventsHasAnEmptyRange) {
  Recorder recorder(header());
  for (uint32_t block = 0; block < 3; ++block) {
    recorder.block_begin(block);
    if (block == 1) recorder.branch({{0, 1, 0, 0, kAllLanes}, 0});
    recorder.block_end(block);
  }
  const Trace trace = recorder.take();
  ASSERT_EQ(trace.blocks().size(), 3u);
  EXPECT_EQ(trace.step(0).block, 1u);
  EXPECT_TRUE(trace.warp_records(0, 0).empty());
  EXPECT_THAT(trace.warp_records(1, 0), ElementsAre(0u));
  EXPECT_TRUE(trace.warp_records(2, 0).empty());
}

TEST(Trace, ListsEachWarpsRecordsInOrder) {
  Recorder recorder(header());
  for (uint32_t block = 0; block < 2; ++block) {
    recorder.block_begin(block);
    for (const uint16_t warp : {1, 0, 1, 3, 0}) recorder.branch({{0, block, warp, 0, kAllLanes}, 0});
    recorder.block_end(block);
  }
  const Trace trace = recorder.take();
  EXPECT_THAT(trace.warp_records(0, 0), ElementsAre(1u, 4u));
  EXPECT_THAT(trace.warp_records(0, 1), ElementsAre(0u, 2u));
  EXPECT_TRUE(trace.warp_records(0, 2).empty());
  EXPECT_THAT(trace.warp_records(0, 3), ElementsAre(3u));
  EXPECT_TRUE(trace.warp_records(0, 4).empty());
  EXPECT_THAT(trace.warp_records(1, 0), ElementsAre(6u, 9u));
  EXPECT_TRUE(trace.warp_records(1, 1000).empty());
}

TEST(Trace, StopsAtTheLimitAndCountsWhatIsMissing) {
  Recorder recorder(header(), {.blocks = {}, .record_limit = 3});
  recorder.block_begin(0);
  for (uint32_t i = 0; i < 5; ++i) {
    EXPECT_EQ(recorder.full(), i >= 3);
    recorder.branch({{i, 0, 0, i, kAllLanes}, 0});
  }
  recorder.fault({});
  const Trace trace = recorder.take();
  EXPECT_EQ(trace.size(), 3u);
  EXPECT_EQ(trace.dropped(), 3u);
  EXPECT_FALSE(recorder.full());
}

TEST(Trace, TheRecorderStartsAgainAfterTake) {
  Recorder recorder(header());
  recorder.block_begin(0);
  recorder.branch({{1, 0, 0, 0, kAllLanes}, 0});
  const Trace first = recorder.take();
  recorder.branch({{2, 0, 0, 0, kAllLanes}, 0});
  const Trace second = recorder.take();
  EXPECT_EQ(first.size(), 1u);
  EXPECT_EQ(second.size(), 0u);
  EXPECT_EQ(second.dropped(), 0u);
  EXPECT_EQ(second.header().kernel, "sgemm");
}

Trace sample(uint32_t pc, uint64_t base, uint32_t block = 0, std::string detail = "%f1") {
  Recorder recorder(header());
  recorder.block_begin(block);
  Lanes lanes = strided(base, 4);
  recorder.access(access_of({pc, block, 0, 0, kAllLanes}, lanes));
  std::swap(lanes[3], lanes[9]);
  recorder.access(access_of({pc, block, 0, 1, kAllLanes}, lanes));
  recorder.sync({{pc, block, 0, 2, kAllLanes}, SyncKind::BarrierArrive, 0, kAllLanes});
  Fault fault;
  fault.at = {pc, block, 0, 3, kAllLanes};
  fault.kind = FaultKind::UninitialisedRegister;
  fault.detail = std::move(detail);
  recorder.fault(fault);
  recorder.block_end(block);
  return recorder.take();
}

TEST(Trace, TheHashIsOfTheContent) {
  const uint64_t hash = sample(1, 0x1000).hash();
  EXPECT_EQ(hash, sample(1, 0x1000).hash());
  EXPECT_NE(hash, sample(2, 0x1000).hash());
  EXPECT_NE(hash, sample(1, 0x1004).hash());
  EXPECT_NE(hash, sample(1, 0x1000, 1).hash());
  EXPECT_NE(hash, sample(1, 0x1000, 0, "%f2").hash());
}

TEST(Trace, TheHashDoesNotSeeInactiveLanes) {
  const auto hash_with = [](uint64_t rest, uint32_t active) {
    Recorder recorder(header());
    recorder.block_begin(0);
    Lanes lanes = strided(0x1000, 4);
    lanes[3] += 4;
    for (uint32_t l = 0; l < kLanes; ++l)
      if (!(active >> l & 1)) lanes[l] = rest;
    recorder.access(access_of({0, 0, 0, 0, active}, lanes));
    return recorder.take().hash();
  };
  EXPECT_EQ(hash_with(0, 0xffff), hash_with(0xdeadbeefdeadbeef, 0xffff));
  EXPECT_EQ(hash_with(0, 0xf0), hash_with(0xdeadbeefdeadbeef, 0xf0));
}

TEST(Trace, AMillionAffineRecordsTakeAtMost40BytesEach) {
  constexpr size_t kRecords = 1'000'000;
  Recorder recorder(header());
  recorder.block_begin(0);
  Lanes lanes;
  for (uint32_t l = 0; l < kLanes; ++l) lanes[l] = l % 8 * 4 + l / 8 * 4096;
  for (uint32_t i = 0; i < kRecords; ++i)
    recorder.access(access_of({i % 500, 0, static_cast<uint16_t>(i % 8), i / 8, kAllLanes}, lanes));
  const Trace trace = recorder.take();
  ASSERT_EQ(trace.size(), kRecords);
  EXPECT_LE(trace.memory_bytes(), 40 * kRecords);
  EXPECT_EQ(trace.warp_records(0, 7).size(), kRecords / 8);
  EXPECT_EQ(addresses(trace, kRecords - 1), lanes);
}

TEST(Header, FindsTheAllocationOfAnAddress) {
  const Header h = header();
  EXPECT_EQ(h.find(Space::Global, 0x10ff)->name, "A");
  EXPECT_EQ(h.find(Space::Const, 0x1000)->name, "A");
  EXPECT_EQ(h.find(Space::Global, 0x1100), nullptr);
  EXPECT_EQ(h.find(Space::Shared, 130)->name, "Bs");
  EXPECT_EQ(h.find(Space::Local, 0), nullptr);
}

}  // namespace
}  // namespace tilescope::trace
