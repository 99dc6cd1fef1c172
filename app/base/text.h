#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tilescope {

/// The lines of a text without their ends, which are \n or \r\n. After the last line's end begins no other.
std::vector<std::string> lines_of(std::string_view text);

/// The line of a place in a text, from 1.
int line_of(std::string_view text, size_t place);

/// That and the column, in bytes, from 1.
std::pair<int, int> line_and_column(std::string_view text, size_t place);

/// The text without surrounding blanks, tabs and line ends.
std::string_view trimmed(std::string_view text);

/// "a, b, c", of many names the first and how many more.
std::string names_text(const std::vector<std::string>& names);

/// Decodes the code point of UTF-8 text at `at` and advances `at` past it; invalid bytes give an unspecified one.
char32_t next_character(std::string_view text, size_t& at);

/// Columns that UTF-8 text takes in a terminal: two for a wide or full-width character (Unicode Standard Annex 11),
/// none for a combining mark or an escape sequence.
size_t display_width(std::string_view text);

/// UTF-8 text as HTML, SVG and other XML have it between tags and in quotes; without the control characters that XML 1.0
/// does not allow.
std::string markup_escaped(std::string_view text);

}  // namespace tilescope
