#include "emulator/directed.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <type_traits>
#include <utility>

namespace tilescope::emulator::directed {
namespace {

using ptx::Rounding;
__extension__ typedef unsigned __int128 Bits;

/// digits * 2^exponent, and where `more` a little above that in magnitude: less than one of the last digit.
struct Number {
  bool negative = false;
  Bits digits = 0;
  int exponent = 0;
  bool more = false;
};

int width_of(Bits digits) {
  const auto high = static_cast<uint64_t>(digits >> 64);
  return high != 0 ? 64 + std::bit_width(high) : static_cast<int>(std::bit_width(static_cast<uint64_t>(digits)));
}

/// What is shifted out stays known as `more`.
void shift_right(Number& number, int count) {
  number.exponent += count;
  if (count > 127) {
    number.more |= number.digits != 0;
    number.digits = 0;
    return;
  }
  number.more |= (number.digits & ((Bits{1} << count) - 1)) != 0;
  number.digits >>= count;
}

/// The first digit at bit 125: room for a carry above it.
void normalize(Number& number) {
  if (number.digits == 0) return;
  const int count = 126 - width_of(number.digits);
  if (count < 0) return shift_right(number, -count);
  number.digits <<= count;
  number.exponent -= count;
}

/// Of a finite number.
template <class T>
Number exact(T value) {
  using Word = std::conditional_t<sizeof(T) == 4, uint32_t, uint64_t>;
  constexpr int kStored = std::numeric_limits<T>::digits - 1;
  constexpr int kLeast = std::numeric_limits<T>::min_exponent - std::numeric_limits<T>::digits;
  const Word word = std::bit_cast<Word>(value);
  const Word fraction = word & ((Word{1} << kStored) - 1);
  const int stored = static_cast<int>(static_cast<Word>(word << 1) >> (kStored + 1));
  Number number{std::signbit(value), fraction, kLeast, false};
  if (stored != 0) {
    number.digits |= Bits{1} << kStored;
    number.exponent += stored - 1;
  }
  return number;
}

/// Whether the magnitude is rounded up: `rest` digits were dropped, compared with half of the last that is kept.
bool rounds_up(bool negative, bool odd, std::pair<int, bool> rest, Rounding rounding) {
  const auto [against_half, any] = rest;
  switch (rounding) {
    case Rounding::Rz: return false;
    case Rounding::Rm: return any && negative;
    case Rounding::Rp: return any && !negative;
    default: return against_half > 0 || (against_half == 0 && odd);
  }
}

template <class T>
T round(Number number, Rounding rounding) {
  using Limits = std::numeric_limits<T>;
  if (number.digits == 0 && !number.more) return number.negative ? -T{0} : T{0};
  normalize(number);
  // As many digits as T has, fewer below its normal numbers.
  const int last = std::max(number.exponent + 126 - Limits::digits, Limits::min_exponent - Limits::digits);
  const int drop = last - number.exponent;
  Bits kept = drop > 127 ? 0 : number.digits >> drop;
  const Bits rest = drop > 127 ? number.digits : number.digits & ((Bits{1} << drop) - 1);
  const bool any = rest != 0 || number.more;
  int against_half = -1;
  if (drop <= 127) {
    const Bits half = Bits{1} << (drop - 1);
    against_half = rest > half || (rest == half && number.more) ? 1 : rest == half ? 0 : -1;
  }
  if (rounds_up(number.negative, (kept & 1) != 0, {against_half, any}, rounding)) ++kept;
  // Beyond the largest number: the mode says whether that or infinity.
  T magnitude = std::ldexp(static_cast<T>(static_cast<uint64_t>(kept)), last);
  if (std::isinf(magnitude) && (rounding == Rounding::Rz || rounding == (number.negative ? Rounding::Rp : Rounding::Rm)))
    magnitude = Limits::max();
  return number.negative ? -magnitude : magnitude;
}

Number sum(Number a, Number b, Rounding rounding) {
  normalize(a);
  normalize(b);
  if (a.digits == 0 || (b.digits != 0 && a.exponent < b.exponent)) std::swap(a, b);
  if (b.digits == 0) {
    // A sum of zeros of two signs is -0 only where it is rounded down.
    if (a.digits == 0 && a.negative != b.negative) a.negative = rounding == Rounding::Rm;
    return a;
  }
  shift_right(b, a.exponent - b.exponent);
  if (a.negative == b.negative) {
    a.digits += b.digits;
    a.more = b.more;
    return a;
  }
  if (a.digits == b.digits && !b.more) return {rounding == Rounding::Rm, 0, 0, false};
  if (a.digits < b.digits) std::swap(a, b);  // Of one exponent: nothing was shifted out.
  // What was shifted out of b is missing in the difference, which is that much below one more.
  a.digits -= b.digits + (b.more ? 1 : 0);
  a.more = b.more;
  return a;
}

Number product(const Number& a, const Number& b) {
  return {a.negative != b.negative, a.digits * b.digits, a.exponent + b.exponent, false};
}

}  // namespace

template <class T>
T add(T a, T b, Rounding rounding) {
  if (!std::isfinite(a) || !std::isfinite(b)) return a + b;
  return round<T>(sum(exact(a), exact(b), rounding), rounding);
}

template <class T>
T multiply(T a, T b, Rounding rounding) {
  if (!std::isfinite(a) || !std::isfinite(b)) return a * b;
  return round<T>(product(exact(a), exact(b)), rounding);
}

template <class T>
T multiply_add(T a, T b, T c, Rounding rounding) {
  if (!std::isfinite(a) || !std::isfinite(b)) return a * b + c;
  if (!std::isfinite(c)) return c + c;
  return round<T>(sum(product(exact(a), exact(b)), exact(c), rounding), rounding);
}

template <class T>
T divide(T a, T b, Rounding rounding) {
  if (!std::isfinite(a) || !std::isfinite(b) || a == 0 || b == 0) return a / b;
  Number dividend = exact(a), divisor = exact(b);
  normalize(dividend);
  Number quotient{dividend.negative != divisor.negative, dividend.digits / divisor.digits,
                  dividend.exponent - divisor.exponent, dividend.digits % divisor.digits != 0};
  return round<T>(quotient, rounding);
}

template <class T>
T square_root(T a, Rounding rounding) {
  if (!std::isfinite(a) || a <= 0) return std::sqrt(a);
  Number number = exact(a);
  normalize(number);
  if (number.exponent % 2 != 0) {
    number.digits <<= 1;
    --number.exponent;
  }
  Bits root = 0;
  for (Bits bit = Bits{1} << 63; bit != 0; bit >>= 1)
    if ((root | bit) * (root | bit) <= number.digits) root |= bit;
  return round<T>({false, root, number.exponent / 2, root * root != number.digits}, rounding);
}

template <class T>
T from_double(double value, Rounding rounding) {
  return std::isfinite(value) ? round<T>(exact(value), rounding) : static_cast<T>(value);
}

template <class T>
T from_integer(uint64_t magnitude, bool negative, Rounding rounding) {
  return round<T>({negative && magnitude != 0, magnitude, 0, false}, rounding);
}

#define TILESCOPE_DIRECTED(T)                         \
  template T add(T, T, Rounding);                     \
  template T multiply(T, T, Rounding);                \
  template T multiply_add(T, T, T, Rounding);         \
  template T divide(T, T, Rounding);                  \
  template T square_root(T, Rounding);                \
  template T from_double(double, Rounding);           \
  template T from_integer(uint64_t, bool, Rounding);
TILESCOPE_DIRECTED(float)
TILESCOPE_DIRECTED(double)
#undef TILESCOPE_DIRECTED

}  // namespace tilescope::emulator::directed
