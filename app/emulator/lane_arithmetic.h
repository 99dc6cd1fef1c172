// Included like lane_types.h, which it includes. One lane of each opcode: F<T>::run(a, b, c), as in the PTX document.

#include "emulator/lane_types.h"

template <class T>
using Unsigned = std::make_unsigned_t<T>;
__extension__ typedef __int128 Signed128;
__extension__ typedef unsigned __int128 Unsigned128;
template <class T>
using Double = std::conditional_t<
    sizeof(T) == 2, std::conditional_t<std::is_signed_v<T>, int32_t, uint32_t>,
    std::conditional_t<sizeof(T) == 4, std::conditional_t<std::is_signed_v<T>, int64_t, uint64_t>,
                       std::conditional_t<std::is_signed_v<T>, Signed128, Unsigned128>>>;

// Wrapping arithmetic: signed overflow is defined in PTX, and promotion of 16-bit types would make it signed in C++.
template <class T>
using Word = std::conditional_t<sizeof(T) == 8, uint64_t, uint32_t>;

// clang-format off
template <class T> struct Add  { static T run(T a, T b) { return static_cast<T>(static_cast<Word<T>>(a) + static_cast<Word<T>>(b)); } };
template <class T> struct Sub  { static T run(T a, T b) { return static_cast<T>(static_cast<Word<T>>(a) - static_cast<Word<T>>(b)); } };
template <class T> struct MulLo { static T run(T a, T b) { return static_cast<T>(static_cast<Word<T>>(a) * static_cast<Word<T>>(b)); } };
template <class T> struct MulHi { static T run(T a, T b) { return static_cast<T>((static_cast<Double<T>>(a) * static_cast<Double<T>>(b)) >> (8 * sizeof(T))); } };
template <class T> struct MulWide { static Double<T> run(T a, T b) { return static_cast<Double<T>>(a) * static_cast<Double<T>>(b); } };
template <class T> struct MadLo { static T run(T a, T b, T c) { return Add<T>::run(MulLo<T>::run(a, b), c); } };
template <class T> struct MadHi { static T run(T a, T b, T c) { return Add<T>::run(MulHi<T>::run(a, b), c); } };
template <class T> struct MadWide { static Double<T> run(T a, T b, Double<T> c) { return Add<Double<T>>::run(MulWide<T>::run(a, b), c); } };
template <class T> struct Sad  { static T run(T a, T b, T c) { return Add<T>::run(c, a < b ? Sub<T>::run(b, a) : Sub<T>::run(a, b)); } };
template <class T> struct Abs  { static T run(T a) { return a < 0 ? Sub<T>::run(0, a) : a; } };
template <class T> struct Neg  { static T run(T a) { return Sub<T>::run(0, a); } };
template <class T> struct Min  { static T run(T a, T b) { return b < a ? b : a; } };
template <class T> struct Max  { static T run(T a, T b) { return a < b ? b : a; } };
template <class T> struct And  { static T run(T a, T b) { return a & b; } };
template <class T> struct Or   { static T run(T a, T b) { return a | b; } };
template <class T> struct Xor  { static T run(T a, T b) { return a ^ b; } };
template <class T> struct Not  { static T run(T a) { return static_cast<T>(~a); } };
template <class T> struct Cnot { static T run(T a) { return a == 0; } };
template <class T> struct Copy { static T run(T a) { return a; } };
template <class T> struct Popc { static uint32_t run(T a) { return static_cast<uint32_t>(std::popcount(a)); } };
template <class T> struct Clz  { static uint32_t run(T a) { return static_cast<uint32_t>(std::countl_zero(a)); } };
// clang-format on

// Division by zero is machine-specific in PTX; the hardware's integer division gives all ones and the dividend as
// remainder.
template <class T>
struct Div {
  static T run(T a, T b) {
    if (b == 0) return static_cast<T>(~T{0});
    if constexpr (std::is_signed_v<T>)
      if (b == -1) return Neg<T>::run(a);
    return static_cast<T>(a / b);
  }
};
template <class T>
struct Rem {
  static T run(T a, T b) {
    if (b == 0) return a;
    if constexpr (std::is_signed_v<T>)
      if (b == -1) return 0;
    return static_cast<T>(a % b);
  }
};

inline int32_t clamp_s32(int64_t value) {
  return static_cast<int32_t>(value < INT32_MIN ? INT32_MIN : value > INT32_MAX ? INT32_MAX : value);
}
// clang-format off
template <class T> struct MinRelu { static T run(T a, T b) { const T m = Min<T>::run(a, b); return m < 0 ? T{0} : m; } };
template <class T> struct MaxRelu { static T run(T a, T b) { const T m = Max<T>::run(a, b); return m < 0 ? T{0} : m; } };
struct AddSat { static int32_t run(int32_t a, int32_t b) { return clamp_s32(int64_t{a} + b); } };
struct SubSat { static int32_t run(int32_t a, int32_t b) { return clamp_s32(int64_t{a} - b); } };
struct MadHiSat { static int32_t run(int32_t a, int32_t b, int32_t c) { return clamp_s32((int64_t{a} * b >> 32) + c); } };
// clang-format on

template <class T>
inline T low_24(T a) {
  if constexpr (std::is_signed_v<T>) return static_cast<int32_t>(static_cast<uint32_t>(a) << 8) >> 8;
  else return a & 0xffffffu;
}
// clang-format off
template <class T> struct Mul24Lo { static T run(T a, T b) { return static_cast<T>(static_cast<Double<T>>(low_24(a)) * low_24(b)); } };
template <class T> struct Mul24Hi { static T run(T a, T b) { return static_cast<T>(static_cast<Double<T>>(low_24(a)) * low_24(b) >> 16); } };
template <class T> struct Mad24Lo { static T run(T a, T b, T c) { return Add<T>::run(Mul24Lo<T>::run(a, b), c); } };
template <class T> struct Mad24Hi { static T run(T a, T b, T c) { return Add<T>::run(Mul24Hi<T>::run(a, b), c); } };
struct Mad24HiSat { static int32_t run(int32_t a, int32_t b, int32_t c) { return clamp_s32((int64_t{low_24(a)} * low_24(b) >> 16) + c); } };

template <class T> struct Shl { static T run(T a, uint32_t n) { return n < 8 * sizeof(T) ? static_cast<T>(static_cast<Word<T>>(a) << n) : T{0}; } };
template <class T> struct Shr { static T run(T a, uint32_t n) { const uint32_t last = 8 * sizeof(T) - 1; return n <= last ? static_cast<T>(a >> n) : std::is_signed_v<T> ? static_cast<T>(a >> last) : T{0}; } };
struct ShfLeftWrap   { static uint32_t run(uint32_t a, uint32_t b, uint32_t n) { const uint64_t ab = uint64_t{b} << 32 | a; return static_cast<uint32_t>(ab << (n & 31) >> 32); } };
struct ShfLeftClamp  { static uint32_t run(uint32_t a, uint32_t b, uint32_t n) { return n >= 32 ? a : ShfLeftWrap::run(a, b, n); } };
struct ShfRightWrap  { static uint32_t run(uint32_t a, uint32_t b, uint32_t n) { const uint64_t ab = uint64_t{b} << 32 | a; return static_cast<uint32_t>(ab >> (n & 31)); } };
struct ShfRightClamp { static uint32_t run(uint32_t a, uint32_t b, uint32_t n) { return n >= 32 ? b : ShfRightWrap::run(a, b, n); } };
// clang-format on

template <class T>
struct Brev {
  static T run(T a) {
    T r = 0;
    for (uint32_t i = 0; i < 8 * sizeof(T); ++i) r |= (a >> i & 1) << (8 * sizeof(T) - 1 - i);
    return r;
  }
};

// The position of the most significant bit that differs from the sign; 0xffffffff for none.
template <class T>
struct Bfind {
  static uint32_t run(T a) {
    const auto bits = static_cast<Unsigned<T>>(std::is_signed_v<T> && a < 0 ? ~a : a);
    return bits == 0 ? ~0u : static_cast<uint32_t>(8 * sizeof(T) - 1 - static_cast<size_t>(std::countl_zero(bits)));
  }
};
template <class T>
struct BfindShift {
  static uint32_t run(T a) {
    const uint32_t position = Bfind<T>::run(a);
    return position == ~0u ? ~0u : static_cast<uint32_t>(8 * sizeof(T) - 1) - position;
  }
};

template <class T>
struct Bfe {
  static T run(T a, uint32_t b, uint32_t c) {
    const uint32_t msb = 8 * sizeof(T) - 1, position = b & 0xff, length = c & 0xff;
    const auto bits = static_cast<Unsigned<T>>(a);
    bool sign = false;
    if (std::is_signed_v<T> && length != 0) sign = bits >> (position + length - 1 < msb ? position + length - 1 : msb) & 1;
    Unsigned<T> r = 0;
    for (uint32_t i = 0; i <= msb; ++i) {
      const bool bit = i < length && position + i <= msb ? bits >> (position + i) & 1 : sign;
      r |= static_cast<Unsigned<T>>(bit) << i;
    }
    return static_cast<T>(r);
  }
};
template <class T>
struct Bfi {
  static T run(T a, T b, uint32_t c, uint32_t d) {
    const uint32_t width = 8 * sizeof(T), position = c & 0xff, length = d & 0xff;
    if (position >= width || length == 0) return b;
    const T ones = length >= width ? ~T{0} : (T{1} << length) - 1;
    return (b & ~(ones << position)) | ((a & ones) << position);
  }
};
struct BmskWrap {
  static uint32_t run(uint32_t a, uint32_t b) {
    const uint64_t ones = (uint64_t{1} << (b & 31)) - 1;
    return static_cast<uint32_t>(ones << (a & 31));
  }
};
struct BmskClamp {
  static uint32_t run(uint32_t a, uint32_t b) {
    if (a >= 32) return 0;
    const uint64_t ones = b >= 32 ? 0xffffffffu : (uint64_t{1} << b) - 1;
    return static_cast<uint32_t>(ones << a);
  }
};
template <class T>
inline T extend_from(T a, uint32_t bits) {
  if (bits == 0) return 0;
  if (bits >= 32) return a;
  return static_cast<T>(static_cast<T>(static_cast<uint32_t>(a) << (32 - bits)) >> (32 - bits));
}
// clang-format off
template <class T> struct SzextWrap  { static T run(T a, uint32_t n) { return extend_from(a, n & 31); } };
template <class T> struct SzextClamp { static T run(T a, uint32_t n) { return extend_from(a, n); } };
// clang-format on

// The position of the n-th set bit at or above (n > 0) or below (n < 0) `base`; 0xffffffff for none.
struct Fns {
  static uint32_t run(uint32_t mask, uint32_t base, uint32_t offset) {
    const auto n = static_cast<int32_t>(offset);
    if (base > 31) return ~0u;
    if (n == 0) return mask >> base & 1 ? base : ~0u;
    int32_t left = n < 0 ? -n : n;
    for (int32_t i = static_cast<int32_t>(base); i >= 0 && i < 32; i += n < 0 ? -1 : 1)
      if ((mask >> i & 1) && --left == 0) return static_cast<uint32_t>(i);
    return ~0u;
  }
};

template <class A, class B>
struct Dp4a {
  static uint32_t run(uint32_t a, uint32_t b, uint32_t c) {
    for (int i = 0; i < 4; ++i)
      c += static_cast<uint32_t>(static_cast<int32_t>(static_cast<A>(a >> (8 * i))) *
                                 static_cast<int32_t>(static_cast<B>(b >> (8 * i))));
    return c;
  }
};
template <class A, class B, int kFirstByte>
struct Dp2a {
  static uint32_t run(uint32_t a, uint32_t b, uint32_t c) {
    for (int i = 0; i < 2; ++i)
      c += static_cast<uint32_t>(static_cast<int32_t>(static_cast<A>(a >> (16 * i))) *
                                 static_cast<int32_t>(static_cast<B>(b >> (8 * (i + kFirstByte)))));
    return c;
  }
};

// Each nibble of the selector picks a byte of {b, a}; its top bit replicates that byte's sign.
struct Prmt {
  static uint32_t run(uint32_t a, uint32_t b, uint32_t selector) {
    const uint64_t bytes = uint64_t{b} << 32 | a;
    uint32_t r = 0;
    for (uint32_t i = 0; i < 4; ++i) {
      const uint32_t nibble = selector >> (4 * i) & 0xf;
      uint32_t byte = static_cast<uint32_t>(bytes >> (8 * (nibble & 7))) & 0xff;
      if (nibble & 8) byte = byte & 0x80 ? 0xff : 0;
      r |= byte << (8 * i);
    }
    return r;
  }
};
// The special modes are tables of selectors: [mode][low two bits of c].
constexpr uint32_t kPermuteSelectors[6][4] = {
    {0x3210, 0x4321, 0x5432, 0x6543}, {0x5670, 0x6701, 0x7012, 0x0123}, {0x0000, 0x1111, 0x2222, 0x3333},
    {0x3210, 0x3211, 0x3222, 0x3333}, {0x0000, 0x1110, 0x2210, 0x3210}, {0x1010, 0x3232, 0x1010, 0x3232}};
template <int kMode>
struct PrmtMode {
  static uint32_t run(uint32_t a, uint32_t b, uint32_t c) { return Prmt::run(a, b, kPermuteSelectors[kMode][c & 3]); }
};

// The differences of the bytes or halves of two words; with kSum their sum and c.
template <class Part, bool kSum>
struct AbsDiff {
  static uint32_t run(uint32_t a, uint32_t b, uint32_t c) {
    uint32_t r = kSum ? c : 0;
    for (uint32_t shift = 0; shift < 32; shift += 8 * sizeof(Part)) {
      const uint32_t x = static_cast<Part>(a >> shift), y = static_cast<Part>(b >> shift);
      r += (x < y ? y - x : x - y) << (kSum ? 0 : shift);
    }
    return r;
  }
};

struct Lop3 {
  static uint32_t run(uint32_t a, uint32_t b, uint32_t c, uint32_t table) {
    uint32_t r = 0;
    for (uint32_t i = 0; i < 8; ++i) {
      const uint32_t term = (i & 4 ? a : ~a) & (i & 2 ? b : ~b) & (i & 1 ? c : ~c);
      r |= table >> i & 1 ? term : 0;
    }
    return r;
  }
};

// Floating point. Float<F, T, ftz, sat> adds what every operation shares: flushing, the canonical NaN, saturation.
// rounded() is run() with one rounding toward zero, down or up.
using ptx::Rounding;
// clang-format off
template <class T> struct FAdd { static T run(T a, T b) { return a + b; } static T rounded(Rounding r, T a, T b) { return emulator::directed::add(a, b, r); } };
template <class T> struct FSub { static T run(T a, T b) { return a - b; } static T rounded(Rounding r, T a, T b) { return emulator::directed::add(a, -b, r); } };
template <class T> struct FMul { static T run(T a, T b) { return a * b; } static T rounded(Rounding r, T a, T b) { return emulator::directed::multiply(a, b, r); } };
template <class T> struct FDiv { static T run(T a, T b) { return a / b; } static T rounded(Rounding r, T a, T b) { return emulator::directed::divide(a, b, r); } };
template <class T> struct FRcp { static T run(T a) { return T{1} / a; } static T rounded(Rounding r, T a) { return emulator::directed::divide(T{1}, a, r); } };
template <class T> struct FNeg { static T run(T a) { return -a; } };
struct FAbs32 { static float run(float a) { return std::bit_cast<float>(std::bit_cast<uint32_t>(a) & 0x7fffffffu); } };
struct FAbs64 { static double run(double a) { return std::bit_cast<double>(std::bit_cast<uint64_t>(a) & 0x7fffffffffffffffu); } };
struct FFma32 { static float run(float a, float b, float c) { return fused(a, b, c); } static float rounded(Rounding r, float a, float b, float c) { return emulator::directed::multiply_add(a, b, c, r); } };
struct FFma64 { static double run(double a, double b, double c) { return __builtin_fma(a, b, c); } static double rounded(Rounding r, double a, double b, double c) { return emulator::directed::multiply_add(a, b, c, r); } };
struct FSqrt32 { static float run(float a) { return __builtin_sqrtf(a); } static float rounded(Rounding r, float a) { return emulator::directed::square_root(a, r); } };
struct FSqrt64 { static double run(double a) { return __builtin_sqrt(a); } static double rounded(Rounding r, double a) { return emulator::directed::square_root(a, r); } };
struct FRsqrt32 { static float run(float a) { return static_cast<float>(1.0 / __builtin_sqrt(static_cast<double>(a))); } };
struct FRsqrt64 { static double run(double a) { return 1.0 / __builtin_sqrt(a); } };
struct FSin { static float run(float a) { return static_cast<float>(std::sin(static_cast<double>(a))); } };
struct FCos { static float run(float a) { return static_cast<float>(std::cos(static_cast<double>(a))); } };
struct FLg2 { static float run(float a) { return static_cast<float>(std::log2(static_cast<double>(a))); } };
struct FEx2 { static float run(float a) { return static_cast<float>(std::exp2(static_cast<double>(a))); } };
struct FTanh { static float run(float a) { return static_cast<float>(std::tanh(static_cast<double>(a))); } };
// clang-format on

// div.approx.f32 gives 0 where |b| is over 2^126 and a is finite: its reciprocal is below the normal range.
struct FDivApprox {
  static float run(float a, float b) {
    const float magnitude = __builtin_fabsf(b);
    if (magnitude > 0x1p126f && magnitude < __builtin_inff() && !is_nan(a))
      return __builtin_isinf(a) ? __builtin_nanf("") : __builtin_copysignf(0.0f, a) * __builtin_copysignf(1.0f, b);
    return a / b;
  }
};

// With one NaN: the other operand. -0 is less than +0.
template <class T>
struct FMin {
  static T run(T a, T b) { return is_nan(a) ? b : is_nan(b) ? a : a < b || (a == b && __builtin_signbit(a)) ? a : b; }
};
template <class T>
struct FMax {
  static T run(T a, T b) { return is_nan(a) ? b : is_nan(b) ? a : a > b || (a == b && !__builtin_signbit(a)) ? a : b; }
};
template <class F, class T>
struct NanWins {
  static T run(T a, T b) { return is_nan(a) ? a : is_nan(b) ? b : F::run(a, b); }
};
// .xorsign.abs: the magnitude of the one chosen by magnitude, the sign of both multiplied.
template <class F>
struct XorSign {
  static float run(float a, float b) {
    const uint32_t sign = (std::bit_cast<uint32_t>(a) ^ std::bit_cast<uint32_t>(b)) & 0x80000000u;
    const float r = F::run(FAbs32::run(a), FAbs32::run(b));
    return is_nan(r) ? r : std::bit_cast<float>((std::bit_cast<uint32_t>(r) & 0x7fffffffu) | sign);
  }
};
template <class F, class T>
struct Three {
  static T run(T a, T b, T c) { return F::run(F::run(a, b), c); }
};

template <class T>
struct Copysign {
  static T run(T a, T b) {  // The sign of a on the magnitude of b.
    constexpr T sign = T{1} << (8 * sizeof(T) - 1);
    return (b & ~sign) | (a & sign);
  }
};

template <class F, bool kFtz, bool kSat, class D, class... A>
struct FloatOf;
template <class F, bool kFtz, bool kSat, class D, class... A>
struct FloatOf<F, kFtz, kSat, D (*)(A...)> {
  static D run(A... a) { return finished(kFtz ? flush(F::run(flush(a)...)) : F::run(a...)); }
  static D rounded(Rounding r, A... a) {
    return finished(kFtz ? flush(F::rounded(r, flush(a)...)) : F::rounded(r, a...));
  }

 private:
  static D finished(D r) {
    r = canonical(r);
    return kSat ? saturate(r) : r;
  }
};
template <class F, bool kFtz, bool kSat>
using Float = FloatOf<F, kFtz, kSat, decltype(&F::run)>;

// abs and neg only touch the sign bit: a NaN keeps its payload.
template <class F>
struct FlushOnly {
  static float run(float a) { return F::run(flush(a)); }
};

// Half precision: computed in float and rounded once more, which is exact for two operands (24 >= 2 * 11 + 2 bits);
// fma goes through odd_fma.
template <class T>
inline T half_result(float r, bool sat, bool relu) {
  if (sat) r = saturate(r);
  if (relu && !(r > 0) && !is_nan(r)) r = 0.0f;
  return from_float<T>(r);
}
inline uint16_t flush_half(uint16_t bits) { return (bits & 0x7c00u) == 0 ? bits & 0x8000u : bits; }
inline Half maybe_flush(Half h, bool ftz) { return ftz ? Half{flush_half(h.bits)} : h; }
inline BHalf maybe_flush(BHalf h, bool) { return h; }

template <class F, class T, bool kFtz, bool kSat>
struct Half2Operands {
  static T run(T a, T b) {
    const float r = F::run(to_float(maybe_flush(a, kFtz)), to_float(maybe_flush(b, kFtz)));
    return maybe_flush(half_result<T>(r, kSat, false), kFtz);
  }
};
template <class F, class T, bool kFtz>
struct Half1Operand {
  static T run(T a) { return maybe_flush(from_float<T>(F::run(to_float(maybe_flush(a, kFtz)))), kFtz); }
};
template <class T, bool kFtz, bool kSat, bool kRelu>
struct HalfFma {
  static T run(T a, T b, T c) {
    const float r = odd_fma(to_float(maybe_flush(a, kFtz)), to_float(maybe_flush(b, kFtz)), to_float(maybe_flush(c, kFtz)));
    return maybe_flush(half_result<T>(r, kSat, kRelu), kFtz);
  }
};
// clang-format off
template <class T, bool kFtz> struct HalfNeg { static T run(T a) { a = maybe_flush(a, kFtz); return {static_cast<uint16_t>(a.bits ^ 0x8000u)}; } };
template <class T, bool kFtz> struct HalfAbs { static T run(T a) { a = maybe_flush(a, kFtz); return {static_cast<uint16_t>(a.bits & 0x7fffu)}; } };
// clang-format on

// The packed forms do the same to both halves.
template <class F, class P, class D, class... A>
struct PackedOf;
template <class F, class P, class D, class... A>
struct PackedOf<F, P, D (*)(A...)> {
  template <class>
  using Pair = P;
  static P run(Pair<A>... a) { return {F::run(a.lo...), F::run(a.hi...)}; }
};
template <class F, class P>
using Packed = PackedOf<F, P, decltype(&F::run)>;

// Comparisons, on values already flushed.
template <class T>
inline bool unordered(T a, T b) {
  if constexpr (std::is_floating_point_v<T>) return is_nan(a) || is_nan(b);
  else return false;
}
// clang-format off
template <class T> struct Eq { static bool run(T a, T b) { return a == b; } };
template <class T> struct Ne { static bool run(T a, T b) { return a != b && !unordered(a, b); } };
template <class T> struct Lt { static bool run(T a, T b) { return a < b; } };
template <class T> struct Le { static bool run(T a, T b) { return a <= b; } };
template <class T> struct Gt { static bool run(T a, T b) { return a > b; } };
template <class T> struct Ge { static bool run(T a, T b) { return a >= b; } };
template <class F, class T> struct OrUnordered { static bool run(T a, T b) { return F::run(a, b) || unordered(a, b); } };
template <class T> struct BothNumbers { static bool run(T a, T b) { return !unordered(a, b); } };
template <class T> struct EitherNan { static bool run(T a, T b) { return unordered(a, b); } };
// clang-format on
