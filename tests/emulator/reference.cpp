#include "reference.h"

#include <mpfr.h>

#include <cmath>
#include <limits>

namespace tilescope::reference {
namespace {

class Real {
 public:
  explicit Real(mpfr_prec_t precision) { mpfr_init2(value_, precision); }
  ~Real() { mpfr_clear(value_); }
  Real(const Real&) = delete;
  Real& operator=(const Real&) = delete;
  mpfr_ptr get() { return value_; }

 private:
  mpfr_t value_;
};

mpfr_rnd_t mpfr_mode(Round round) {
  switch (round) {
    case Round::Nearest: return MPFR_RNDN;
    case Round::Zero: return MPFR_RNDZ;
    case Round::Down: return MPFR_RNDD;
    case Round::Up: return MPFR_RNDU;
  }
  return MPFR_RNDN;
}

uint64_t magnitude(Format format, uint64_t a) { return a & (format.sign() - 1); }

/// Exact; `to` has at least 64 bits.
void assign(mpfr_ptr to, Format format, uint64_t a) {
  const int sign = is_negative(format, a) ? -1 : 1;
  if (is_nan(format, a)) return mpfr_set_nan(to);
  if (is_infinite(format, a)) return mpfr_set_inf(to, sign);
  if (is_zero(format, a)) return mpfr_set_zero(to, sign);
  const uint64_t exponent = magnitude(format, a) >> format.fraction_bits;
  const uint64_t fraction = magnitude(format, a) & (format.smallest_normal() - 1);
  const uint64_t significand = exponent == 0 ? fraction : fraction | format.smallest_normal();
  const long scale = static_cast<long>(exponent == 0 ? 1 : exponent) - format.bias() - format.fraction_bits;
  mpfr_set_ui_2exp(to, significand, scale, MPFR_RNDN);
  if (sign < 0) mpfr_neg(to, to, MPFR_RNDN);
}

/// The bits of a value that the format holds exactly.
uint64_t pack(Format format, mpfr_ptr value) {
  if (mpfr_nan_p(value)) return format.nan();
  const uint64_t sign = mpfr_signbit(value) ? format.sign() : 0;
  if (mpfr_inf_p(value)) return sign | format.infinity();
  if (mpfr_zero_p(value)) return sign;
  long exponent = mpfr_get_exp(value) - 1;
  if (exponent < 1 - format.bias()) exponent = 1 - format.bias();
  Real scaled(64);
  mpfr_mul_2si(scaled.get(), value, format.fraction_bits - exponent, MPFR_RNDN);
  mpfr_abs(scaled.get(), scaled.get(), MPFR_RNDN);
  const uint64_t significand = mpfr_get_ui(scaled.get(), MPFR_RNDN);
  // A significand without its leading one is subnormal: its exponent field is one less than the sum gives.
  return sign | (significand + (static_cast<uint64_t>(exponent + format.bias() - 1) << format.fraction_bits));
}

/// Rounds what `compute(result, mode)` yields once to the format, its subnormal range included.
template <class Compute>
uint64_t rounded(Format format, Round round, Compute compute) {
  const mpfr_rnd_t mode = mpfr_mode(round);
  Real result(format.fraction_bits + 1);
  int direction = compute(result.get(), mode);
  const mpfr_exp_t lowest = mpfr_get_emin(), highest = mpfr_get_emax();
  mpfr_set_emin(2 - format.bias() - format.fraction_bits);
  mpfr_set_emax(format.bias() + 1);
  direction = mpfr_check_range(result.get(), direction, mode);
  mpfr_subnormalize(result.get(), direction, mode);
  mpfr_set_emin(lowest);
  mpfr_set_emax(highest);
  return pack(format, result.get());
}

template <class Function>
uint64_t unary(Format format, uint64_t a, Round round, Function function) {
  Real x(64);
  assign(x.get(), format, a);
  return rounded(format, round, [&](mpfr_ptr to, mpfr_rnd_t mode) { return function(to, x.get(), mode); });
}

template <class Function>
uint64_t binary(Format format, uint64_t a, uint64_t b, Round round, Function function) {
  Real x(64), y(64);
  assign(x.get(), format, a);
  assign(y.get(), format, b);
  return rounded(format, round, [&](mpfr_ptr to, mpfr_rnd_t mode) { return function(to, x.get(), y.get(), mode); });
}

void assign(mpfr_ptr to, Wide value) {
  const bool negative = value < 0;
  const auto size = static_cast<UnsignedWide>(negative ? -value : value);
  mpfr_set_ui_2exp(to, static_cast<uint64_t>(size >> 64), 64, MPFR_RNDN);
  mpfr_add_ui(to, to, static_cast<uint64_t>(size), MPFR_RNDN);
  if (negative) mpfr_neg(to, to, MPFR_RNDN);
}

void to_integral(mpfr_ptr x, Round round) {
  switch (round) {
    case Round::Nearest: mpfr_rint(x, x, MPFR_RNDN); break;
    case Round::Zero: mpfr_trunc(x, x); break;
    case Round::Down: mpfr_floor(x, x); break;
    case Round::Up: mpfr_ceil(x, x); break;
  }
}

/// An integral value as an integer; values beyond 2^70 become 2^70.
Wide to_wide(mpfr_ptr x) {
  const Wide limit = Wide{1} << 70;
  const bool negative = mpfr_signbit(x) != 0;
  if (mpfr_inf_p(x) || (!mpfr_zero_p(x) && mpfr_get_exp(x) > 64)) return negative ? -limit : limit;
  Real size(64);
  mpfr_abs(size.get(), x, MPFR_RNDN);
  const Wide value = mpfr_get_ui(size.get(), MPFR_RNDN);
  return negative ? -value : value;
}

}  // namespace

bool is_nan(Format format, uint64_t a) { return magnitude(format, a) > format.infinity(); }
bool is_infinite(Format format, uint64_t a) { return magnitude(format, a) == format.infinity(); }
bool is_zero(Format format, uint64_t a) { return magnitude(format, a) == 0; }
bool is_negative(Format format, uint64_t a) { return (a & format.sign()) != 0; }
bool is_subnormal(Format format, uint64_t a) {
  return !is_zero(format, a) && magnitude(format, a) < format.smallest_normal();
}

uint64_t flush(Format format, uint64_t a) { return is_subnormal(format, a) ? a & format.sign() : a; }

uint64_t saturate(Format format, uint64_t a) {
  if (is_nan(format, a) || is_negative(format, a)) return 0;
  return a > format.one() ? format.one() : a;
}

uint64_t relu(Format format, uint64_t a) {
  if (is_nan(format, a)) return format.nan();
  return is_negative(format, a) ? 0 : a;
}

uint64_t add(Format format, uint64_t a, uint64_t b, Round round) { return binary(format, a, b, round, mpfr_add); }
uint64_t subtract(Format format, uint64_t a, uint64_t b, Round round) { return binary(format, a, b, round, mpfr_sub); }
uint64_t multiply(Format format, uint64_t a, uint64_t b, Round round) { return binary(format, a, b, round, mpfr_mul); }
uint64_t divide(Format format, uint64_t a, uint64_t b, Round round) { return binary(format, a, b, round, mpfr_div); }

uint64_t fused_multiply_add(Format format, uint64_t a, uint64_t b, uint64_t c, Round round) {
  Real x(64), y(64), z(64);
  assign(x.get(), format, a);
  assign(y.get(), format, b);
  assign(z.get(), format, c);
  return rounded(format, round,
                 [&](mpfr_ptr to, mpfr_rnd_t mode) { return mpfr_fma(to, x.get(), y.get(), z.get(), mode); });
}

uint64_t square_root(Format format, uint64_t a, Round round) { return unary(format, a, round, mpfr_sqrt); }

uint64_t reciprocal_square_root(Format format, uint64_t a) {
  // MPFR gives +infinity for -0; the document's table has -infinity.
  if (is_zero(format, a)) return (a & format.sign()) | format.infinity();
  return unary(format, a, Round::Nearest, mpfr_rec_sqrt);
}

uint64_t sine(Format format, uint64_t a) { return unary(format, a, Round::Nearest, mpfr_sin); }
uint64_t cosine(Format format, uint64_t a) { return unary(format, a, Round::Nearest, mpfr_cos); }
uint64_t log2(Format format, uint64_t a) { return unary(format, a, Round::Nearest, mpfr_log2); }
uint64_t exp2(Format format, uint64_t a) { return unary(format, a, Round::Nearest, mpfr_exp2); }
uint64_t tanh(Format format, uint64_t a) { return unary(format, a, Round::Nearest, mpfr_tanh); }

int compare(Format format, uint64_t a, uint64_t b) {
  if (is_nan(format, a) || is_nan(format, b)) return 2;
  const auto key = [&](uint64_t v) {
    const auto size = static_cast<int64_t>(magnitude(format, v));
    return is_negative(format, v) ? -size : size;
  };
  return key(a) < key(b) ? -1 : key(a) > key(b) ? 1 : 0;
}

uint64_t min_max(Format format, uint64_t a, uint64_t b, MinMax how) {
  const uint64_t sign = (a ^ b) & format.sign();
  if (how.xor_sign) {
    a = magnitude(format, a);
    b = magnitude(format, b);
  }
  const bool nan_a = is_nan(format, a), nan_b = is_nan(format, b);
  if ((nan_a && nan_b) || (how.propagate_nan && (nan_a || nan_b))) return format.nan();
  uint64_t result;
  if (nan_a || nan_b) {
    result = nan_a ? b : a;
  } else {
    const int order = compare(format, a, b);
    const bool a_is_less = order < 0 || (order == 0 && is_negative(format, a));
    result = a_is_less != how.maximum ? a : b;
  }
  return how.xor_sign ? magnitude(format, result) | sign : result;
}

uint64_t convert(Format from, Format to, uint64_t a, Round round) {
  Real x(64);
  assign(x.get(), from, a);
  return rounded(to, round, [&](mpfr_ptr result, mpfr_rnd_t mode) { return mpfr_set(result, x.get(), mode); });
}

uint64_t round_to_tf32(uint64_t a) {
  if (is_nan(kF32, a) || is_infinite(kF32, a)) return a;
  return (a + 0x1000) & ~uint64_t{0x1fff};
}

uint64_t round_to_integral(Format format, uint64_t a, Round round) {
  Real x(64);
  assign(x.get(), format, a);
  if (mpfr_number_p(x.get())) to_integral(x.get(), round);
  return pack(format, x.get());
}

Wide value_of(Integer type, uint64_t bits) {
  const Wide value = type.bits == 64 ? bits : bits & ((uint64_t{1} << type.bits) - 1);
  const bool negative = type.is_signed && ((bits >> (type.bits - 1)) & 1) != 0;
  return negative ? value - (Wide{1} << type.bits) : value;
}

uint64_t truncate(Integer type, Wide value) {
  const auto low = static_cast<uint64_t>(value);
  return type.bits == 64 ? low : low & ((uint64_t{1} << type.bits) - 1);
}

uint64_t clamp(Integer type, Wide value) {
  const Wide lowest = type.is_signed ? -(Wide{1} << (type.bits - 1)) : 0;
  const Wide highest = (Wide{1} << (type.bits - (type.is_signed ? 1 : 0))) - 1;
  return truncate(type, value < lowest ? lowest : value > highest ? highest : value);
}

uint64_t from_integer(Format to, Wide value, Round round) {
  Real x(128);
  assign(x.get(), value);
  return rounded(to, round, [&](mpfr_ptr result, mpfr_rnd_t mode) { return mpfr_set(result, x.get(), mode); });
}

uint64_t to_integer(Format from, Integer to, uint64_t a, Round round) {
  if (is_nan(from, a)) return from == kF64 || to.bits == 64 ? uint64_t{1} << (to.bits - 1) : 0;
  Real x(64);
  assign(x.get(), from, a);
  if (mpfr_number_p(x.get())) to_integral(x.get(), round);
  return clamp(to, to_wide(x.get()));
}

double to_double(Format format, uint64_t a) {
  Real x(64);
  assign(x.get(), format, a);
  return mpfr_get_d(x.get(), MPFR_RNDN);
}

double ulps_between(Format format, uint64_t exact, uint64_t a) {
  if (magnitude(format, exact) >= format.infinity() || magnitude(format, a) >= format.infinity()) {
    return std::numeric_limits<double>::infinity();
  }
  const uint64_t exponent = magnitude(format, exact) >> format.fraction_bits;
  const int unit = static_cast<int>(exponent == 0 ? 1 : exponent) - format.bias() - format.fraction_bits;
  return std::fabs(std::ldexp(to_double(format, a) - to_double(format, exact), -unit));
}

}  // namespace tilescope::reference
