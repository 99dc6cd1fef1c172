#include "lesson/text.h"

#include <tuple>

#include <gtest/gtest.h>

#include "lesson/answer.h"
#include "lesson/sheet.h"

namespace tilescope::lesson {
namespace {

Text read(std::string_view markdown) { return parse_text(markdown, {"lesson.md", 10, 1}); }

TEST(ParseText, ReadsBlocksAndSpans) {
  const Text text =
      read("A **warp** *runs* `threadIdx.x` on `[load A]`,\n$M \\cdot N$ times; see [this](a.md).\n\n- one\n- two\n");
  ASSERT_EQ(text.size(), 2U);
  const Spans& spans = text[0].spans;
  ASSERT_EQ(spans.size(), 13U);
  EXPECT_TRUE(spans[1].bold);
  EXPECT_TRUE(spans[3].italic);
  EXPECT_EQ(spans[5].kind, SpanKind::Code);
  EXPECT_EQ(spans[7].kind, SpanKind::Anchor);
  EXPECT_EQ(spans[7].target, "load A");
  EXPECT_EQ(spans[9].kind, SpanKind::Formula);
  EXPECT_EQ(spans[9].text, "M · N");
  EXPECT_EQ(spans[11].kind, SpanKind::Link);
  EXPECT_EQ(spans[11].target, "a.md");
  EXPECT_EQ(text[1].kind, BlockKind::List);
  ASSERT_EQ(text[1].children.size(), 2U);
  EXPECT_EQ(plain_text(text[1].children[1].children[0].spans), "two");
}

TEST(ParseText, AValueKeepsItsExpressionWhateverItsCharacters) {
  const Text text = read("First line,\nthen {{ 2 * M * at(\"load_A\").sectors as 1 }} of it.\n");
  ASSERT_EQ(text[0].spans.size(), 3U);
  const Span& value = text[0].spans[1];
  EXPECT_EQ(value.kind, SpanKind::Value);
  EXPECT_EQ(value.target, "2 * M * at(\"load_A\").sectors");
  EXPECT_EQ(value.format, "1");
  EXPECT_EQ(value.at.line, 11);
  EXPECT_EQ(value.at.column, 9);
}

TEST(ParseText, ValuesStandInTablesToo) {
  const Text text = read("| a | b |\n|---|---|\n| {{ x || y }} | {{ z }} |\n");
  ASSERT_EQ(text[0].kind, BlockKind::Table);
  EXPECT_EQ(text[0].children[1].children[0].spans[0].target, "x || y");
  EXPECT_EQ(text[0].children[1].children[1].spans[0].target, "z");
}

TEST(ParseText, LinesOfAKernelAreNamed) {
  const Text text = read("```lines\nload A\n04_shared_tile: tiles ready\n```\n");
  ASSERT_EQ(text[0].kind, BlockKind::KernelLines);
  EXPECT_EQ(text[0].lines[0].anchor, "load A");
  EXPECT_EQ(text[0].lines[1].kernel, "04_shared_tile");
  EXPECT_EQ(text[0].lines[1].anchor, "tiles ready");
}

TEST(ParseText, DeepNestingDoesNotExhaustTheStack) {
  EXPECT_FALSE(read(std::string(20000, '>') + " deep").empty());
  EXPECT_EQ(read("{{ never closed").size(), 1U);
}

TEST(ReadableFormula, UsesCharacters) {
  EXPECT_EQ(readable_formula("2 \\cdot M^{2}"), "2 · M²");
  EXPECT_EQ(readable_formula("\\frac{K}{16}"), "K/16");
  EXPECT_EQ(readable_formula("\\frac{a + b}{c}"), "(a + b)/c");
  EXPECT_EQ(readable_formula("\\lceil N / 32 \\rceil"), "⌈ N / 32 ⌉");
  EXPECT_EQ(readable_formula("x^{n}_{i}"), "x^(n)ᵢ");
  EXPECT_EQ(readable_formula("C_{ij} = A_{ik} \\cdot B_{kj}"), "Cᵢⱼ = Aᵢₖ · Bₖⱼ");
  EXPECT_EQ(readable_formula("x_{n-1} + t_{M} + t_{FMA}"), "xₙ₋₁ + t_M + t_(FMA)");
  EXPECT_EQ(readable_formula(std::string(500, '{')), "");
}

TEST(FormatValue, IsShortAndGrouped) {
  EXPECT_EQ(format_value(1234567, ""), "1\u00A0234\u00A0567");
  EXPECT_EQ(format_value(-1234, ""), "-1\u00A0234");
  EXPECT_EQ(format_value(16.5, ""), "16.5");
  EXPECT_EQ(format_value(3.14159, "2"), "3.14");
  EXPECT_EQ(format_value(0.125, "%"), "12.5\u00A0%");
  EXPECT_EQ(format_value(24576, "bytes"), "24\u00A0KiB");
  EXPECT_EQ(format_value(17179869184.0, "si"), "17.2\u00A0G");
  EXPECT_EQ(format_value(1.03e-3, "time"), "1.03\u00A0ms");
  EXPECT_EQ(format_value(112e-6, "time"), "112\u00A0µs");
}

TEST(ToMarkdown, GivesBackWhatItRead) {
  const std::string markdown =
      "A **warp** on `[load A]`: $M \\cdot N$.\n\n- one\n- two\n\n| a | b |\n|---|---|\n| c | d |\n\n```cuda\nint "
      "x;\n```\n\n";
  EXPECT_EQ(to_markdown(read(markdown)), markdown);
  // A word with a card is a part of its own.
  Spans spans(4);
  const std::pair<const char*, bool> parts[] = {
      {"How many ", false}, {"different ", true}, {"warps", true}, {" read?", false}};
  for (size_t i = 0; i < spans.size(); ++i) std::tie(spans[i].text, spans[i].italic) = parts[i];
  EXPECT_EQ(to_markdown(spans), "How many *different warps* read?");
}

}  // namespace
}  // namespace tilescope::lesson
