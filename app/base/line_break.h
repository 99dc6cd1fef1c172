#pragma once

#include <string>
#include <vector>

namespace tilescope {

/// Of Chinese, Japanese or Korean writing, or one of its full-width signs.
bool is_cjk(char32_t character);

/// Whether a line may end between two characters that have no space between them: beside a CJK character, but not
/// before a blank or a sign that closes and not after one that opens.
bool may_break_between(char32_t before, char32_t after);

/// The parts between which a text may be broken into lines, with the blanks behind them.
std::vector<std::string> pieces_of(const std::string& text);

}  // namespace tilescope
