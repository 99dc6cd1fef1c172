#include "view/words.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/words.h"
#include "view/picture_checks.h"
#include "view/traced_fixture.h"

namespace tilescope::view {
namespace {

TEST(Words, BytesInTheUnitThatFits) {
  EXPECT_EQ(bytes_text(96), "96 bytes");
  EXPECT_EQ(bytes_text(8192), "8 KiB");
  EXPECT_EQ(bytes_text(8704), "8.5 KiB");
  EXPECT_EQ(bytes_text(3 << 20), "3.0 MiB");
}

TEST(Words, LanesAsStretches) {
  EXPECT_EQ(lanes_text(0), "0 lanes");
  EXPECT_EQ(lanes_text(1u << 31), "lane 31");
  EXPECT_EQ(lanes_text(0xffffffff), "lanes 0 to 31");
  EXPECT_EQ(lanes_text(0x00030001), "lanes 0 and 16, 17");
  EXPECT_EQ(lanes_text(0x1111), "lanes 0, 4, 8 and 12");
  EXPECT_EQ(lanes_text(0x11111111), "8 lanes");
}

TEST(Words, HowManyInstructionsThereAreIsLeftOutUnderAQuestion) {
  const auto traced = traced_of("04");
  Focus focus = focus_at(*traced);
  EXPECT_EQ(instruction_text(focus, {0, 5}), fmt::format("instruction 6 of {}", grouped(traced->timeline.steps(0))));
  focus.hidden.add(session::Fact::Totals);
  EXPECT_EQ(instruction_text(focus, {0, 5}), "instruction 6");
}

TEST(Words, AreBrokenWhereALineMayEnd) {
  const auto lines = [](const std::string& text, size_t characters) {
    const float room = kMeasure.width(std::string(characters, 'x'), Font::Text, 10);
    return wrapped(kMeasure, text, Font::Text, 10, room);
  };
  using Lines = std::vector<std::string>;
  EXPECT_EQ(lines("4224 at a time", 14), Lines{"4224 at a time"});
  EXPECT_EQ(lines("4224 at a time", 9), (Lines{"4224 at a", "time"}));
  EXPECT_EQ(lines("4224 at a time", 3), (Lines{"4224", "at", "a", "time"})) << "no word is broken";
  EXPECT_GT(lines("每个线程块的线程", 4).size(), 1U) << "there are no blanks to wait for";
}

TEST(Words, OnlyWhereTilesAreKeptDoesTheLoopGoByThem) {
  EXPECT_STREQ(tile_word(traced_of("04")->accesses), "k-tile");
  EXPECT_STREQ(tile_word(traced_of("02")->accesses), "round");
  EXPECT_STREQ(tile_word(traced_of_lesson("21-attention/flash.cu", {64, 64, 1}, {})->accesses), "tile")
      << "of keys, no part of a sum over k";
}

TEST(Words, ARegionIsNamedByItsFirstAndLast) { EXPECT_EQ(region_text({0, 5, 32, 6}), "[0…31][5]"); }

}  // namespace
}  // namespace tilescope::view
