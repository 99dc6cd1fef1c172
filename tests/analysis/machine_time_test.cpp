#include "analysis/machine_time.h"

#include <vector>

#include <gtest/gtest.h>

#include "analysis/cubin_of.h"

namespace tilescope::analysis {
namespace {

/// A machine instruction as ptxas encodes it.
struct Sass {
  uint64_t low = 0, high = 0;

  explicit Sass(uint64_t opcode) : low(opcode | uint64_t{7} << 12), high(control(1, 7, 7, 0)) {}

  Sass& stalls(uint64_t clocks) { return put(clocks, 0, 4); }
  Sass& sets(uint64_t scoreboard) { return put(scoreboard, 5, 3); }
  Sass& waits_for(uint64_t scoreboard) { return put(uint64_t{1} << scoreboard, 11, 6); }
  Sass& keeps(int operand) { return put(uint64_t{1} << operand, 17, 4); }

 private:
  static constexpr int kControl = 41;
  static uint64_t control(uint64_t stall, uint64_t sets, uint64_t frees, uint64_t waits) {
    return (stall | sets << 5 | frees << 8 | waits << 11) << kControl;
  }
  Sass& put(uint64_t value, int at, int bits) {
    const uint64_t mask = (uint64_t{1} << bits) - 1;
    high = (high & ~(mask << (kControl + at))) | value << (kControl + at);
    return *this;
  }
};

Sass fma(uint64_t d, uint64_t a, uint64_t b, uint64_t c) {
  Sass instruction(0x223);
  instruction.low |= d << 16 | a << 24 | b << 32;
  instruction.high |= c;
  return instruction;
}
Sass global_load() { return Sass(0x981); }
Sass other() { return Sass(0x210); }

/// To `instructions` before the one after it.
Sass branch_back(int64_t instructions) {
  Sass branch(0x947);
  const int64_t units = -instructions * 4;  // Of 4 bytes.
  const auto far = static_cast<uint64_t>(units >> 8), near = static_cast<uint64_t>(units & 0xff);
  branch.low |= near << 16 | (far & 0x3fffffff) << 34;
  branch.high |= far >> 30 & 0x3ffff;
  return branch;
}

std::optional<WarpTime> time_of(const std::vector<Sass>& code, const WarpWork& work, const BlockShare& share = {}) {
  std::vector<uint64_t> words;
  for (const Sass& each : code) words.insert(words.end(), {each.low, each.high});
  const std::optional<MachineKernel> kernel = read_machine_kernel(cubin_of(words), "k");
  EXPECT_TRUE(kernel);
  return kernel ? warp_time(*kernel, work, share) : std::nullopt;
}

double issue_of(const std::vector<Sass>& code) {
  const auto time = time_of(code, {static_cast<double>(code.size())});
  EXPECT_TRUE(time);
  return time ? time->issue : 0;
}

TEST(MachineTime, LoopsTurnAsOftenAsTheCountsSay) {
  // A load, and an inner loop of two FMAs; the outer one turns 10 times, the inner one 4 times in each.
  const Sass product = fma(0, 2, 5, 255);
  const std::vector<Sass> code{other(), global_load(), product, product, branch_back(3), branch_back(5)};
  const auto time = time_of(code, {80, 10});
  ASSERT_TRUE(time);
  EXPECT_NEAR(time->issue, 1 + 10 * 2 + 40 * 3, 0.1);
}

TEST(MachineTime, WhatTheLoopsDoNotExplainHasNoTime) {
  const std::vector<Sass> code{global_load(), fma(0, 2, 5, 0), branch_back(3)};
  EXPECT_TRUE(time_of(code, {10, 10}));
  EXPECT_FALSE(time_of(code, {80, 10})) << "one FMA for each load, but eight were counted";
}

TEST(MachineTime, EachBankOfTheRegistersGivesOneOperandAClock) {
  const Sass even = fma(0, 255, 2, 4), odd = fma(1, 255, 3, 5), both = fma(0, 255, 2, 5);
  EXPECT_EQ(issue_of({both, both, both, both}), 4);
  EXPECT_NEAR(issue_of({even, odd, even, odd, even, odd, even, odd}), 8, 1) << "in turn they do not collide";
  const double of_eight = issue_of({even, even, even, even, even, even, even, even});
  EXPECT_NEAR(of_eight, 16, 2) << "two clocks each";
  Sass keeps = fma(0, 2, 4, 7), takes = fma(0, 2, 4, 7);
  EXPECT_GT(issue_of({takes, takes, takes, takes, takes, takes}), 9);
  keeps.keeps(0);
  EXPECT_NEAR(issue_of({keeps, keeps, keeps, keeps, keeps, keeps}), 6, 1) << "a kept operand is not read again";
}

TEST(MachineTime, AWarpAloneTakesItsStallCountsAndWaitsForItsLoads) {
  const Sass load = global_load().sets(0), use = fma(0, 2, 5, 0).waits_for(0).stalls(4);
  const auto used_at_once = time_of({load, use, branch_back(3)}, {100, 100});
  ASSERT_TRUE(used_at_once);
  EXPECT_NEAR(used_at_once->alone, 100 * (1 + 4 + 1), 1);
  EXPECT_NEAR(used_at_once->load_waits, 100, 1);
  const auto two_at_once = time_of({load, load, use, branch_back(4)}, {100, 200});
  ASSERT_TRUE(two_at_once);
  EXPECT_NEAR(two_at_once->load_waits, 100, 1) << "both are under way";
}

TEST(MachineTime, AnInnerLoopHidesALoadThatIsUsedBehindIt) {
  const Sass load = global_load().sets(0), product = fma(0, 2, 5, 0).stalls(4), use = other().waits_for(0);
  const std::vector<Sass> code{load, product, branch_back(2), use, branch_back(5)};
  const auto long_enough = time_of(code, {10 * 200, 10});
  ASSERT_TRUE(long_enough);
  EXPECT_NEAR(long_enough->load_waits, 0, 0.1) << "200 turns of 5 clocks";
  const auto too_short = time_of(code, {10 * 10, 10});
  ASSERT_TRUE(too_short);
  EXPECT_NEAR(too_short->load_waits, 10, 1) << "10 turns";
}

TEST(MachineTime, ARequestWaitsForThoseOfTheBlocksOtherWarps) {
  const Sass load = Sass(0x984).sets(0), use = fma(0, 2, 5, 0).waits_for(0).stalls(4);
  WarpWork work{100};
  work.shared_loads = 100;
  const auto by_itself = time_of({load, use, branch_back(3)}, work),
             of_four = time_of({load, use, branch_back(3)}, work, {4, 8});
  ASSERT_TRUE(by_itself && of_four);
  EXPECT_NEAR(by_itself->alone, 100 * (1 + 24 + 4 + 1), 5);
  EXPECT_NEAR(of_four->alone, 100 * (4 * 8 + 24 + 4 + 1), 60) << "four requests of eight wavefronts each";
}

TEST(MachineTime, BetweenBarriersASchedulerIssuesForAllItsWarps) {
  const Sass product = fma(0, 2, 5, 255), barrier(0xb1d);
  WarpWork work{400};
  work.barriers = 100;
  const std::vector<Sass> code{product, product, product, product, barrier, branch_back(6)};
  const auto one = time_of(code, work, {4}), four = time_of(code, work, {16});
  ASSERT_TRUE(one && four);
  EXPECT_NEAR(one->alone, 100 * 6, 10) << "a warp for each scheduler";
  EXPECT_NEAR(four->alone, 100 * 4 * 6, 10) << "four of them, none of which ever waits";
  EXPECT_EQ(one->issue, four->issue) << "of a warp";
}

TEST(MachineTime, ALoopLargerThanTheInstructionCacheIsFetchedInEveryTurn) {
  const auto fetches = [](size_t instructions) {
    std::vector<Sass> code(instructions - 1, fma(0, 2, 5, 255));
    code.push_back(branch_back(static_cast<int64_t>(instructions)));
    const auto time = time_of(code, {10.0 * static_cast<double>(instructions - 1)});
    EXPECT_TRUE(time);
    return time ? time->fetches : -1;
  };
  EXPECT_EQ(fetches(2048), 0) << "32 KiB";
  EXPECT_NEAR(fetches(2056), 2570, 1) << "257 lines of eight, ten times";
}

TEST(MachineTime, SpilledRegistersCount) {
  const auto time = time_of({fma(0, 2, 5, 0), Sass(0x983), Sass(0x387), branch_back(4)}, {50});
  ASSERT_TRUE(time);
  EXPECT_NEAR(time->spills, 100, 1);
}

TEST(MachineTime, WhatIsNoCubinOrLacksTheKernelHasNone) {
  const std::vector<uint8_t> whole = cubin_of({0x223, 0});
  EXPECT_TRUE(read_machine_kernel(whole, "k"));
  EXPECT_FALSE(read_machine_kernel(whole, "another"));
  EXPECT_FALSE(read_machine_kernel({}, "k"));
  for (size_t bytes = 0; bytes < whole.size(); ++bytes)
    EXPECT_FALSE(read_machine_kernel(std::span(whole).first(bytes), "k")) << bytes;
}

}  // namespace
}  // namespace tilescope::analysis
