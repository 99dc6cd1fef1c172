#include "wording/occupancy.h"

#include <gtest/gtest.h>

namespace tilescope::wording {
namespace {

std::string said(uint32_t capability, const analysis::BlockResources& block) {
  return sentence(analysis::occupancy(*arch::find_limits(capability), block));
}

TEST(OccupancySentence, NamesTheLimiterWithItsNumbers) {
  EXPECT_EQ(said(90, {.threads = 256, .registers_per_thread = 94}),
            "limited by registers (94 per thread, 256 threads): 2 blocks of 8 warps per SM, which holds 64");
  EXPECT_EQ(said(90, {.threads = 1024, .registers_per_thread = 32}),
            "limited by warps and registers (1 024 threads): 2 blocks of 32 warps per SM, which holds 64");
  EXPECT_EQ(
      said(80, {.threads = 128, .registers_per_thread = 32, .static_shared_bytes = 40000}),
      "limited by shared memory (41088 bytes per block, 167936 per SM): 4 blocks of 4 warps per SM, which holds 64");
  EXPECT_EQ(said(90, {.threads = 32, .registers_per_thread = 16}),
            "limited by blocks (at most 32 per SM): 32 blocks of 1 warp per SM, which holds 64");
  EXPECT_EQ(said(120, {.threads = 32, .registers_per_thread = 16, .barriers = 4}),
            "limited by barriers (4 per block, 24 per SM): 6 blocks of 1 warp per SM, which holds 48");
}

TEST(OccupancySentence, OfWhatCannotBeLaunchedSaysWhy) {
  EXPECT_EQ(said(90, {.threads = 0}), "cannot be launched: a block needs at least one thread");
  EXPECT_EQ(said(90, {.threads = 2048}), "cannot be launched: 2048 threads; a block can have 1024");
  EXPECT_EQ(said(90, {.threads = 32, .registers_per_thread = 256}),
            "cannot be launched: 256 registers per thread; a thread can have 255");
  EXPECT_EQ(said(90, {.threads = 1024, .registers_per_thread = 94}),
            "cannot be launched: 94 registers per thread, 1024 threads: more than the 65536 registers that a block can "
            "have");
  EXPECT_EQ(said(90, {.threads = 32, .static_shared_bytes = 49153}),
            "cannot be launched: 49153 bytes of static shared memory; a block can have 49152");
  EXPECT_EQ(said(90, {.threads = 32, .static_shared_bytes = 1, .dynamic_shared_bytes = 227 * 1024}),
            "cannot be launched: 232449 bytes of shared memory; a block can have 232448");
  EXPECT_EQ(said(90, {.threads = 32, .static_shared_bytes = 16, .dynamic_shared_bytes = UINT64_MAX}),
            "cannot be launched: 18446744073709551615 bytes of shared memory; a block can have 232448");
  EXPECT_EQ(said(90, {.threads = UINT64_MAX, .registers_per_thread = 255}),
            "cannot be launched: 18446744073709551615 threads; a block can have 1024");
  EXPECT_EQ(said(120, {.threads = 32, .barriers = 25}), "cannot be launched: 25 barriers; an SM has 24");
}

}  // namespace
}  // namespace tilescope::wording
