#include "program/unordered.h"

#include <gtest/gtest.h>

namespace tilescope::program {
namespace {
using Ranges = std::vector<analysis::ByteRange>;

/// The first work of `stream`, after what has ended.
Operation work(uint32_t stream, std::vector<uint64_t> before, Ranges read, Ranges written, Ranges strong = {}) {
  Operation operation;
  operation.stream = stream;
  operation.number = 1;
  operation.before = std::move(before);
  operation.name = std::to_string(stream);
  operation.same = operation.name;
  operation.accessed = std::make_shared<const analysis::AccessedRanges>(
      analysis::AccessedRanges{std::move(read), std::move(written), std::move(strong)});
  return operation;
}

const Ranges kFirst{{100, 8}}, kSecond{{108, 8}}, kBoth{{104, 8}};

TEST(Unordered, AReadOfWhatIsBeingWrittenIsFound) {
  Unordered unordered;
  EXPECT_FALSE(unordered.add(work(0, {}, {}, kFirst)));
  const auto pair = unordered.add(work(1, {}, kBoth, {}));
  ASSERT_TRUE(pair);
  EXPECT_EQ(pair->earlier.name, "0");
  EXPECT_TRUE(pair->earlier_writes);
  EXPECT_FALSE(pair->later_writes);
  EXPECT_EQ(pair->bytes, (analysis::ByteRange{104, 4}));
}

TEST(Unordered, OrderAndOtherBytesAndReadsAreNoConflict) {
  Unordered unordered;
  EXPECT_FALSE(unordered.add(work(0, {}, {}, kFirst)));
  EXPECT_FALSE(unordered.add(work(1, {}, {}, kSecond)));
  EXPECT_FALSE(unordered.add(work(2, {1, 1}, kBoth, {}))) << "it begins after both";
  EXPECT_FALSE(unordered.add(work(3, {1, 1}, kBoth, {})));
  unordered.waited({1, 1, 1, 1});
  EXPECT_FALSE(unordered.add(work(4, {}, {}, kBoth))) << "the host has waited for the others";
}

TEST(Unordered, AtomicsOfBothAreNone) {
  Unordered unordered;
  EXPECT_FALSE(unordered.add(work(0, {}, {}, {}, kFirst)));
  EXPECT_FALSE(unordered.add(work(1, {}, {}, {}, kFirst)));
  EXPECT_TRUE(unordered.add(work(2, {}, kFirst, {})));
}

TEST(Unordered, TheSameWorkWritesTheSame) {
  Unordered unordered;
  EXPECT_FALSE(unordered.add(work(0, {}, {}, kFirst)));
  Operation again = work(1, {}, {}, kFirst);
  again.same = "0";
  EXPECT_FALSE(unordered.add(again));
  EXPECT_TRUE(unordered.add(work(2, {}, {}, kFirst)));
}

}  // namespace
}  // namespace tilescope::program
