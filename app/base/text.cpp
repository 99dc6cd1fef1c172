#include "base/text.h"

#include <algorithm>
#include <array>

namespace tilescope {
namespace {

/// First and last of a run of code points.
struct CodePoints {
  char32_t first, last;
};
// The blocks of EastAsianWidth.txt (Unicode 15) whose characters are W or F, including unassigned ones between them.
constexpr std::array<CodePoints, 14> kWide{{{0x1100, 0x115f},
                                            {0x2e80, 0x303e},
                                            {0x3041, 0x33ff},
                                            {0x3400, 0x4dbf},
                                            {0x4e00, 0xa4cf},
                                            {0xa960, 0xa97c},
                                            {0xac00, 0xd7a3},
                                            {0xf900, 0xfaff},
                                            {0xfe10, 0xfe19},
                                            {0xfe30, 0xfe6b},
                                            {0xff01, 0xff60},
                                            {0xffe0, 0xffe6},
                                            {0x1f300, 0x1faff},
                                            {0x20000, 0x3fffd}}};
constexpr std::array<CodePoints, 3> kWithoutWidth{{{0x0300, 0x036f}, {0x200b, 0x200f}, {0xfe00, 0xfe0f}}};

template <size_t Count>
bool is_among(const std::array<CodePoints, Count>& runs, char32_t character) {
  return std::any_of(runs.begin(), runs.end(),
                     [&](const CodePoints& run) { return run.first <= character && character <= run.last; });
}

}  // namespace

std::vector<std::string> lines_of(std::string_view text) {
  std::vector<std::string> lines;
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    if (line.ends_with('\r')) line.remove_suffix(1);
    lines.emplace_back(line);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

std::string names_text(const std::vector<std::string>& names) {
  constexpr size_t kMostNames = 20;
  std::string text;
  for (size_t i = 0; i < std::min(names.size(), kMostNames); ++i) text += (i ? ", " : "") + names[i];
  if (names.size() > kMostNames) text += " and " + std::to_string(names.size() - kMostNames) + " more";
  return text;
}

int line_of(std::string_view text, size_t place) {
  return 1 + static_cast<int>(std::ranges::count(text.substr(0, place), '\n'));
}

std::pair<int, int> line_and_column(std::string_view text, size_t place) {
  const size_t begin = text.substr(0, place).rfind('\n') + 1;  // 0 without one.
  return {line_of(text, place), 1 + static_cast<int>(place - begin)};
}

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kBlank = " \t\r\n";
  text.remove_prefix(std::min(text.find_first_not_of(kBlank), text.size()));
  return text.substr(0, text.find_last_not_of(kBlank) + 1);
}

char32_t next_character(std::string_view text, size_t& at) {
  const auto lead = static_cast<unsigned char>(text[at++]);
  if (lead < 0x80) return lead;
  const int more = lead >= 0xf0 ? 3 : lead >= 0xe0 ? 2 : 1;
  char32_t character = lead & (0x3fu >> more);
  for (int i = 0; i < more && at < text.size() && (text[at] & 0xc0) == 0x80; ++i)
    character = character << 6 | (static_cast<unsigned char>(text[at++]) & 0x3fu);
  return character;
}

size_t display_width(std::string_view text) {
  size_t width = 0;
  for (size_t at = 0; at < text.size();) {
    const char32_t character = next_character(text, at);
    if (character == U'\x1b')
      at = std::min(text.find('m', at), text.size() - 1) + 1;
    else if (!is_among(kWithoutWidth, character))
      width += is_among(kWide, character) ? 2 : 1;
  }
  return width;
}

std::string markup_escaped(std::string_view text) {
  std::string result;
  for (const char c : text) {
    if (c == '<')
      result += "&lt;";
    else if (c == '>')
      result += "&gt;";
    else if (c == '&')
      result += "&amp;";
    else if (c == '"')
      result += "&quot;";
    else if (static_cast<unsigned char>(c) >= 0x20 || c == '\t' || c == '\n')
      result += c;
  }
  return result;
}

}  // namespace tilescope
