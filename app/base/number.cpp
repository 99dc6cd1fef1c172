#include "base/number.h"

#include <algorithm>
#include <array>
#include <charconv>
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

/// A number of up to 15 digits, times a power of ten that a double holds exactly, too: one operation rounds to the
/// nearest double (Clinger, How to read floating point numbers accurately, 1990). Most numbers are such, and soon read.
std::optional<double> short_number(std::string_view text) {
  static constexpr std::array<double, 23> kPowersOfTen{1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                                       1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
  const size_t mantissa = std::min(text.find_first_of("eE"), text.size());
  if (mantissa > 16) return std::nullopt;
  uint64_t digits = 0;
  int power = 0;
  for (size_t at = 0; at < mantissa; ++at) {
    if (text[at] == '-') return std::nullopt;
    if (text[at] == '.')
      power = -static_cast<int>(mantissa - at - 1);
    else
      digits = digits * 10 + static_cast<uint64_t>(text[at] - '0');
  }
  if (digits > 999'999'999'999'999) return std::nullopt;
  if (mantissa < text.size()) {
    text.remove_prefix(mantissa + (text[mantissa + 1] == '+' ? 2 : 1));
    int exponent = 0;
    if (std::from_chars(text.data(), text.data() + text.size(), exponent).ec != std::errc()) return std::nullopt;
    if (exponent > 1000 || exponent < -1000) return std::nullopt;
    power += exponent;
  }
  const auto value = static_cast<double>(digits);
  if (static_cast<size_t>(std::abs(power)) >= kPowersOfTen.size()) return std::nullopt;
  return power < 0 ? value / kPowersOfTen[static_cast<size_t>(-power)] : value * kPowersOfTen[static_cast<size_t>(power)];
}

}  // namespace

std::optional<double> take_number(std::string_view& text) {
  const size_t length = length_of_number(text);
  if (length == 0) return std::nullopt;
  if (const std::optional<double> number = short_number(text.substr(0, length))) {
    text.remove_prefix(length);
    return number;
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
