#include "base/line_break.h"

#include "base/text.h"

namespace tilescope {
namespace {

constexpr std::u32string_view kOpening = U"([{“‘（［｛「『【《〈〔";
constexpr std::u32string_view kClosing = U" )]}”’）］｝」』】》〉〕,.;:!?%，。、；：！？％…—·";

}  // namespace

bool is_cjk(char32_t character) { return character >= 0x2e80; }

bool may_break_between(char32_t before, char32_t after) {
  if (!is_cjk(before) && !is_cjk(after)) return false;
  return kOpening.find(before) == kOpening.npos && kClosing.find(after) == kClosing.npos;
}

std::vector<std::string> pieces_of(const std::string& text) {
  std::vector<std::string> pieces;
  char32_t before = U' ';
  for (size_t begin = 0, end = 0; begin < text.size(); begin = end) {
    const char32_t here = next_character(text, end);
    if (before == U' ' || may_break_between(before, here)) pieces.emplace_back();
    pieces.back() += text.substr(begin, end - begin);
    before = here;
  }
  return pieces;
}

}  // namespace tilescope
