#pragma once

#include <string>
#include <vector>

namespace tilescope {

/// Whether a character is Chinese, Japanese or Korean, or one of their full-width signs.
bool is_cjk(char32_t character);

/// Whether a line may end between two characters that have no space between them: beside a CJK character, but not
/// before a blank or a sign that closes and not after one that opens.
bool may_break_between(char32_t before, char32_t after);

/// The parts between which a line may break, with their trailing blanks.
std::vector<std::string> pieces_of(const std::string& text);

}  // namespace tilescope
