// How arrays are placed in the figure, in kernels unlike those of the catalogue.
#include "run/block_accesses.h"

#include <gtest/gtest.h>

#include "traced.h"

namespace tilescope::run {
namespace {
using analysis::Traced;

// Each leaves the number of a float of 64, four rows of 16, in %r7.
constexpr const char* kSplit = "shr.u32 %r5, %r0, 4;\nand.b32 %r6, %r0, 15;\n";
constexpr const char* kPlain = "mov.u32 %r7, %r0;\n";
constexpr const char* kSwapped = "shl.b32 %r7, %r6, 4;\nadd.s32 %r7, %r7, %r5;\n";

/// `in` and s are 16 rows of 16 floats; a thread loads float `from` of `in` and stores it to float `to` of s.
Traced copied(const std::string& from, const std::string& to) {
  return Traced(
      kSplit + from + "mul.wide.u32 %rd2, %r7, 4;\nadd.s64 %rd2, %rd0, %rd2;\nld.global.f32 %f0, [%rd2];\n" + to +
          "shl.b32 %r8, %r7, 2;\nmov.u32 %r9, s;\nadd.s32 %r9, %r9, %r8;\nst.shared.f32 [%r9], %f0;\nbar.sync 0;\n",
      16);
}

BlockAccesses accesses_of(const Traced& run) {
  kernel::Configuration configuration;
  kernel::ArrayShape in;
  in.name = "in";
  configuration.arrays = {in};
  return BlockAccesses(run.program->function(), *run.trace, *run.timeline, configuration);
}

TracedArray staged() {
  TracedArray array;
  array.allocation = {"s", Space::Shared, 256, 3 * 1024 + 128, Element::F32, {4, 2, 4, 4}, 1024};
  array.lay_out({1});
  return array;
}

// Stages of 1024 bytes below one another, of which 128 are the array's, two pieces of 4 x 4 beside one another.
TEST(BlockAccesses, PartsOfAnArrayLieWhereTheDescriptionHasThem) {
  const TracedArray array = staged();
  EXPECT_EQ(array.rows, 16u);
  EXPECT_EQ(array.columns, 8u);
  EXPECT_EQ(array.index_of(256 + 2 * 1024 + 64 + 16 + 4), (2u * 4 + 1) * 8 + 4 + 1) << "s[2][1][1][1]";
  for (uint64_t index = 0; index < 16u * 8; ++index) EXPECT_EQ(array.index_of(array.address_of(index)), index);
  EXPECT_TRUE(array.allocation.contains(256 + 1024 + 127));
  EXPECT_FALSE(array.allocation.contains(256 + 1024 + 128)) << "what lies between the stages is not its own";
  EXPECT_EQ(element_name(array.allocation, 256 + 3 * 1024 + 64 + 4), "s[3][1][0][1]");
}

TEST(BlockAccesses, TheRegionOfAnAccessHoldsAllOfItsElements) {
  TracedArray array;
  array.allocation = {"A", Space::Global, 256, 4 * 16 * 4 - 8, Element::F32, {4, 16}, 0};
  array.rows = 4, array.columns = 16;
  const auto address = [](uint64_t row, uint64_t column) { return 256 + (row * 16 + column) * 4; };
  const uint64_t in_a_row[] = {address(1, 5), address(1, 12), address(1, 3)};
  EXPECT_EQ(array.region_of(in_a_row, 0b111, 4), (Region{1, 3, 2, 13}));
  EXPECT_EQ(array.region_of(in_a_row, 0b010, 16), (Region{1, 12, 2, 16})) << "of one lane";
  const uint64_t across_rows[] = {address(0, 14), address(0, 15), address(1, 0), address(1, 7)};
  EXPECT_EQ(array.region_of(across_rows, 0b1111, 4), (Region{0, 0, 2, 16})) << "wider than between its ends";
  const uint64_t beyond[] = {address(3, 12), address(3, 13), address(3, 14)};
  EXPECT_EQ(array.region_of(beyond, 0b111, 4), (Region{3, 12, 4, 14})) << "only what is in the array";
  const TracedArray parts = staged();
  const uint64_t of_two_parts[] = {256 + 12, 256 + 64};
  EXPECT_EQ(parts.region_of(of_two_parts, 0b11, 4), (Region{0, 3, 1, 5})) << "beside one another";
}

TEST(BlockAccesses, LanesThatStoreARowOfDifferentRowsFillATransposedArray) {
  const Traced run = copied(kSwapped, kPlain);  // s[t / 16][t % 16] = in[t % 16][t / 16]
  const BlockAccesses accesses = accesses_of(run);
  const TracedArray* shared = accesses.find(Space::Shared, "s");
  ASSERT_TRUE(shared);
  EXPECT_EQ(shared->columns, 16u);
  EXPECT_EQ(shared->side, Side::A);
  EXPECT_TRUE(shared->transposed);
}

TEST(BlockAccesses, LanesThatStoreAColumnOfARowFillATransposedArray) {
  const Traced run = copied(kPlain, kSwapped);  // s[t % 16][t / 16] = in[t / 16][t % 16]
  EXPECT_TRUE(accesses_of(run).find(Space::Shared, "s")->transposed);
}

TEST(BlockAccesses, WhatIsStoredAsItWasLoadedIsNotTransposed) {
  const Traced rows = copied(kPlain, kPlain);
  EXPECT_FALSE(accesses_of(rows).find(Space::Shared, "s")->transposed);
  EXPECT_EQ(accesses_of(rows).find(Space::Shared, "s")->side, Side::A);
  const Traced columns = copied(kSwapped, kSwapped);
  EXPECT_FALSE(accesses_of(columns).find(Space::Shared, "s")->transposed);
}

TEST(BlockAccesses, ARowThatIsFilledFromADiagonalIsNotTransposed) {
  const Traced run = copied("mad.lo.u32 %r7, %r6, 16, %r6;\n", kPlain);  // s[t / 16][t % 16] = in[t % 16][t % 16]
  EXPECT_FALSE(accesses_of(run).find(Space::Shared, "s")->transposed);
}

TEST(BlockAccesses, ARowThatIsFilledFromOneElementIsNotTransposed) {
  const Traced run = copied("mov.u32 %r7, 0;\n", kPlain);
  EXPECT_FALSE(accesses_of(run).find(Space::Shared, "s")->transposed);
}

TEST(BlockAccesses, KnowsWhatEachWarpReadsAndTouches) {
  const Traced run = copied(kSwapped, kPlain);
  const BlockAccesses accesses = accesses_of(run);
  const TracedArray *in = accesses.find(Space::Global, "in"), *shared = accesses.find(Space::Shared, "s");
  EXPECT_EQ(in->touched, (Region{0, 0, 16, 4}));
  EXPECT_EQ(in->warp_read[1], (Region{0, 2, 16, 4}));
  EXPECT_EQ(shared->warp_touched[0], (Region{0, 0, 2, 16}));
  EXPECT_TRUE(shared->warp_read[0].empty()) << "it is stored to alone";
}

TEST(BlockAccesses, AnAccessOfSeveralElementsTouchesAllOfThem) {
  const Traced run(
      "shl.b32 %r3, %r0, 4;\nmov.u32 %r4, s;\nadd.s32 %r4, %r4, %r3;\nmov.f32 %f0, 0f00000000;\n"
      "st.shared.v4.f32 [%r4], {%f0, %f0, %f0, %f0};\n",
      4);
  EXPECT_EQ(accesses_of(run).find(Space::Shared, "s")->warp_touched[1], (Region{32, 0, 64, 4}));
}

}  // namespace
}  // namespace tilescope::run
