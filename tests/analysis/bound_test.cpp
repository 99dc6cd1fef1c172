#include "analysis/bound.h"

#include <gtest/gtest.h>

namespace tilescope::analysis {
namespace {

arch::Figure figure(double value) { return {value, "a test", ""}; }

// 10 SMs at 1 GHz.
arch::Device small_device() {
  arch::Device device;
  device.name = "Small";
  device.sms = figure(10);
  device.clock_hz = figure(1e9);
  device.fma_lanes_per_sm = figure(128);
  device.shared_bytes_per_clock = figure(128);
  device.l2_bytes_per_s = figure(1e12);
  device.dram_bytes_per_s = figure(1e11);
  return device;
}

double seconds(const Bound& bound, Resource resource) { return bound.time(resource).seconds.value(); }

TEST(Bound, EachResourceTakesItsWorkOverItsPeakRate) {
  Work work;
  work.fmas = 1'280'000;
  work.shared_wavefronts = 20'000;
  work.l1_wavefronts = 5'000;
  work.l1_lines = 40'000;
  work.l2_sectors = 50'000;
  work.dram_bytes = 300'000;
  const Bound b = bound(small_device(), work);
  EXPECT_DOUBLE_EQ(seconds(b, Resource::Fma), 1e-6);
  EXPECT_DOUBLE_EQ(seconds(b, Resource::L1AndShared), 2.5e-6);
  EXPECT_DOUBLE_EQ(b.time(Resource::L1AndShared).l1_seconds, 0.5e-6);
  EXPECT_DOUBLE_EQ(b.time(Resource::L1AndShared).shared_seconds, 2e-6);
  EXPECT_DOUBLE_EQ(seconds(b, Resource::L2), 1.6e-6);
  EXPECT_DOUBLE_EQ(seconds(b, Resource::Dram), 3e-6);
  EXPECT_EQ(b.limiting, Resource::Dram);
  EXPECT_DOUBLE_EQ(b.seconds, 3e-6);
  EXPECT_DOUBLE_EQ(b.gflops, 2 * 1.28e6 / 3e-6 / 1e9);
}

TEST(Bound, TensorCoresTakeEachTypeAtItsOwnRate) {
  arch::Device device = small_device();
  device.tensor_fmas_per_sm[static_cast<size_t>(arch::TensorType::F16)] = figure(2048);
  device.tensor_fmas_per_sm[static_cast<size_t>(arch::TensorType::Tf32)] = figure(1024);
  Work work;
  work.tensor_fmas[static_cast<size_t>(arch::TensorType::F16)] = 20'480'000;
  EXPECT_DOUBLE_EQ(seconds(bound(device, work), Resource::TensorCores), 1e-6);
  work.tensor_fmas[static_cast<size_t>(arch::TensorType::Tf32)] = 20'480'000;
  const Bound b = bound(device, work);
  EXPECT_DOUBLE_EQ(seconds(b, Resource::TensorCores), 3e-6);
  EXPECT_EQ(b.limiting, Resource::TensorCores);
  EXPECT_EQ(seconds(b, Resource::Fma), 0);
}

TEST(Bound, TensorCoresAreMissingOnlyWhereTheyAreUsed) {
  Work work;
  work.fmas = 1'280'000;
  EXPECT_EQ(seconds(bound(small_device(), work), Resource::TensorCores), 0);
  work.tensor_fmas[static_cast<size_t>(arch::TensorType::S8)] = 1;
  const Bound b = bound(small_device(), work);
  EXPECT_FALSE(b.time(Resource::TensorCores).seconds);
  EXPECT_EQ(b.time(Resource::TensorCores).missing, Rate::Tensor);
}

TEST(Bound, L1LooksUpTheTagsOfFourLinesPerClock) {
  Work work;
  work.l1_wavefronts = work.shared_wavefronts = 1'000;
  work.l1_lines = 120'000;
  const Bound b = bound(small_device(), work);
  EXPECT_DOUBLE_EQ(seconds(b, Resource::L1AndShared), 3e-6);
}

TEST(Bound, AWavefrontTakesTwoClocksWhereBanksGiveHalf) {
  arch::Device device = small_device();
  device.shared_bytes_per_clock = figure(64);
  Work work;
  work.shared_wavefronts = 10'000;
  EXPECT_DOUBLE_EQ(seconds(bound(device, work), Resource::L1AndShared), 2e-6);
}

TEST(Bound, UsefulWorkMayDifferFromTheFmas) {
  Work work;
  work.fmas = 1'280'000;
  work.flops = 1'000'000;
  const Bound b = bound(small_device(), work);
  EXPECT_EQ(b.limiting, Resource::Fma);
  EXPECT_DOUBLE_EQ(b.gflops, 1000);
}

TEST(Bound, AFigureThatIsNotKnownLeavesItsTimeOut) {
  arch::Device device = small_device();
  device.l2_bytes_per_s.reset();
  Work work;
  work.fmas = 1'280'000;
  work.l2_sectors = 1'000'000'000;
  const Bound b = bound(device, work);
  EXPECT_FALSE(b.time(Resource::L2).seconds);
  EXPECT_EQ(b.limiting, Resource::Fma);
}

TEST(Bound, NoWorkAndNoDeviceGiveNoBound) {
  EXPECT_EQ(bound(small_device(), {}).gflops, 0);
  EXPECT_EQ(bound(arch::Device{}, {}).seconds, 0);
}

}  // namespace
}  // namespace tilescope::analysis
