#include "wording/bound.h"

#include <gtest/gtest.h>

namespace tilescope::wording {
namespace {
using analysis::Resource;

analysis::Bound bound_of(const analysis::Work& work, bool knows_l2 = true) {
  arch::Device device;
  device.name = "Small";
  device.sms = {10, "a test", ""};
  device.clock_hz = {1e9, "a test", ""};
  device.fma_lanes_per_sm = {128, "a test", ""};
  device.shared_bytes_per_clock = {128, "a test", ""};
  if (knows_l2) device.l2_bytes_per_s = {1e12, "a test", ""};
  device.dram_bytes_per_s = {1e11, "a test", ""};
  return analysis::bound(device, work);
}

TEST(Formula, ShowsItsNumbers) {
  analysis::Work work;
  work.fmas = 5;
  work.shared_wavefronts = 6;
  work.l1_wavefronts = 7;
  work.l2_sectors = 8;
  work.dram_bytes = 9;
  const analysis::Bound bound = bound_of(work);
  EXPECT_EQ(formula(bound, Resource::Fma), "5 FMAs / (10 SMs * 128 lanes * 1 GHz)");
  EXPECT_EQ(formula(bound, Resource::L1AndShared),
            "(7 wavefronts of L1 + 6 of shared memory at 1 per clock) / (10 SMs * 1 GHz)");
  EXPECT_EQ(formula(bound, Resource::L2), "8 sectors * 32 bytes / 1000 GB/s");
  EXPECT_EQ(formula(bound, Resource::Dram), "9 bytes / 100 GB/s");
}

TEST(Formula, OfL1NamesTheTagsWhereTheyTakeLongest) {
  analysis::Work work;
  work.l1_wavefronts = work.shared_wavefronts = 1'000;
  work.l1_lines = 120'000;
  EXPECT_EQ(formula(bound_of(work), Resource::L1AndShared), "tags of 120000 lines / (10 SMs * 4 per clock * 1 GHz)");
}

TEST(Formula, OfTensorCoresNamesWhatTheyMultiply) {
  arch::Device device;
  device.name = "Small";
  device.sms = {10, "a test", ""};
  device.clock_hz = {1e9, "a test", ""};
  device.tensor_fmas_per_sm[static_cast<size_t>(arch::TensorType::Tf32)] = {1024, "a test", ""};
  device.tensor_fmas_per_sm[static_cast<size_t>(arch::TensorType::F16)] = {2048, "a test", ""};
  analysis::Work work;
  EXPECT_EQ(formula(analysis::bound(device, work), Resource::TensorCores), "no instruction of the tensor cores");
  work.tensor_fmas = {3, 5, 0, 0};
  EXPECT_EQ(
      formula(analysis::bound(device, work), Resource::TensorCores),
      "3 FMAs of TF32 / (10 SMs * 1024 per clock * 1 GHz) + 5 FMAs of F16/BF16 / (10 SMs * 2048 per clock * 1 GHz)");
  work.tensor_fmas = {0, 0, 0, 1};
  EXPECT_EQ(formula(analysis::bound(device, work), Resource::TensorCores),
            "the FMA rate of the tensor cores of Small is not known");
}

TEST(Formula, SaysWhichFigureIsMissing) {
  analysis::Work work;
  work.l2_sectors = 8;
  EXPECT_EQ(formula(bound_of(work, false), Resource::L2), "the L2 bandwidth of Small is not known");
}

}  // namespace
}  // namespace tilescope::wording
