// No include guard: each instruction-set build includes this inside its own namespace, so that the linker never mixes
// code compiled for one processor into another's. The includer has included <bit>, <cmath>, <cstdint>, <type_traits>.

struct Half {
  uint16_t bits;
};
struct BHalf {
  uint16_t bits;
};
struct Half2 {
  Half lo, hi;
};
struct BHalf2 {
  BHalf lo, hi;
};

/// Two integers of 16 bits.
template <class T>
struct Two {
  T lo, hi;
};

/// The type of a value of T in a register row: values narrower than 32 bits are in the low bits of 32.
template <class T>
using Lane = std::conditional_t<sizeof(T) == 8, uint64_t, uint32_t>;

template <class T>
inline T get(Lane<T> lane) {
  if constexpr (sizeof(T) == 1) return std::bit_cast<T>(static_cast<uint8_t>(lane));
  else if constexpr (sizeof(T) == 2) return std::bit_cast<T>(static_cast<uint16_t>(lane));
  else return std::bit_cast<T>(lane);
}

template <class T>
inline Lane<T> put(T value) {
  if constexpr (std::is_integral_v<T> && sizeof(T) < 4) return static_cast<uint32_t>(static_cast<int32_t>(value));
  else if constexpr (sizeof(T) == 2) return std::bit_cast<uint16_t>(value);
  else return std::bit_cast<Lane<T>>(value);
}

inline float to_float(Half h) {
  const uint32_t magnitude = h.bits & 0x7fffu;
  const uint32_t sign = static_cast<uint32_t>(h.bits & 0x8000u) << 16;
  if (magnitude >= 0x7c00u) return std::bit_cast<float>(sign | 0x7f800000u | (magnitude & 0x3ffu) << 13);
  const float value = std::bit_cast<float>(magnitude << 13) * 0x1p112f;
  return std::bit_cast<float>(sign | std::bit_cast<uint32_t>(value));
}
inline float to_float(BHalf h) { return std::bit_cast<float>(static_cast<uint32_t>(h.bits) << 16); }
inline float to_float(float f) { return f; }

template <class T>
T from_float(float f);

// Round to nearest even; NaN becomes the canonical 0x7fff.
template <>
inline Half from_float<Half>(float f) {
  const uint32_t bits = std::bit_cast<uint32_t>(f);
  const uint32_t magnitude = bits & 0x7fffffffu;
  const uint16_t sign = static_cast<uint16_t>(bits >> 16 & 0x8000u);
  if (magnitude > 0x7f800000u) return {0x7fff};
  if (magnitude >= 0x477ff000u) return {static_cast<uint16_t>(sign | 0x7c00u)};
  if (magnitude < 0x38800000u) {
    const float shifted = std::bit_cast<float>(magnitude) + 0.5f;  // The addition rounds to a multiple of 2^-24.
    return {static_cast<uint16_t>(sign | (std::bit_cast<uint32_t>(shifted) - 0x3f000000u))};
  }
  const uint32_t rounded = magnitude + 0xfffu + (magnitude >> 13 & 1u) - (112u << 23);
  return {static_cast<uint16_t>(sign | rounded >> 13)};
}
template <>
inline BHalf from_float<BHalf>(float f) {
  const uint32_t bits = std::bit_cast<uint32_t>(f);
  if ((bits & 0x7fffffffu) > 0x7f800000u) return {0x7fff};
  return {static_cast<uint16_t>((bits + 0x7fffu + (bits >> 16 & 1u)) >> 16)};
}
template <>
inline float from_float<float>(float f) {
  return f;
}

// The float next to `value + error` with the last bit set where that is inexact (round to odd), so that a later
// rounding to fewer bits equals a single one.
inline float odd_float(double value, double error) {
  const float nearest = static_cast<float>(value);
  if (!std::isfinite(nearest) || !std::isfinite(value)) return nearest;
  const double residual = (value - static_cast<double>(nearest)) + error;
  if (residual == 0.0) return nearest;
  uint32_t bits = std::bit_cast<uint32_t>(nearest);
  if (nearest == 0.0f) return std::bit_cast<float>((residual < 0 ? 0x80000000u : 0u) | 1u);
  if ((residual < 0) != (nearest < 0)) --bits;
  return std::bit_cast<float>(bits | 1u);
}

// a * b + c before its last rounding; for operands of at most 24 bits the product is exact in double.
inline float odd_fma(double a, double b, double c) {
  const double product = a * b;
  const double sum = product + c;
  const double back = sum - product;
  return odd_float(sum, (product - (sum - back)) + (c - back));
}

// a * b + c with one rounding. WebAssembly has no instruction for it, and the library's is slow and rounds ties wrong
// there, for want of rounding modes. The product is exact in double, and the sum is rounded to odd, so that its rounding
// to float is the only one.
#ifndef __wasm__
inline float fused(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
#else
inline float fused(float a, float b, float c) {
  const double product = static_cast<double>(a) * b, addend = c;
  const double sum = product + addend;
  const double back = sum - product;
  const double error = (product - (sum - back)) + (addend - back);
  const int64_t bits = std::bit_cast<int64_t>(sum);
  const int64_t toward_error = ((std::bit_cast<int64_t>(error) ^ bits) >> 63) | 1;
  const int64_t is_even = (bits & 1) - 1;  // All ones or none.
  const int64_t is_inexact = error < 0 || error > 0 ? -1 : 0;  // Of infinities the error is NaN.
  return static_cast<float>(std::bit_cast<double>(bits + (toward_error & is_even & is_inexact)));
}
#endif

inline bool is_nan(float f) { return f != f; }
inline bool is_nan(double f) { return f != f; }
inline float canonical(float f) { return is_nan(f) ? std::bit_cast<float>(0x7fffffffu) : f; }
inline double canonical(double f) { return f; }

inline uint32_t fused_bits(uint32_t a, uint32_t b, uint32_t c) {
  return std::bit_cast<uint32_t>(
      canonical(fused(std::bit_cast<float>(a), std::bit_cast<float>(b), std::bit_cast<float>(c))));
}

// result[l] = a[l] * b[l] + c[l] of 32 lanes, as the bits of floats, with one rounding and NaN as the hardware writes
// it. There must be room for two more behind the result: the last vector of two is written as one of four.
#ifndef __wasm__
inline void fused_lanes(const uint32_t* a, const uint32_t* b, const uint32_t* c, uint32_t* result) {
  for (int l = 0; l < 32; ++l) result[l] = fused_bits(a[l], b[l], c[l]);
}
#else
// As doubles, rounded twice. That differs from one rounding only where the sum was rounded to the middle between two
// floats, or where it is less than the least normal float: then all lanes are done again, as for 0 and NaN.
inline void fused_lanes(const uint32_t* a, const uint32_t* b, const uint32_t* c, uint32_t* result) {
  using Pair = float __attribute__((vector_size(8)));
  using Floats = float __attribute__((vector_size(16)));
  using Doubles = double __attribute__((vector_size(16)));
  using Bits = uint32_t __attribute__((vector_size(16)));
  struct Unaligned {
    Floats v __attribute__((packed, aligned(8)));
  };
  const auto at = [](const uint32_t* p) { return __builtin_convertvector(*reinterpret_cast<const Pair*>(p), Doubles); };
  const auto write = [](uint32_t* p, Doubles v) {
    reinterpret_cast<Unaligned*>(p)->v =
        __builtin_convertvector(__builtin_shufflevector(v, Doubles{}, 0, 1, 2, 3), Floats);
  };
  const auto least = [](Bits x, Bits y) { return x < y ? x : y; };
  const auto greatest = [](Bits x, Bits y) { return x > y ? x : y; };
  Bits from_middle = ~Bits{}, from_normal{};
  for (int l = 0; l < 32; l += 4) {
    const Doubles first = at(a + l) * at(b + l) + at(c + l), second = at(a + l + 2) * at(b + l + 2) + at(c + l + 2);
    write(result + l, first);
    write(result + l + 2, second);
    const Bits low = __builtin_shufflevector(Bits(first), Bits(second), 0, 2, 4, 6);
    const Bits high = __builtin_shufflevector(Bits(first), Bits(second), 1, 3, 5, 7);
    from_middle = least(from_middle, (low & 0x1fffffffu) ^ 0x10000000u);
    from_normal = greatest(from_normal, (high & 0x7fffffffu) - 0x38100000u);  // Of 2^-126.
  }
  const Bits doubtful = Bits(from_middle == 0u) | Bits(from_normal > 0x47e00000u);  // More than infinity's.
  if (__builtin_reduce_or(doubtful) == 0) return;
  for (int l = 0; l < 32; ++l) result[l] = fused_bits(a[l], b[l], c[l]);
}
#endif

// A subnormal becomes a zero of its sign.
inline float flush(float f) {
  const uint32_t bits = std::bit_cast<uint32_t>(f);
  return (bits & 0x7f800000u) == 0 ? std::bit_cast<float>(bits & 0x80000000u) : f;
}
inline double flush(double f) { return f; }

template <class T>
T saturate(T f) {
  return f > T{0} ? (f < T{1} ? f : T{1}) : T{0};  // NaN fails the first comparison: +0.
}
