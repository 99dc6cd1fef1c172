#include "view/code/code_rows.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/text.h"
#include "traced_fixture.h"

namespace tilescope::view {
namespace {
using testing::ElementsAre;

CodeSide side_of(const std::vector<std::string>& lines) {
  CodeSide side;
  side.text.lines = lines;
  side.facts.resize(lines.size() + 1);
  for (int line = 1; line <= side.lines(); ++line) side.shown.push_back(line);
  return side;
}

/// As on the screen: with the spaces before them.
std::vector<std::string> drawn(const CodeSide& side, const CodeColumns& columns) {
  std::vector<std::string> rows;
  for (const CodeRow& row : code_rows(side, columns))
    rows.push_back(std::string(static_cast<size_t>(row.column), ' ') +
                   side.text.lines[static_cast<size_t>(row.line) - 1].substr(row.begin, row.end - row.begin));
  return rows;
}

TEST(CodeRows, ALineThatFitsIsOneRowAndALongerOneGoesOnFurtherIn) {
  const CodeSide side = side_of({"  sum += a * b;", "", "  As[row][col] = A[row * K + tile + col];"});
  EXPECT_THAT(drawn(side, {40, 40}),
              ElementsAre("  sum += a * b;", "", "  As[row][col] = A[row * K + tile +", "      col];"));
  EXPECT_THAT(drawn(side, {41, 41}), ElementsAre("  sum += a * b;", "", "  As[row][col] = A[row * K + tile + col];"));
}

TEST(CodeRows, OnlyTheFirstRowLeavesRoomForTheFigure) {
  CodeSide side = side_of({"aaaa bbbb cccc dddd eeee ffff gggg", "aaaa bbbb cccc dddd"});
  side.facts[1].figure = "4.0";
  EXPECT_THAT(drawn(side, {30, 14}), ElementsAre("aaaa bbbb cccc", "    dddd eeee ffff gggg", "aaaa bbbb cccc dddd"));
}

TEST(CodeRows, ACommentThatOnlyNamesItsLineGoesWhereItDoesNotFit) {
  const CodeSide side =
      side_of({"sum += a[row] * b;  // [multiply]", "// [multiply]", "x = 1;  // see [3] for why it is"});
  EXPECT_THAT(drawn(side, {33, 33})[0], "sum += a[row] * b;  // [multiply]");
  EXPECT_THAT(drawn(side, {32, 32})[0], "sum += a[row] * b;");
  EXPECT_THAT(drawn(side, {20, 20}),
              ElementsAre("sum += a[row] * b;", "// [multiply]", "x = 1;  // see [3]", "    for why it is"));
}

TEST(CodeRows, WithoutSpacesALineBreaksBehindACommaOrWhereItIsFull) {
  EXPECT_THAT(drawn(side_of({"function(first,second,third)"}), {16, 16}),
              ElementsAre("function(first,", "    second,", "    third)"));
  EXPECT_THAT(drawn(side_of({"abcdefghijklmnopqrst"}), {16, 16}), ElementsAre("abcdefghijklmnop", "    qrst"));
  EXPECT_THAT(drawn(side_of({"ääääääääääääääääöö"}), {16, 16}), ElementsAre("ääääääääääääääää", "    öö"));
}

TEST(CodeRows, AnArraysIndicesAreNotBroken) {
  EXPECT_THAT(drawn(side_of({"As[threadRow][threadCol] = a;"}), {22, 22}),
              ElementsAre("As[threadRow]", "    [threadCol] = a;"));
}

TEST(WrappedCode, FollowsTheSameRules) {
  EXPECT_THAT(wrapped_code("  sum += a * b;", 15), ElementsAre("  sum += a * b;"));
  EXPECT_THAT(wrapped_code("", 40), ElementsAre(""));
  EXPECT_THAT(wrapped_code("  C[row * N + col] = alpha * sum;", 22),
              ElementsAre("  C[row * N + col] =", "      alpha * sum;"));
  EXPECT_THAT(wrapped_code("abcdefghijklmno\u00B7pqrst", 16), ElementsAre("abcdefghijklmno\u00B7", "    pqrst"));
}

TEST(WrappedCode, NoRoomAtAllIsNoEndlessLoop) {
  for (const int columns : {0, -5})
    EXPECT_THAT(wrapped_code("int sum = first + second;", columns), ElementsAre("int sum =", "first +", "second;"));
}

TEST(CodeRows, OfEveryKernelNothingIsLostAndNothingIsTooWide) {
  const auto without_spaces = [](std::string text) {
    std::erase_if(text, [](char c) { return c == ' ' || c == '\t'; });
    return text;
  };
  for (const kernel::Kernel& kernel : shipped_kernels().kernels)
    for (const int columns : {24, 41, 60}) {
      const CodeSide side = side_of(lines_of(kernel.source));
      std::vector<std::string> shown(side.text.lines.size());
      for (const CodeRow& row : code_rows(side, {columns, columns})) {
        const std::string& line = side.text.lines[static_cast<size_t>(row.line) - 1];
        shown[static_cast<size_t>(row.line) - 1] += line.substr(row.begin, row.end - row.begin);
        EXPECT_LE(row.column + column_of(line, row.end) - column_of(line, row.begin), columns) << line;
      }
      for (size_t i = 0; i < shown.size(); ++i) {
        const std::string all = without_spaces(side.text.lines[i]), part = without_spaces(shown[i]);
        const std::string rest = all.substr(std::min(part.size(), all.size()));
        EXPECT_EQ(part, all.substr(0, part.size()));
        EXPECT_TRUE(rest.empty() || rest.starts_with("//[")) << rest;
      }
    }
}

}  // namespace
}  // namespace tilescope::view
