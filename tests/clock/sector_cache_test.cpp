#include "clock/sector_cache.h"

#include <gtest/gtest.h>

namespace tilescope::clock {
namespace {

constexpr uint64_t kLine = 128;

TEST(SectorCache, HoldsALineUntilMoreRecentOnesNeedItsPlace) {
  SectorCache cache(16 * kLine);  // One set of sixteen lines.
  for (uint64_t line = 0; line < 16; ++line) cache.hold(line).sectors = 0b0001;
  cache.hold(0);  // The least recently used one is now 1.
  cache.hold(16).sectors = 0b0001;
  EXPECT_EQ(cache.hold(0).sectors, 0b0001);
  EXPECT_EQ(cache.hold(2).sectors, 0b0001);
  EXPECT_EQ(cache.hold(16).sectors, 0b0001);
  EXPECT_EQ(cache.hold(1).sectors, 0);
}

TEST(SectorCache, ANewLineHasNoSectors) {
  SectorCache cache(64 * kLine);
  SectorCache::Line& line = cache.hold(7);
  EXPECT_EQ(line.number, 7u);
  EXPECT_EQ(line.sectors, 0);
  line.sectors |= 0b0100;
  EXPECT_EQ(cache.hold(7).sectors, 0b0100);
}

TEST(SectorCache, HoldsNearlyAsManyLinesAsItHasBytes) {
  const uint64_t lines = 128 * 1024 / kLine;
  SectorCache cache(lines * kLine);
  for (uint64_t line = 0; line < lines / 2; ++line) cache.hold(line).sectors = 1;
  uint64_t held = 0;
  for (uint64_t line = 0; line < lines / 2; ++line) held += cache.hold(line).sectors;
  EXPECT_GT(held, lines / 2 * 95 / 100);
}

}  // namespace
}  // namespace tilescope::clock
