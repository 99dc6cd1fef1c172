#pragma once

#include <cstdint>

/// Arithmetic instructions as defined by the PTX ISA document (release 9.0), one value at a time.
/// Written from the document and not from the emulator, which is tested against it. Values are bit patterns in the low
/// bits of a uint64_t. Floating-point results come from MPFR, which rounds correctly in every mode.
namespace tilescope::reference {

/// A binary floating-point format: sign, exponent with bias 2^(exponent_bits-1)-1, fraction.
struct Format {
  int exponent_bits, fraction_bits;

  constexpr int width() const { return 1 + exponent_bits + fraction_bits; }
  constexpr int bias() const { return (1 << (exponent_bits - 1)) - 1; }
  constexpr uint64_t sign() const { return uint64_t{1} << (width() - 1); }
  constexpr uint64_t infinity() const { return ((uint64_t{1} << exponent_bits) - 1) << fraction_bits; }
  constexpr uint64_t smallest_normal() const { return uint64_t{1} << fraction_bits; }
  constexpr uint64_t one() const { return static_cast<uint64_t>(bias()) << fraction_bits; }
  /// The NaN that instructions make: every bit but the sign.
  constexpr uint64_t nan() const { return sign() - 1; }
  constexpr bool operator==(const Format&) const = default;
};
constexpr Format kF16{5, 10}, kBf16{8, 7}, kF32{8, 23}, kF64{11, 52};

enum class Round { Nearest, Zero, Down, Up };

bool is_nan(Format format, uint64_t a);
bool is_infinite(Format format, uint64_t a);
bool is_zero(Format format, uint64_t a);
bool is_subnormal(Format format, uint64_t a);
bool is_negative(Format format, uint64_t a);

/// A subnormal number becomes the zero of its sign (.ftz); other values are unchanged.
uint64_t flush(Format format, uint64_t a);
/// Clamps to [+0, 1]; NaN becomes +0 (.sat).
uint64_t saturate(Format format, uint64_t a);
/// Negative numbers become +0, NaN the canonical NaN (.relu).
uint64_t relu(Format format, uint64_t a);

uint64_t add(Format format, uint64_t a, uint64_t b, Round round);
uint64_t subtract(Format format, uint64_t a, uint64_t b, Round round);
uint64_t multiply(Format format, uint64_t a, uint64_t b, Round round);
/// a*b+c, rounded once.
uint64_t fused_multiply_add(Format format, uint64_t a, uint64_t b, uint64_t c, Round round);
uint64_t divide(Format format, uint64_t a, uint64_t b, Round round);
uint64_t square_root(Format format, uint64_t a, Round round);
uint64_t reciprocal_square_root(Format format, uint64_t a);
uint64_t sine(Format format, uint64_t a);
uint64_t cosine(Format format, uint64_t a);
uint64_t log2(Format format, uint64_t a);
uint64_t exp2(Format format, uint64_t a);
uint64_t tanh(Format format, uint64_t a);

struct MinMax {
  bool maximum = false, propagate_nan = false, xor_sign = false;
};
/// min and max: a NaN loses to a number unless .NaN is given; -0 is less than +0.
uint64_t min_max(Format format, uint64_t a, uint64_t b, MinMax how);

/// -1, 0, 1 for less, equal, greater; 2 if one is NaN.
int compare(Format format, uint64_t a, uint64_t b);

uint64_t convert(Format from, Format to, uint64_t a, Round round);
/// To nearest, ties away from zero, at 10 fraction bits (cvt.rna.tf32.f32).
uint64_t round_to_tf32(uint64_t a);
/// The nearest integral value in the direction given, in the same format.
uint64_t round_to_integral(Format format, uint64_t a, Round round);

/// An integer type: bits and signedness.
struct Integer {
  int bits;
  bool is_signed;
};
__extension__ typedef __int128 Wide;
__extension__ typedef unsigned __int128 UnsignedWide;

Wide value_of(Integer type, uint64_t bits);
/// The low bits of a value.
uint64_t truncate(Integer type, Wide value);
/// The nearest value that the type holds.
uint64_t clamp(Integer type, Wide value);

uint64_t from_integer(Format to, Wide value, Round round);
/// Rounded to an integral value, then clamped. NaN: zero where neither type has 64 bits, else only the sign bit set.
uint64_t to_integer(Format from, Integer to, uint64_t a, Round round);

/// The distance between two numbers of a format in units of the last place of `exact`; infinite when one is not finite.
double ulps_between(Format format, uint64_t exact, uint64_t a);
double to_double(Format format, uint64_t a);

}  // namespace tilescope::reference
