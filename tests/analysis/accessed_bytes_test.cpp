#include "analysis/accessed_bytes.h"

#include <array>

#include <gtest/gtest.h>

namespace tilescope::analysis {
namespace {
using Ranges = std::vector<ByteRange>;

const std::vector<Allocation> kArrays{{"b", Space::Global, 0x2000, 4096, Element::Byte, {}},
                                      {"a", Space::Global, 0x1000, 256, Element::Byte, {}}};

/// A warp's access to 4 bytes at `first`, and `step` on for each lane.
void access(AccessedBytes& bytes, trace::AccessKind kind, uint64_t first, uint64_t step, uint32_t lanes = ~0u,
            bool is_volatile = false) {
  std::array<uint64_t, trace::kLanes> addresses{};
  for (size_t lane = 0; lane < addresses.size(); ++lane) addresses[lane] = first + lane * step;
  trace::Access access;
  access.at.active = lanes;
  access.kind = kind;
  access.is_volatile = is_volatile;
  access.addresses = addresses.data();
  bytes.access(access);
}

TEST(AccessedBytes, RangesAreThoseOfTheLanesByWhatTheyDo) {
  AccessedBytes bytes(kArrays);
  access(bytes, trace::AccessKind::Load, 0x2000, 4);
  access(bytes, trace::AccessKind::Load, 0x1000, 0);
  access(bytes, trace::AccessKind::Store, 0x2100, 8, 0b1011);
  access(bytes, trace::AccessKind::Atomic, 0x2ffc, 0);
  access(bytes, trace::AccessKind::Load, 0x1080, 4, 1, true);
  access(bytes, trace::AccessKind::Load, 0x5000, 4);
  const auto ranges = bytes.ranges();
  ASSERT_TRUE(ranges);
  EXPECT_EQ(ranges->read, (Ranges{{0x1000, 4}, {0x2000, 128}}));
  EXPECT_EQ(ranges->written, (Ranges{{0x2100, 4}, {0x2108, 4}, {0x2118, 4}}));
  EXPECT_EQ(ranges->strong, (Ranges{{0x1080, 4}, {0x2ffc, 4}}));
}

TEST(AccessedBytes, WorkersTogether) {
  AccessedBytes one(kArrays), other(kArrays);
  access(one, trace::AccessKind::Load, 0x2000, 4);
  access(other, trace::AccessKind::Load, 0x2080, 4);
  one.merge(other);
  EXPECT_EQ(one.ranges()->read, (Ranges{{0x2000, 256}}));
}

TEST(AccessedBytes, RangesThatMeetAreJoined) {
  Ranges ranges{{8, 4}, {0, 4}, {4, 4}, {6, 1}, {20, 4}};
  put_in_order(ranges);
  EXPECT_EQ(ranges, (Ranges{{0, 12}, {20, 4}}));
  EXPECT_EQ(common_bytes(ranges, {{10, 12}}), (ByteRange{10, 2}));
  EXPECT_FALSE(common_bytes(ranges, {{12, 8}}));
}

}  // namespace
}  // namespace tilescope::analysis
