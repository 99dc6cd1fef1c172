#include "clock/number_map.h"

#include <gtest/gtest.h>

namespace tilescope::clock {
namespace {

TEST(NumberMap, KeepsEachNumbersValueWhileItGrows) {
  constexpr uint64_t kNumbers = 10'000, kApart = 1u << 20;
  NumberMap<uint64_t> map;
  EXPECT_EQ(map.find(0), nullptr);
  for (uint64_t i = 0; i < kNumbers; ++i) {
    EXPECT_EQ(map[i * kApart], 0u) << "a new value is zero";
    map[i * kApart] = i + 1;
  }
  for (uint64_t i = 0; i < kNumbers; ++i) {
    ASSERT_NE(map.find(i * kApart), nullptr);
    EXPECT_EQ(*map.find(i * kApart), i + 1);
    EXPECT_EQ(map.find(i * kApart + 1), nullptr);
  }
  uint64_t seen = 0, sum = 0;
  map.for_each([&](uint64_t number, uint64_t value) {
    ++seen;
    sum += value;
    EXPECT_EQ(number, (value - 1) * kApart);
  });
  EXPECT_EQ(seen, kNumbers);
  EXPECT_EQ(sum, kNumbers * (kNumbers + 1) / 2);
}

}  // namespace
}  // namespace tilescope::clock
