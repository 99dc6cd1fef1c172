#include "base/number.h"

#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <string>

namespace tilescope {
namespace {

size_t skip_digits(std::string_view text, size_t at) {
  while (at < text.size() && text[at] >= '0' && text[at] <= '9') ++at;
  return at;
}

/// How many characters the number at the front takes; 0: none.
size_t length_of_number(std::string_view text) {
  const auto is = [&](size_t at, char wanted) { return at < text.size() && text[at] == wanted; };
  const size_t begin = is(0, '-') ? 1 : 0;
  size_t end = skip_digits(text, begin), digits = end - begin;
  if (is(end, '.')) {
    const size_t fraction = skip_digits(text, end + 1);
    digits += fraction - end - 1;
    end = fraction;
  }
  if (digits == 0) return 0;
  if (!is(end, 'e') && !is(end, 'E')) return end;
  const size_t exponent = end + (is(end + 1, '+') || is(end + 1, '-') ? 2 : 1);
  const size_t whole = skip_digits(text, exponent);
  return whole > exponent ? whole : end;
}

/// Of up to 15 digits and nothing else, which a double holds exactly: most numbers, and soon read.
std::optional<double> small_whole(std::string_view text) {
  uint64_t value = 0;
  for (const char digit : text) {
    if (digit < '0' || digit > '9' || text.size() > 15) return std::nullopt;
    value = value * 10 + static_cast<uint64_t>(digit - '0');
  }
  return static_cast<double>(value);
}

}  // namespace

std::optional<double> take_number(std::string_view& text) {
  const size_t length = length_of_number(text);
  if (length == 0) return std::nullopt;
  if (const std::optional<double> whole = small_whole(text.substr(0, length))) {
    text.remove_prefix(length);
    return whole;
  }
  const std::string digits(text.substr(0, length));
  const double value = std::strtod(digits.c_str(), nullptr);
  const bool is_tiny = value == 0 && digits.substr(0, digits.find_first_of("eE")).find_first_of("123456789") != digits.npos;
  if (std::isinf(value) || is_tiny) return std::nullopt;
  text.remove_prefix(length);
  return value;
}

std::optional<double> whole_number_of(std::string_view text) {
  const std::optional<double> value = take_number(text);
  return text.empty() ? value : std::nullopt;
}

}  // namespace tilescope
