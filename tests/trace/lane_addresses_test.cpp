#include "trace/lane_addresses.h"

#include <array>
#include <random>

#include <gtest/gtest.h>

namespace tilescope::trace {
namespace {

using Lanes = std::array<uint64_t, kLanes>;

Lanes expand(const AffineLanes& form) {
  Lanes lanes;
  for (uint32_t l = 0; l < kLanes; ++l) lanes[l] = form.at(l);
  return lanes;
}

// Inactive lanes hold addresses that would spoil a fit that used them.
Lanes expand(const AffineLanes& form, uint32_t active) {
  Lanes lanes = expand(form);
  for (uint32_t l = 0; l < kLanes; ++l)
    if (!(active >> l & 1)) lanes[l] = 0xdeadbeef00000000u + l * l * l;
  return lanes;
}

bool same_on(uint32_t active, const Lanes& lanes, const AffineLanes& form) {
  for (uint32_t l = 0; l < kLanes; ++l)
    if ((active >> l & 1) && lanes[l] != form.at(l)) return false;
  return true;
}

TEST(FitAffine, OneStrideIsOneLevel) {
  AffineLanes form;
  ASSERT_TRUE(fit_affine(expand({4096, 4, 0, 5}).data(), kAllLanes, form));
  EXPECT_EQ(form, (AffineLanes{4096, 4, 0, 5}));
  ASSERT_TRUE(fit_affine(expand({4096, 0, 0, 5}).data(), kAllLanes, form));
  EXPECT_EQ(form, (AffineLanes{4096, 0, 0, 5}));
  ASSERT_TRUE(fit_affine(expand({4096, -8, 0, 5}).data(), kAllLanes, form));
  EXPECT_EQ(form, (AffineLanes{4096, -8, 0, 5}));
}

TEST(FitAffine, TwoStridesInEveryGroupSize) {
  for (uint8_t k = 1; k < 5; ++k) {
    const AffineLanes wanted{uint64_t{1} << 40, 4, 2048, k};
    AffineLanes form;
    ASSERT_TRUE(fit_affine(expand(wanted).data(), kAllLanes, form));
    EXPECT_EQ(form, wanted);
  }
}

TEST(FitAffine, EveryTwoStrideFormIsFoundWhateverItsStrides) {
  std::mt19937 random(1);
  std::uniform_int_distribution<int32_t> stride(-100000, 100000);
  for (int i = 0; i < 20000; ++i) {
    const AffineLanes wanted{random(), stride(random), stride(random), static_cast<uint8_t>(1 + random() % 5)};
    AffineLanes form;
    ASSERT_TRUE(fit_affine(expand(wanted).data(), kAllLanes, form));
    ASSERT_EQ(expand(form), expand(wanted));
  }
}

TEST(FitAffine, PartialMasksAreFoundWhenTwoLanesOfAGroupAreActive) {
  std::mt19937 random(2);
  for (int i = 0; i < 20000; ++i) {
    const AffineLanes wanted{random(), static_cast<int32_t>(random() % 4096) * 4,
                             static_cast<int32_t>(random() % 65536) * 4, static_cast<uint8_t>(1 + random() % 5)};
    const uint32_t active = random() | 3u;
    const Lanes lanes = expand(wanted, active);
    AffineLanes form;
    ASSERT_TRUE(fit_affine(lanes.data(), active, form)) << i;
    ASSERT_TRUE(same_on(active, lanes, form)) << i;
  }
}

TEST(FitAffine, WhateverIsFoundIsExact) {
  std::mt19937 random(3);
  int found = 0;
  for (int i = 0; i < 200000; ++i) {
    Lanes lanes;
    for (uint64_t& address : lanes) address = random() % 3 * 4;
    const uint32_t active = random() & random() & random();
    AffineLanes form;
    if (!fit_affine(lanes.data(), active, form)) continue;
    ++found;
    ASSERT_TRUE(same_on(active, lanes, form)) << i;
  }
  EXPECT_GT(found, 1000);
}

TEST(FitAffine, OneLaneAndNoLane) {
  Lanes lanes{};
  lanes[17] = 1234;
  AffineLanes form;
  ASSERT_TRUE(fit_affine(lanes.data(), 1u << 17, form));
  EXPECT_EQ(form.at(17), 1234u);
  ASSERT_TRUE(fit_affine(lanes.data(), 0, form));
  EXPECT_EQ(form, AffineLanes{});
}

TEST(FitAffine, OneLaneThatDiffersSpoilsIt) {
  for (uint32_t l = 0; l < kLanes; ++l) {
    Lanes lanes = expand({4096, 4, 512, 3});
    lanes[l] += 1;
    AffineLanes form;
    EXPECT_FALSE(fit_affine(lanes.data(), kAllLanes, form)) << l;
    EXPECT_FALSE(fit_affine(lanes.data(), kAllLanes & ~(1u << ((l + 16) % 32)), form)) << l;
  }
}

TEST(FitAffine, AStrideOver32BitsIsNoFit) {
  Lanes lanes;
  for (uint32_t l = 0; l < kLanes; ++l) lanes[l] = l * (uint64_t{1} << 31);
  AffineLanes form;
  EXPECT_FALSE(fit_affine(lanes.data(), kAllLanes, form));
  EXPECT_FALSE(fit_affine(lanes.data(), kAllLanes >> 1, form));
  for (uint32_t l = 0; l < kLanes; ++l) lanes[l] = l * ((uint64_t{1} << 31) - 1);
  EXPECT_TRUE(fit_affine(lanes.data(), kAllLanes, form));
}

TEST(FitAffine, PermutationsOfALineAreNoFit) {
  Lanes lanes;
  for (uint32_t l = 0; l < kLanes; ++l) lanes[l] = l * 7 % 32 * 4;
  AffineLanes form;
  EXPECT_FALSE(fit_affine(lanes.data(), kAllLanes, form));
}

}  // namespace
}  // namespace tilescope::trace
