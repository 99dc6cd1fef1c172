#include "analysis/occupancy.h"

#include <climits>

#include <gtest/gtest.h>

#if __has_include(<cuda_occupancy.h>)
#include <cuda_occupancy.h>
#endif

namespace tilescope::analysis {
namespace {

Occupancy on(uint32_t capability, const BlockResources& block) {
  return occupancy(*arch::find_limits(capability), block);
}

TEST(Occupancy, A32x32BlockFillsTwoThirdsOfAnSmThatHolds48Warps) {
  for (const uint32_t capability : {86u, 89u}) {
    const Occupancy o = on(capability, {.threads = 1024, .registers_per_thread = 38, .static_shared_bytes = 8192});
    EXPECT_EQ(o.blocks_per_sm, 1u);
    EXPECT_EQ(o.warps_per_sm, 32u);
    EXPECT_DOUBLE_EQ(o.theoretical, 32.0 / 48);
    EXPECT_EQ(o.limiter, OccupancyLimiter::Warps);
  }
}

TEST(Occupancy, Tiles8x32FillAnAdaSm) {
  for (const uint32_t registers : {38u, 39u, 40u}) {
    const Occupancy o =
        on(89, {.threads = 256, .registers_per_thread = registers, .static_shared_bytes = 32 * 32 * 4 + 8 * 32 * 4});
    EXPECT_EQ(o.blocks_per_sm, 6u);
    EXPECT_EQ(o.warps_per_sm, 48u);
    EXPECT_DOUBLE_EQ(o.theoretical, 1.0);
  }
}

TEST(Occupancy, WhatCannotBeLaunchedHasNoBlocksAndALimiter) {
  const auto limiter = [](uint32_t capability, const BlockResources& block) {
    const Occupancy o = on(capability, block);
    EXPECT_EQ(o.blocks_per_sm, 0u);
    EXPECT_EQ(o.warps_per_sm, 0u);
    EXPECT_EQ(o.theoretical, 0.0);
    return o.limiter;
  };
  EXPECT_EQ(limiter(90, {.threads = 0}), OccupancyLimiter::Warps);
  EXPECT_EQ(limiter(90, {.threads = 2048}), OccupancyLimiter::Warps);
  EXPECT_EQ(limiter(90, {.threads = UINT64_MAX, .registers_per_thread = 255}), OccupancyLimiter::Warps);
  EXPECT_EQ(limiter(90, {.threads = 32, .registers_per_thread = 256}), OccupancyLimiter::Registers);
  EXPECT_EQ(limiter(90, {.threads = 1024, .registers_per_thread = 94}), OccupancyLimiter::Registers);
  EXPECT_EQ(limiter(90, {.threads = 32, .static_shared_bytes = 49153}), OccupancyLimiter::SharedMemory);
  EXPECT_EQ(limiter(90, {.threads = 32, .static_shared_bytes = 1, .dynamic_shared_bytes = 227 * 1024}),
            OccupancyLimiter::SharedMemory);
  EXPECT_EQ(limiter(90, {.threads = 32, .static_shared_bytes = 16, .dynamic_shared_bytes = UINT64_MAX}),
            OccupancyLimiter::SharedMemory);
  EXPECT_EQ(limiter(120, {.threads = 32, .barriers = 25}), OccupancyLimiter::Barriers);
}

TEST(Occupancy, ALimitThatDoesNotApplyIsUnlimited) {
  const Occupancy o = on(75, {.threads = 64});
  EXPECT_EQ(o.blocks_by_registers, Occupancy::kUnlimited);
  EXPECT_EQ(o.blocks_by_shared_memory, Occupancy::kUnlimited);
  EXPECT_EQ(o.blocks_by_barriers, Occupancy::kUnlimited);
  EXPECT_EQ(o.blocks_per_sm, 16u);
}

#if __has_include(<cuda_occupancy.h>)

cudaOccDeviceProp properties_of(const arch::Limits& limits) {
  cudaOccDeviceProp p;
  p.computeMajor = static_cast<int>(limits.capability / 10);
  p.computeMinor = static_cast<int>(limits.capability % 10);
  p.maxThreadsPerBlock = static_cast<int>(limits.threads_per_block);
  p.maxThreadsPerMultiprocessor = static_cast<int>(limits.threads_per_sm);
  p.regsPerBlock = static_cast<int>(limits.registers_per_block);
  p.regsPerMultiprocessor = static_cast<int>(limits.registers_per_sm);
  p.warpSize = static_cast<int>(arch::kWarpSize);
  p.sharedMemPerBlock = limits.shared_per_block;
  p.sharedMemPerMultiprocessor = limits.shared_per_sm;
  p.numSms = 1;
  p.sharedMemPerBlockOptin = limits.shared_per_block_opt_in;
  p.reservedSharedMemPerBlock = limits.shared_reserved_per_block;
  return p;
}

cudaOccResult oracle(const arch::Limits& limits, const BlockResources& block) {
  const cudaOccDeviceProp properties = properties_of(limits);
  cudaOccFuncAttributes attributes;
  attributes.maxThreadsPerBlock = INT_MAX;
  attributes.numRegs = static_cast<int>(block.registers_per_thread);
  attributes.sharedSizeBytes = block.static_shared_bytes;
  attributes.shmemLimitConfig = FUNC_SHMEM_LIMIT_OPTIN;
  attributes.maxDynamicSharedSizeBytes = block.dynamic_shared_bytes;
  attributes.numBlockBarriers = static_cast<int>(block.barriers);
  const cudaOccDeviceState state;
  cudaOccResult result{};
  EXPECT_EQ(cudaOccMaxActiveBlocksPerMultiprocessor(&result, &properties, &attributes, &state,
                                                    static_cast<int>(block.threads), block.dynamic_shared_bytes),
            CUDA_OCC_SUCCESS);
  return result;
}

uint32_t count(int blocks) { return blocks == INT_MAX ? Occupancy::kUnlimited : static_cast<uint32_t>(blocks); }

bool agrees(const arch::Limits& limits, const BlockResources& block) {
  const Occupancy ours = occupancy(limits, block);
  const cudaOccResult theirs = oracle(limits, block);
  return ours.blocks_per_sm == count(theirs.activeBlocksPerMultiprocessor) &&
         ours.blocks_by_warps == count(theirs.blockLimitWarps) &&
         ours.blocks_by_registers == count(theirs.blockLimitRegs) &&
         ours.blocks_by_shared_memory == count(theirs.blockLimitSharedMem) &&
         ours.blocks_by_blocks == count(theirs.blockLimitBlocks) &&
         ours.blocks_by_barriers == count(theirs.blockLimitBarriers) &&
         (ours.blocks_by_shared_memory == 0 || ours.shared_bytes_per_block == theirs.allocatedSharedMemPerBlock);
}

TEST(Occupancy, AgreesWithTheToolkitOverAGridOfInputs) {
  uint64_t compared = 0;
  for (const arch::Limits& limits : arch::all_limits())
    for (uint64_t threads = 1; threads <= 1024; threads += threads < 32 ? 31 : 32)
      for (uint32_t registers = 0; registers <= 255; registers += 3)
        for (const uint64_t fixed : {0u, 1u, 5120u, 8192u, 33000u, 49152u})
          for (const uint64_t dynamic : {0u, 1000u, 16384u, 50000u, 65536u, 101376u, 166912u, 183297u, 232448u}) {
            const BlockResources block{threads, registers, fixed, dynamic, 1};
            ++compared;
            ASSERT_TRUE(agrees(limits, block)) << arch::target_name(limits) << ": " << threads << " threads, "
                                               << registers << " registers, " << fixed << " + " << dynamic << " bytes";
          }
  EXPECT_GT(compared, 1'000'000u);
}

TEST(Occupancy, AgreesWithTheToolkitOnEveryByteAndOnBarriers) {
  for (const arch::Limits& limits : arch::all_limits()) {
    for (uint64_t bytes = 0; bytes <= limits.shared_per_sm + 2048; bytes += 61)
      ASSERT_TRUE(agrees(limits, {128, 32, 0, bytes, 1})) << arch::target_name(limits) << ": " << bytes;
    for (uint32_t barriers = 0; barriers <= 16; ++barriers)
      ASSERT_TRUE(agrees(limits, {64, 32, 0, 0, barriers})) << arch::target_name(limits) << ": " << barriers;
  }
}

#endif

}  // namespace
}  // namespace tilescope::analysis
