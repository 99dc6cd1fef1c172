#include <algorithm>

#include <gtest/gtest.h>

#include "arch/arch.h"

namespace tilescope::arch {
namespace {

std::string first_error(const Result<Limits>& result) { return result ? "" : result.errors().front().message.text(); }

TEST(Limits, FoundByEveryWayOfWritingIt) {
  for (const char* name : {"sm_90", "sm_90a", "compute_90", "9.0", "90"}) {
    const Result<Limits> limits = find_limits(name);
    ASSERT_TRUE(limits) << name;
    EXPECT_EQ(limits->capability, 90u);
    EXPECT_EQ(target_name(*limits), "sm_90");
  }
  EXPECT_EQ(find_limits(std::string_view("12.0"))->capability, 120u);
  ASSERT_NE(find_limits(86u), nullptr);
  EXPECT_EQ(find_limits(91u), nullptr);
}

TEST(Limits, UnknownOnesNameTheNearest) {
  EXPECT_EQ(first_error(find_limits("sm_91")), "\"sm_91\" is not a known architecture; the nearest known is sm_90.");
  EXPECT_EQ(first_error(find_limits("5.2")), "\"5.2\" is not a known architecture; the nearest known is sm_70.");
  EXPECT_EQ(first_error(find_limits("sn_90")), "\"sn_90\" is not an architecture; did you mean sm_90?");
  EXPECT_EQ(first_error(find_limits("")),
            "\"\" is not an architecture; write one such as sm_90 or 9.0. Known: sm_70, sm_75, sm_80, sm_86, sm_87, "
            "sm_88, sm_89, sm_90, sm_100, sm_103, sm_110, sm_120, sm_121.");
  EXPECT_FALSE(find_limits("99999999999999999999"));
  EXPECT_FALSE(find_limits("-90"));
}

TEST(Limits, AscendAndAgreeAmongThemselves) {
  uint32_t before = 0;
  for (const Limits& limits : all_limits()) {
    EXPECT_GT(limits.capability, before);
    before = limits.capability;
    EXPECT_EQ(limits.threads_per_sm, limits.warps_per_sm * kWarpSize);
    EXPECT_EQ(limits.shared_per_sm, limits.carveouts.back());
    EXPECT_TRUE(std::is_sorted(limits.carveouts.begin(), limits.carveouts.end()));
    EXPECT_EQ(limits.max_block, (Dim3{1024, 1024, 64}));
    EXPECT_EQ(limits.max_grid, (Dim3{2147483647, 65535, 65535}));
  }
}

// CUDA C++ Programming Guide, "Technical Specifications per Compute Capability".
TEST(Limits, HoldTheGuidesFigures) {
  const Limits turing = *find_limits(75u), ampere = *find_limits(80u), ada = *find_limits(89u),
               hopper = *find_limits(90u);
  EXPECT_EQ(turing.warps_per_sm, 32u);
  EXPECT_EQ(turing.blocks_per_sm, 16u);
  EXPECT_EQ(turing.shared_per_block_opt_in, 64u * 1024);
  EXPECT_EQ(turing.shared_reserved_per_block, 0u);
  EXPECT_EQ(ampere.shared_per_sm, 164u * 1024);
  EXPECT_EQ(ampere.shared_per_block_opt_in, 163u * 1024);
  EXPECT_EQ(ampere.fma_lanes_per_sm, 64u);
  EXPECT_EQ(ada.warps_per_sm, 48u);
  EXPECT_EQ(ada.blocks_per_sm, 24u);
  EXPECT_EQ(ada.shared_per_block_opt_in, 99u * 1024);
  EXPECT_EQ(hopper.shared_per_block_opt_in, 227u * 1024);
  EXPECT_EQ(hopper.shared_per_block, 48u * 1024);
  EXPECT_EQ(hopper.registers_per_thread, 255u);
  EXPECT_EQ(hopper.threads_per_block, 1024u);
}

}  // namespace
}  // namespace tilescope::arch
