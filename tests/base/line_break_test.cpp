#include "base/line_break.h"

#include <string>

#include <gmock/gmock.h>

#include "base/text.h"

namespace tilescope {
namespace {

/// The text with a bar wherever a line may break.
std::string with_bars(const std::string& text) {
  std::string bars;
  char32_t before = 0;
  for (size_t at = 0; at < text.size();) {
    const size_t begin = at;
    const char32_t here = next_character(text, at);
    if (begin > 0 && may_break_between(before, here)) bars += '|';
    bars += text.substr(begin, at - begin);
    before = here;
  }
  return bars;
}

TEST(LineBreak, ChineseBreaksBetweenItsCharacters) { EXPECT_EQ(with_bars("共享内存"), "共|享|内|存"); }

TEST(LineBreak, ClosingSignsStayWithWhatIsBeforeAndOpeningOnesWithWhatFollows) {
  EXPECT_EQ(with_bars("对，“好”（是）。"), "对，|“好”|（是）。");
  EXPECT_EQ(with_bars("到50%吗?"), "到|50%|吗?");
}

TEST(LineBreak, LatinWordsStayWhole) {
  EXPECT_EQ(with_bars("warp: lanes"), "warp: lanes");
  EXPECT_EQ(with_bars("用GPU算"), "用|GPU|算");
}

TEST(LineBreak, PiecesEndAtBlanksAndBetweenChineseCharacters) {
  EXPECT_THAT(pieces_of("8 个 bank，好"), testing::ElementsAre("8 ", "个 ", "bank，", "好"));
  EXPECT_TRUE(pieces_of("").empty());
}

}  // namespace
}  // namespace tilescope
