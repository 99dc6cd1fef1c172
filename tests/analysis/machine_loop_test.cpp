#include "analysis/machine_loop.h"

#include <vector>

#include <gtest/gtest.h>

#include "analysis/cubin_of.h"

namespace tilescope::analysis {
namespace {

/// FFMA d, a, b, c with a bit of `kept` for each of a, b and c: the two halves of the instruction.
std::vector<uint64_t> ffma(uint64_t d, uint64_t a, uint64_t b, uint64_t c, uint64_t kept = 0) {
  return {0x7223 | d << 16 | a << 24 | b << 32, c | kept << 58};
}

/// A branch from instruction `from` back to `to`.
std::vector<uint64_t> branch(int64_t from, int64_t to) {
  const auto units = static_cast<uint64_t>((to - from - 1) * 4);  // of 4 bytes
  const uint64_t high = units >> 8 | uint64_t{0xff} << 56;        // sign kept
  return {0x947 | (units & 0xff) << 16 | high << 34, high >> 30 & 0x3ffff};
}

std::vector<uint8_t> kernel_of(const std::vector<std::vector<uint64_t>>& instructions) {
  std::vector<uint64_t> code;
  for (const auto& each : instructions) code.insert(code.end(), each.begin(), each.end());
  return cubin_of(code);
}

MachineLoop loop_of(std::vector<std::vector<uint64_t>> body) {
  body.push_back(branch(static_cast<int64_t>(body.size()), 0));
  const std::vector<uint8_t> cubin = kernel_of(body);
  return read_main_loop(main_loop_code(cubin, "k")).value_or(MachineLoop{});
}

TEST(MachineLoop, TheInnermostLoopWithTheFmasIsFound) {
  const std::vector<uint64_t> other{0x10, 0};
  const std::vector<uint8_t> cubin =
      kernel_of({ffma(1, 2, 3, 1), other, ffma(4, 5, 6, 4), ffma(7, 8, 9, 7), branch(4, 2), other, branch(6, 1)});
  const auto loop = read_main_loop(main_loop_code(cubin, "k"));
  ASSERT_TRUE(loop);
  EXPECT_EQ(loop->instructions.size(), 3U);
  EXPECT_EQ(loop->fmas, 2U);
  EXPECT_EQ(loop->instructions[0].text, "FFMA R4, R5, R6, R4");
}

TEST(MachineLoop, BranchesBeforeSm90AreInUnitsOfFourBytes) {
  constexpr uint64_t kBack = static_cast<uint64_t>(-3 * 4);  // Over three instructions.
  const std::vector<uint64_t> branch{0x7947 | (kBack & 0x3fffffff) << 34, kBack >> 30 & 0x3ffff};
  std::vector<uint64_t> code;
  for (const auto& each : {ffma(1, 2, 3, 1), ffma(4, 5, 6, 4), ffma(7, 8, 9, 7), branch})
    code.insert(code.end(), each.begin(), each.end());
  EXPECT_EQ(main_loop_code(cubin_of(code, 86), "k").size(), 3 * 16U);
}

TEST(MachineLoop, AKernelWithoutALoopOrWithoutFmasHasNone) {
  EXPECT_TRUE(main_loop_code(kernel_of({ffma(1, 2, 3, 1)}), "k").empty());
  EXPECT_TRUE(main_loop_code(kernel_of({{0x10, 0}, branch(1, 0)}), "k").empty());
  EXPECT_TRUE(main_loop_code({}, "k").empty());
  EXPECT_FALSE(read_main_loop({}));
}

TEST(MachineLoop, RegistersOfOneParityAreInOneBank) {
  const MachineLoop loop = loop_of({ffma(1, 3, 5, 1), ffma(2, 3, 4, 1)});
  EXPECT_EQ(loop.instructions[0].reads, (std::array<uint8_t, 2>{0, 3}));
  EXPECT_EQ(loop.instructions[1].reads, (std::array<uint8_t, 2>{1, 2}));
  EXPECT_TRUE(loop.instructions[0].conflict());
  EXPECT_EQ(loop.conflicts, 2U);
  EXPECT_EQ(loop.reads, 6U);
}

TEST(MachineLoop, WhatAnFmaKeepsIsNotReadByTheNext) {
  constexpr uint64_t kKeepA = 1;
  const MachineLoop loop = loop_of({ffma(10, 2, 4, 10, kKeepA), ffma(11, 2, 6, 11), ffma(12, 2, 8, 12)});
  EXPECT_EQ(loop.instructions[1].reads, (std::array<uint8_t, 2>{1, 1})) << "R2 was kept";
  EXPECT_EQ(loop.instructions[2].reads, (std::array<uint8_t, 2>{3, 0})) << "and only for one instruction";
  EXPECT_EQ(loop.instructions[0].text, "FFMA R10, R2.reuse, R4, R10");
}

TEST(MachineLoop, RZIsInNoBank) {
  const MachineLoop loop = loop_of({ffma(1, 2, 4, kNoRegister)});
  EXPECT_EQ(loop.reads, 2U);
}

/// Clocks per FMA in a long sequence of them.
double clocks_per_fma(const std::vector<std::vector<uint64_t>>& pattern) {
  std::vector<std::vector<uint64_t>> body;
  for (int i = 0; i < 100; ++i) body.insert(body.end(), pattern.begin(), pattern.end());
  return 1 / loop_of(body).fma_clocks;
}

TEST(MachineLoop, ABankDeliversOneOperandPerClock) {
  const auto one_of_each = ffma(1, kNoRegister, 2, 3), even = ffma(1, kNoRegister, 2, 4),
             odd = ffma(1, kNoRegister, 3, 5);
  EXPECT_NEAR(clocks_per_fma({one_of_each}), 1, 0.02);
  EXPECT_NEAR(clocks_per_fma({even}), 2, 0.02);
  EXPECT_NEAR(clocks_per_fma({even, odd}), 1, 0.02) << "the banks work at the same time";
  EXPECT_NEAR(clocks_per_fma({ffma(1, 2, 4, 3), ffma(1, 2, 5, 3)}), 1.5, 0.02) << "three reads, in turn two of each";
  EXPECT_NEAR(clocks_per_fma({even, even, even, even, odd, odd, odd, odd}), 1.75, 0.02);
}

}  // namespace
}  // namespace tilescope::analysis
