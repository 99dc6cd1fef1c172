// What lies behind L1, access by access. The distances are those of the measurements in tests/hardware.
#include "clock/memory_path.h"

#include <gtest/gtest.h>

#include "base/file.h"

namespace tilescope::clock {
namespace {

machine::Access access_to(machine::AccessKind kind, uint32_t lanes, uint64_t (*address)(uint32_t lane)) {
  machine::Access access;
  access.space = Space::Global;
  access.kind = kind;
  access.bytes = 4;
  access.lanes = lanes == 32 ? ~0u : (1u << lanes) - 1;
  for (uint32_t lane = 0; lane < 32; ++lane) access.addresses[lane] = address(lane);
  return access;
}
Lines lines_at(uint32_t lanes, uint64_t (*address)(uint32_t lane)) {
  return lines_of(access_to(machine::AccessKind::Load, lanes, address));
}

class Memory : public testing::Test {
 protected:
  Memory() : model_(*load_sm_model(data_folder() / "assets" / "sm.toml")) {}
  MemoryPath path(double cold = 1) const { return MemoryPath(model_, 128 << 10, {{.cold = cold}}, 132); }
  static double load(MemoryPath& path, const Lines& lines, double now) {
    uint32_t missed = 0;
    return path.load({.pc = 0, .array = 0}, lines, now, MemoryPath::Way::L1, missed) - now;
  }
  /// Clocks of the whole GPU from one request of a warp to the next, in the long run. All SMs choose among `sectors`.
  double atomics(uint64_t (*address)(uint32_t lane), bool adds_floats, uint64_t sectors) const {
    const machine::Access access = access_to(machine::AccessKind::Atomic, 32, address);
    Updates updates;
    updates.choose(static_cast<double>(sectors), kAddress / 32, kAddress / 32 + sectors - 1);
    MemoryPath memory(model_, 128 << 10, {{.updates = updates}}, 132);
    double last = 0, first = 0;
    constexpr int kRequests = 200;
    for (int i = 0; i < kRequests; ++i) {
      last = memory.atomic({.pc = 0, .array = 0}, lines_of(access), word_use_of(access, adds_floats), 0);
      if (i == kRequests / 2) first = last;
    }
    return (last - first) / (kRequests / 2 - 1) / 132;
  }
  static constexpr uint64_t kAddress = 4096;
  const SmModel model_;
};

TEST_F(Memory, OfSeveralLinesTheSlowestCounts) {
  // 301 clocks for one line from L2, 386 for 32; 636 and 937 from DRAM.
  const auto longer = [&](double cold) {
    SmModel alone = model_;
    alone.l2_line = alone.l2_sector = alone.l2_link;
    alone.dram_sector /= 132;
    MemoryPath memory(alone, 128 << 10, {{.cold = cold}}, 132);
    double one = 0, many = 0;
    constexpr int kLoads = 200;
    for (uint64_t i = 0; i < kLoads; ++i) {
      Lines lines;
      for (; lines.count < 32; ++lines.count) lines.use[lines.count] = {(i * 33 + lines.count) * 5, 1};
      many += load(memory, lines, static_cast<double>(i) * 1e5);
      lines.count = 1;
      lines.use[0].number = (i * 33 + 32) * 5;
      one += load(memory, lines, static_cast<double>(i) * 1e5 + 5e4);
    }
    return (many - one) / kLoads;
  };
  EXPECT_NEAR(longer(0), 386 - 301, 20);
  EXPECT_NEAR(longer(1), 937 - 636, 30);
}

TEST_F(Memory, SmsThatAskForTheSameWaitForDramTogether) {
  // One of a hundred pairs is this SM's to fetch. First it waits with the SM whose it is, then half of the time.
  MemoryPath memory(model_, 128 << 10, {{.cold = 0.01, .awaited = 1}}, 132);
  const auto waits = [&](double from) {
    constexpr int kLoads = 100;
    double sum = 0;
    for (int i = 0; i < kLoads; ++i) {
      Lines lines;
      lines.count = 1;
      lines.use[0] = {static_cast<uint64_t>(from) + static_cast<uint64_t>(i), 3};
      sum += load(memory, lines, from + i);
    }
    return sum / kLoads;
  };
  EXPECT_GT(waits(0), model_.l2_hit + model_.dram);
  memory.begin_period(0.5);
  EXPECT_LT(waits(2000), model_.l2_hit + 100);
  memory.begin_period(0.5);
  EXPECT_GT(waits(4000), model_.l2_hit + model_.dram);
  EXPECT_NEAR(static_cast<double>(memory.traffic.read.dram), 0.01 * 300 * 2, 2) << "others fetch the rest";
}

TEST_F(Memory, HalfOfThePagesAreOnTheOtherSideOfL2) {
  SmModel even = model_;
  even.dram_spread = even.l2_spread = 0;
  MemoryPath memory(even, 128 << 10, {{}}, 132);
  const auto clocks_of = [&](uint64_t number) {
    Lines lines;
    lines.count = 1;
    lines.use[0] = {number, 1};
    return load(memory, lines, static_cast<double>(number) * 1e4);
  };
  constexpr uint64_t kPages = 200, kPageLines = 32;
  const double nearest = even.l2_hit + even.dram;
  uint64_t far = 0;
  for (uint64_t page = 1; page <= kPages; ++page) {
    const bool is_far = clocks_of(page * kPageLines) > nearest + even.far_side / 2;
    far += is_far;
    EXPECT_EQ(clocks_of(page * kPageLines + 9) > nearest + even.far_side / 2, is_far) << "another line of the page";
  }
  EXPECT_NEAR(static_cast<double>(far), kPages / 2, 30);
}

TEST_F(Memory, AChannelOfDramThatIsBusyIsWaitedFor) {
  // What lies on one line after the other lies on all channels in turn; what lies anywhere, on some more than on
  // others.
  const auto last_of = [&](double channels, uint64_t apart) {
    SmModel model = model_;
    model.dram_channels = channels;
    model.dram_spread = 0;
    MemoryPath memory(model, 128 << 10, {{}}, 132);
    double last = 0;
    for (uint64_t i = 0; i < 64; ++i) {
      Lines lines;
      lines.count = 1;
      lines.use[0] = {i * apart, 3};
      last = std::max(last, load(memory, lines, 0));
    }
    return last;
  };
  EXPECT_NEAR(last_of(16, 1), last_of(1, 1), 70);
  EXPECT_GT(last_of(16, 1001), last_of(1, 1001) + 70);
}

TEST_F(Memory, AChannelWritesWhenEnoughHasGathered) {
  SmModel model = model_;
  model.dram_channels = 1;
  model.dram_spread = model.l2_spread = model.far_side = 0;
  model.dram_write_batch = 10 * model.dram_write_sector;
  MemoryPath memory(model, 128 << 10, {{}}, 132);
  Lines lines;
  lines.count = 1;
  const auto clocks_after_store = [&](uint64_t number) {
    const double now = 1e5 * static_cast<double>(number);
    lines.use[0] = {1000 * number, 0xf};
    memory.store(lines, now, true);
    lines.use[0] = {1000 * number + 500, 1};
    return load(memory, lines, now);
  };
  const double first = clocks_after_store(1);
  EXPECT_NEAR(clocks_after_store(2), first, 1);
  EXPECT_GT(clocks_after_store(3), first + 10 * model.dram_write_sector - model.l2_write_sector * 4);
  EXPECT_NEAR(clocks_after_store(4), first, 1);
}

TEST_F(Memory, WhatIsWrittenAgainCostsDramNothing) {
  MemoryPath memory = path();
  const Lines lines = lines_at(32, [](uint32_t lane) { return uint64_t{4096} + 4 * lane; });
  memory.store(lines, 0, true);
  const double once = memory.traffic.dram_busy;
  EXPECT_GT(once, 0);
  memory.store(lines, 1000, true);
  EXPECT_EQ(memory.traffic.dram_busy, once);
}

TEST_F(Memory, WhatIsStoredToLocalMemoryGoesToL2) {
  MemoryPath memory = path();
  const Lines lines = lines_at(32, [](uint32_t lane) { return uint64_t{4096} + 4 * lane; });
  memory.store_local(lines, 1, 0, true);
  EXPECT_EQ(memory.traffic.l2_write_sectors, 4u);
  const uint64_t read = memory.traffic.read.l2;
  memory.load_local(lines, 1, 1000);
  EXPECT_EQ(memory.traffic.read.l2, read) << "L1 has it";
}

TEST_F(Memory, WhatIsStoredToLocalMemoryInPartTakesL2Longer) {
  const auto clocks = [&](bool is_whole) {
    MemoryPath memory = path();
    const Lines lines = lines_at(32, [](uint32_t lane) { return uint64_t{4096} + 128 * lane; });
    return memory.store_local(lines, 1, 0, is_whole);
  };
  EXPECT_GT(clocks(false), clocks(true) + 16);
}

TEST_F(Memory, WordsOfAThreadsLocalMemoryAreInLinesThatFollow) {
  MemoryPath memory = path();
  const Lines lines = lines_at(32, [](uint32_t lane) { return uint64_t{4096} + 4 * lane; });
  memory.store_local(lines, 4, 0, true);
  EXPECT_EQ(memory.traffic.l2_write_sectors, 16u);
  memory.load_local(lines, 4, 1000);
  EXPECT_EQ(memory.traffic.read.l2, 0u);
  memory.load_local(lines, 5, 2000);
  EXPECT_EQ(memory.traffic.read.l2, 4u);
}

TEST_F(Memory, WholeSectorsThatAreStoredAreInL1) {
  MemoryPath memory = path();
  const Lines lines = lines_at(32, [](uint32_t lane) { return uint64_t{4096} + 4 * lane; });
  memory.store(lines, 0, true);
  load(memory, lines, 1000);
  EXPECT_EQ(memory.traffic.read.l2, 0u);
  const Lines others = lines_at(32, [](uint32_t lane) { return uint64_t{8192} + 4 * lane; });
  memory.store(others, 2000, false);
  load(memory, others, 3000);
  EXPECT_EQ(memory.traffic.read.l2, 4u) << "the rest of the sectors is not there";
}

TEST_F(Memory, DramGivesPairsOfSectors) {
  MemoryPath memory = path();
  const double first = load(memory, lines_at(1, [](uint32_t) { return uint64_t{4096}; }), 0);
  EXPECT_EQ(memory.traffic.read.l2, 1u);
  EXPECT_EQ(memory.traffic.read.dram, 2u);
  const double second = load(memory, lines_at(1, [](uint32_t) { return uint64_t{4096 + 32}; }), 10'000);
  EXPECT_LT(second, first - 200);
  EXPECT_EQ(memory.traffic.read.dram, 2u) << "the second comes from L2";
  EXPECT_GT(load(memory, lines_at(1, [](uint32_t) { return uint64_t{4096 + 64}; }), 20'000), second + 200);
  EXPECT_EQ(memory.traffic.read.dram, 4u);
}

TEST_F(Memory, SectorsInPartTakeLongerToStoreThanWholeOnes) {
  const auto clocks_of = [&](uint8_t sectors, bool is_whole) {
    MemoryPath memory = path();
    Lines line;
    line.count = 1;
    line.use[0] = {40, sectors};
    memory.store(line, 0, is_whole);
    return memory.to_l2_free();
  };
  EXPECT_EQ(clocks_of(0b1111, true), 4 * model_.l2_write_sector);
  EXPECT_NEAR(clocks_of(0b1111, false), 9.2, 0.1) << "as measured";
  EXPECT_NEAR(clocks_of(0b0001, false), 3.7, 0.1);
}

TEST_F(Memory, StoresJoinThoseToTheSameLineThatAreOnTheirWay) {
  MemoryPath memory = path();
  const auto clocks_of = [&](uint64_t first, uint32_t count, double now) {
    Lines lines;
    for (lines.count = 0; lines.count < count; ++lines.count) lines.use[lines.count] = {first + lines.count, 0b1111};
    const double before = std::max(now, memory.to_l2_free());
    memory.store(lines, now, false);
    return memory.to_l2_free() - before;
  };
  const double four = clocks_of(40, 4, 0);
  EXPECT_EQ(clocks_of(40, 4, 1), 0);
  EXPECT_NEAR(clocks_of(40, 4, 1000), four, 1e-6) << "they are in L2";
  clocks_of(80, 32, 1001);
  EXPECT_NEAR(clocks_of(80, 4, 1002), four, 1e-6) << "twenty others came after them";
}

TEST_F(Memory, OnlyCopiesPastL1AreAskedOfL2ByEachSm) {
  const auto asked = [&](MemoryPath::Way way) {
    MemoryPath memory(model_, 128 << 10, {{.joint = 1, .cold = 0}}, 132);
    uint32_t missed = 0;
    Lines line;
    line.count = 1;
    for (uint64_t i = 0; i < 1000; ++i) {
      line.use[0] = {i, 15};
      memory.load({.pc = 0, .array = 0}, line, 0, way, missed);
    }
    return static_cast<double>(memory.traffic.read.l2);
  };
  EXPECT_EQ(asked(MemoryPath::Way::CopyPastL1), 4000);
  EXPECT_NEAR(asked(MemoryPath::Way::PastL1), 4000 * (1 - model_.together), 1);
  EXPECT_NEAR(asked(MemoryPath::Way::L1), 4000 * (1 - model_.together), 1);
}

TEST_F(Memory, AtomicsTakeTheLongerTheFewerSectorsAllSmsChooseAmong) {
  // Measured (tests/hardware/atomics.cu): all lanes on one word, floats or not; rows of 32 words, of one line, of 32,
  // of 256.
  const auto word = [](uint32_t) { return kAddress; };
  EXPECT_NEAR(atomics(word, true, 1), 111, 3);
  EXPECT_NEAR(atomics(word, false, 1), 46, 2);
  const auto row = [](uint32_t lane) { return kAddress + uint64_t{lane} * 4; };
  EXPECT_NEAR(atomics(row, true, 4), 5.1, 0.4);
  EXPECT_NEAR(atomics(row, true, 128), 0.78, 0.1);
  EXPECT_NEAR(atomics(row, true, 1024), 0.236, 0.05);
  // Lone words of 4, 16, 32, 64 KB and 1 MB: slices are used unevenly.
  const auto lone = [](uint32_t lane) { return kAddress + uint64_t{lane} * 128; };
  EXPECT_NEAR(atomics(lone, false, 128), 5.4, 0.9);
  EXPECT_NEAR(atomics(lone, false, 512), 1.83, 0.1);
  EXPECT_NEAR(atomics(lone, false, 1024), 1.81, 0.7);
  EXPECT_NEAR(atomics(lone, false, 2048), 0.95, 0.15);
  EXPECT_NEAR(atomics(lone, false, 32768), 0.65, 0.05);
  // Eight lanes have the same word: as many lone words take as long, floats too.
  const auto runs = [](uint32_t lane) { return kAddress + uint64_t{lane / 8} * 128; };
  EXPECT_NEAR(atomics(runs, true, 512), 2.02, 0.25);
  EXPECT_NEAR(atomics(runs, false, 512), 2.01, 0.25);
  // Each warp one word of its own.
  EXPECT_LT(atomics(word, true, 300), atomics(word, true, 1) / 10);
}

TEST_F(Memory, AnSmSendsAtomicsBeforeOthersAreDone) {
  // Measured (tests/hardware/bursts.cu): 64 rows of each SM do not delay its end, 256 do.
  const auto way_free_after = [&](int rows) {
    Updates updates;
    updates.choose(32, kAddress / 32, kAddress / 32 + 31);
    MemoryPath memory(model_, 128 << 10, {{.cold = 0, .updates = updates}}, 132);
    const auto row = access_to(machine::AccessKind::Reduction, 32, [](uint32_t lane) { return kAddress + lane * 4; });
    for (int i = 0; i < rows; ++i) memory.atomic({.pc = 0, .array = 0}, lines_of(row), word_use_of(row, false), 0);
    return memory.to_l2_free();
  };
  EXPECT_LT(way_free_after(64), 1000);
  EXPECT_GT(way_free_after(256), 50'000);
}

TEST_F(Memory, LoadsComeAfterAtomics) {
  const auto clocks_of_load = [&](int atomics) {
    Updates updates;
    updates.choose(1 << 15, kAddress / 32, kAddress / 32 + (1 << 15) - 1);
    MemoryPath memory(model_, 128 << 10, {{.cold = 0, .updates = updates}}, 132);
    const auto lone =
        access_to(machine::AccessKind::Reduction, 32, [](uint32_t lane) { return kAddress + lane * 4096; });
    for (int i = 0; i < atomics; ++i) memory.atomic({.pc = 0, .array = 0}, lines_of(lone), word_use_of(lone, false), 0);
    return load(memory, lines_at(1, [](uint32_t) { return kAddress + (1 << 19); }), 0);
  };
  // 0.65 clocks of the GPU for each request.
  EXPECT_NEAR(clocks_of_load(20) - clocks_of_load(0), 20 * 0.65 * 132, 200);
}

TEST_F(Memory, WhatAtomicsGiveTakesTheWayBack) {
  const auto clocks_of = [&](machine::AccessKind kind) {
    Updates updates;
    updates.choose(1 << 15, kAddress / 32, kAddress / 32 + (1 << 15) - 1);
    MemoryPath memory(model_, 128 << 10, {{.cold = 0, .updates = updates}}, 132);
    const auto lone = access_to(kind, 32, [](uint32_t lane) { return kAddress + lane * 4096; });
    for (int i = 0; i < 100; ++i) memory.atomic({.pc = 0, .array = 0}, lines_of(lone), word_use_of(lone, false), 0);
    return memory.l2_free() / 100 / 132;
  };
  EXPECT_NEAR(clocks_of(machine::AccessKind::Atomic), 0.85, 0.07);
  EXPECT_NEAR(clocks_of(machine::AccessKind::Reduction), 0.65, 0.05);
}

TEST_F(Memory, AtomicsWaitForLinesThatDramHas) {
  MemoryPath memory = path();
  const auto clocks_of = [&](double now) {
    const auto access = access_to(machine::AccessKind::Atomic, 1, [](uint32_t) { return kAddress; });
    return memory.atomic({.pc = 0, .array = 0}, lines_of(access), word_use_of(access, false), now) - now;
  };
  const double first = clocks_of(0);
  EXPECT_GT(first, clocks_of(10'000) + 50);
}

}  // namespace
}  // namespace tilescope::clock
