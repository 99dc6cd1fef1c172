#include "cli/text.h"

#include <gtest/gtest.h>

namespace tilescope::cli {
namespace {

TEST(Text, TableAlignsByWidthAndLeavesNoTrailingSpaces) {
  Table table({Align::Left, Align::Right, Align::Left});
  table.row({"a", "1", "x"});
  table.row({"\x1b[1mlonger\x1b[0m", "1 024"});
  table.row({"µs", "7", "last"});
  EXPECT_EQ(table.text(2),
            "  a           1  x\n"
            "  \x1b[1mlonger\x1b[0m  1 024\n"
            "  µs          7  last\n");
}

TEST(Text, TableTakesAChineseCharacterAsTwoColumns) {
  Table table({Align::Left, Align::Left});
  table.row({"访存", "x"});
  table.row({"a", "y"});
  EXPECT_EQ(table.text(),
            "访存  x\n"
            "a     y\n");
}

TEST(Text, ShortenedEndsBetweenCharactersWithinItsWidth) {
  EXPECT_EQ(shortened("abcdefgh", 8), "abcdefgh");
  EXPECT_EQ(shortened("abcdefghi", 8), "abcde...");
  EXPECT_EQ(shortened("访存合并了", 9), "访存合...");
  EXPECT_EQ(shortened("访存合并了", 8), "访存...");
}

TEST(Text, NumbersAreScaledAndGivenUnits) {
  EXPECT_EQ(scaled(999), "999");
  EXPECT_EQ(scaled(1500), "1.50 k");
  EXPECT_EQ(scaled(134217728), "134.2 M");
  EXPECT_EQ(in_bytes(900), "900 B");
  EXPECT_EQ(in_bytes(24576), "24.0 KiB");
  EXPECT_EQ(in_bytes(3.0 * 1024 * 1024 * 1024), "3.00 GiB");
}

TEST(Text, WrapsAtSpacesAndIndentsTheRest) {
  EXPECT_EQ(wrapped("one two three four", 9, 2), "one two\n  three\n  four");
  EXPECT_EQ(wrapped("unbreakable", 3), "unbreakable");
  EXPECT_EQ(wrapped("", 10), "");
  EXPECT_EQ(wrapped("一二三四五", 6), "一二三\n四五");
  EXPECT_EQ(wrapped("第 12 行，好", 8), "第 12\n行，好") << "no line begins with a comma";
}

TEST(Text, WithoutColourTextStaysAsItIs) {
  EXPECT_EQ(Style{false}.bad("wrong"), "wrong");
  EXPECT_EQ(Style{true}.bad("wrong"), "\x1b[1;31mwrong\x1b[0m");
}

}  // namespace
}  // namespace tilescope::cli
