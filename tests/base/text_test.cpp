#include "base/text.h"

#include <gmock/gmock.h>

namespace tilescope {
namespace {
using testing::ElementsAre;
using testing::IsEmpty;

TEST(LinesOf, KeepsEmptyLinesAndBeginsNoneAfterTheLastEnd) {
  EXPECT_THAT(lines_of("a\n\nb\n"), ElementsAre("a", "", "b"));
  EXPECT_THAT(lines_of("a\nb"), ElementsAre("a", "b"));
  EXPECT_THAT(lines_of("\n"), ElementsAre(""));
  EXPECT_THAT(lines_of(""), IsEmpty());
}

TEST(LinesOf, TakesTheEndsThatWindowsWrites) {
  EXPECT_THAT(lines_of("a\r\n\r\nb\r\n"), ElementsAre("a", "", "b"));
  EXPECT_THAT(lines_of("a\rb\r"), ElementsAre("a\rb"));
}

TEST(Trimmed, LosesWhatIsBlankAroundItAndNothingInside) {
  EXPECT_EQ(trimmed(" \t a  b\r\n"), "a  b");
  EXPECT_EQ(trimmed("a"), "a");
  EXPECT_EQ(trimmed(" \n\t "), "");
  EXPECT_EQ(trimmed(""), "");
}

TEST(NextCharacter, DecodesUtf8AndStandsBehindIt) {
  const std::string text = "aé矩😀";
  size_t at = 0;
  EXPECT_EQ(next_character(text, at), U'a');
  EXPECT_EQ(next_character(text, at), U'é');
  EXPECT_EQ(next_character(text, at), U'矩');
  EXPECT_EQ(next_character(text, at), U'😀');
  EXPECT_EQ(at, text.size());
}

TEST(NextCharacter, OfBytesThatAreNotUtf8EndsWithTheText) {
  for (const std::string text : {"\xff", "\xe7\x9f", "\x80\x80", "\xf0"}) {
    size_t at = 0;
    while (at < text.size()) next_character(text, at);
    EXPECT_EQ(at, text.size());
  }
}

TEST(NamesText, OfManyNamesSaysHowManyFollow) {
  EXPECT_EQ(names_text({}), "");
  EXPECT_EQ(names_text({"a", "b"}), "a, b");
  std::vector<std::string> many(5000, "k");
  EXPECT_THAT(names_text(many), testing::EndsWith("k, k and 4980 more"));
}

TEST(DisplayWidth, CountsColumns) {
  EXPECT_EQ(display_width(""), 0U);
  EXPECT_EQ(display_width("warp"), 4U);
  EXPECT_EQ(display_width("µs ≤ 3"), 6U);
  EXPECT_EQ(display_width("矩阵 C"), 6U);
  EXPECT_EQ(display_width("（是）、"), 8U);
  EXPECT_EQ(display_width("e\u0301"), 1U);
}

TEST(DisplayWidth, OfEscapeSequencesIsNone) {
  EXPECT_EQ(display_width("\x1b[1;31m矩\x1b[0m"), 2U);
  EXPECT_EQ(display_width("a\x1b"), 1U);
  EXPECT_EQ(display_width("a\x1b[1"), 1U);
}

TEST(MarkupEscaped, KeepsLinesAndTabsAndNoOtherControlCharacter) {
  EXPECT_EQ(markup_escaped("a < b && c > \"d\"\n\t\x1b[1m\x01 矩"),
            "a &lt; b &amp;&amp; c &gt; &quot;d&quot;\n\t[1m 矩");
}

}  // namespace
}  // namespace tilescope
