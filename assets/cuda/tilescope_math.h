// Mathematical functions, for tilescope_cuda.h. What one PTX instruction does exactly is that instruction. The others are
// computed in float from ex2.approx or a series, most within 2 or 3 units in the last place, and pow and what is double
// from series in double: near nvcc's results, not bit for bit.
#pragma once
#pragma clang system_header

// One instruction each.
TILESCOPE_FUNCTION float fabsf(float x) { return __builtin_fabsf(x); }
TILESCOPE_FUNCTION float fminf(float x, float y) { return __builtin_fminf(x, y); }
TILESCOPE_FUNCTION float fmaxf(float x, float y) { return __builtin_fmaxf(x, y); }
TILESCOPE_FUNCTION float fmaf(float x, float y, float z) { return __builtin_fmaf(x, y, z); }
TILESCOPE_FUNCTION float floorf(float x) { return __builtin_floorf(x); }
TILESCOPE_FUNCTION float ceilf(float x) { return __builtin_ceilf(x); }
TILESCOPE_FUNCTION float truncf(float x) { return __builtin_truncf(x); }
TILESCOPE_FUNCTION float rintf(float x) { return __builtin_rintf(x); }
TILESCOPE_FUNCTION float nearbyintf(float x) { return __builtin_rintf(x); }
TILESCOPE_FUNCTION float copysignf(float x, float y) { return __builtin_copysignf(x, y); }
TILESCOPE_FUNCTION double fabs(double x) { return __builtin_fabs(x); }
TILESCOPE_FUNCTION double fmin(double x, double y) { return __builtin_fmin(x, y); }
TILESCOPE_FUNCTION double fmax(double x, double y) { return __builtin_fmax(x, y); }
TILESCOPE_FUNCTION double fma(double x, double y, double z) { return __builtin_fma(x, y, z); }
TILESCOPE_FUNCTION double floor(double x) { return __builtin_floor(x); }
TILESCOPE_FUNCTION double ceil(double x) { return __builtin_ceil(x); }
TILESCOPE_FUNCTION double trunc(double x) { return __builtin_trunc(x); }
TILESCOPE_FUNCTION double rint(double x) { return __builtin_rint(x); }
TILESCOPE_FUNCTION double sqrt(double x) { return __nvvm_sqrt_rn_d(x); }
TILESCOPE_FUNCTION bool isnan(float x) { return x != x; }
TILESCOPE_FUNCTION bool isnan(double x) { return x != x; }
TILESCOPE_FUNCTION bool isinf(float x) { return fabsf(x) == INFINITY; }
TILESCOPE_FUNCTION bool isinf(double x) { return fabs(x) == INFINITY; }
TILESCOPE_FUNCTION bool isfinite(float x) { return fabsf(x) < INFINITY; }
TILESCOPE_FUNCTION bool isfinite(double x) { return fabs(x) < INFINITY; }

TILESCOPE_FUNCTION float __fadd_rn(float x, float y) { return __nvvm_add_rn_f(x, y); }
TILESCOPE_FUNCTION float __fsub_rn(float x, float y) { return __nvvm_add_rn_f(x, -y); }
TILESCOPE_FUNCTION float __fmul_rn(float x, float y) { return __nvvm_mul_rn_f(x, y); }
TILESCOPE_FUNCTION float __fmaf_rn(float x, float y, float z) { return __nvvm_fma_rn_f(x, y, z); }
TILESCOPE_FUNCTION float __fdiv_rn(float x, float y) { return __nvvm_div_rn_f(x, y); }
TILESCOPE_FUNCTION float __frcp_rn(float x) { return __nvvm_rcp_rn_f(x); }
TILESCOPE_FUNCTION float __fsqrt_rn(float x) { return __nvvm_sqrt_rn_f(x); }
TILESCOPE_FUNCTION float __fdividef(float x, float y) { return __nvvm_div_approx_f(x, y); }
TILESCOPE_FUNCTION float __saturatef(float x) { return __nvvm_saturate_f(x); }
TILESCOPE_FUNCTION float rsqrtf(float x) { return __nvvm_rsqrt_approx_f(x); }
TILESCOPE_FUNCTION float __frsqrt_rn(float x) { return __nvvm_rsqrt_approx_f(x); }
TILESCOPE_FUNCTION float __exp2f(float x) { return __nvvm_ex2_approx_f(x); }
TILESCOPE_FUNCTION float __expf(float x) { return __nvvm_ex2_approx_f(x * 1.442695041f); }
TILESCOPE_FUNCTION float __exp10f(float x) { return __nvvm_ex2_approx_f(x * 3.321928095f); }
TILESCOPE_FUNCTION float __log2f(float x) { return __nvvm_lg2_approx_f(x); }
TILESCOPE_FUNCTION float __logf(float x) { return __nvvm_lg2_approx_f(x) * 0.6931471806f; }
TILESCOPE_FUNCTION float __log10f(float x) { return __nvvm_lg2_approx_f(x) * 0.3010299957f; }
TILESCOPE_FUNCTION float __sinf(float x) { return __nvvm_sin_approx_f(x); }
TILESCOPE_FUNCTION float __cosf(float x) { return __nvvm_cos_approx_f(x); }
TILESCOPE_FUNCTION float __tanf(float x) { return __fdividef(__sinf(x), __cosf(x)); }
TILESCOPE_FUNCTION float __powf(float x, float y) { return __nvvm_ex2_approx_f(y * __nvvm_lg2_approx_f(x)); }

#define TILESCOPE_CONVERSION(name, to, type, from, instruction, in, out) \
  TILESCOPE_FUNCTION type name(from x) {                                 \
    type result;                                                         \
    asm(instruction " %0, %1;" : out(result) : in(x));                   \
    return result;                                                       \
  }
TILESCOPE_CONVERSION(__float2int_rn, int, int, float, "cvt.rni.s32.f32", "f", "=r")
TILESCOPE_CONVERSION(__float2int_rz, int, int, float, "cvt.rzi.s32.f32", "f", "=r")
TILESCOPE_CONVERSION(__float2int_rd, int, int, float, "cvt.rmi.s32.f32", "f", "=r")
TILESCOPE_CONVERSION(__float2int_ru, int, int, float, "cvt.rpi.s32.f32", "f", "=r")
TILESCOPE_CONVERSION(__float2uint_rn, int, unsigned int, float, "cvt.rni.u32.f32", "f", "=r")
TILESCOPE_CONVERSION(__float2uint_rz, int, unsigned int, float, "cvt.rzi.u32.f32", "f", "=r")
TILESCOPE_FUNCTION float __int2float_rn(int x) { return (float)x; }
TILESCOPE_FUNCTION float __uint2float_rn(unsigned int x) { return (float)x; }
TILESCOPE_FUNCTION float __double2float_rn(double x) { return (float)x; }
TILESCOPE_FUNCTION int lrintf(float x) { return __float2int_rn(x); }

// Half away from zero.
TILESCOPE_FUNCTION float roundf(float x) {
  const float whole = truncf(x);
  return fabsf(x - whole) >= 0.5f ? whole + copysignf(1.0f, x) : copysignf(whole, x);
}
TILESCOPE_FUNCTION double round(double x) {
  const double whole = trunc(x);
  return fabs(x - whole) >= 0.5 ? whole + __builtin_copysign(1.0, x) : __builtin_copysign(whole, x);
}
TILESCOPE_FUNCTION float fdimf(float x, float y) { return x > y ? x - y : 0.0f; }

/// 2^n for a whole number of -252 to 254.
TILESCOPE_FUNCTION float tilescope_scale(float x, int n) {
  const int half = n / 2;
  return x * __int_as_float((half + 127) << 23) * __int_as_float((n - half + 127) << 23);
}
TILESCOPE_FUNCTION double tilescope_scale(double x, int n) {
  const int half = n / 2;
  return x * __longlong_as_double((long long)(half + 1023) << 52) * __longlong_as_double((long long)(n - half + 1023) << 52);
}
TILESCOPE_FUNCTION float ldexpf(float x, int n) {
  return tilescope_scale(x, n < -252 ? -252 : n > 254 ? 254 : n);
}

#ifdef TILESCOPE_FAST_MATH
TILESCOPE_FUNCTION float sqrtf(float x) { return __nvvm_sqrt_approx_f(x); }
TILESCOPE_FUNCTION float exp2f(float x) { return __exp2f(x); }
TILESCOPE_FUNCTION float expf(float x) { return __expf(x); }
TILESCOPE_FUNCTION float exp10f(float x) { return __exp10f(x); }
TILESCOPE_FUNCTION float log2f(float x) { return __log2f(x); }
TILESCOPE_FUNCTION float logf(float x) { return __logf(x); }
TILESCOPE_FUNCTION float log10f(float x) { return __log10f(x); }
TILESCOPE_FUNCTION float sinf(float x) { return __sinf(x); }
TILESCOPE_FUNCTION float cosf(float x) { return __cosf(x); }
TILESCOPE_FUNCTION float tanf(float x) { return __tanf(x); }
#else
#ifdef TILESCOPE_APPROXIMATE_SQRT
TILESCOPE_FUNCTION float sqrtf(float x) { return __nvvm_sqrt_approx_f(x); }
#else
TILESCOPE_FUNCTION float sqrtf(float x) { return __nvvm_sqrt_rn_f(x); }
#endif

/// 2^(x * (high + low)): the whole part goes to the exponent, the rest to ex2.approx.
TILESCOPE_FUNCTION float tilescope_exp(float x, float high, float low, float least, float most) {
  const float clamped = fminf(fmaxf(x, least), most);
  const float whole = rintf(clamped * high);
  const float rest = fmaf(clamped, low, fmaf(clamped, high, -whole));
  return isnan(x) ? x : tilescope_scale(__nvvm_ex2_approx_f(rest), (int)whole);
}
TILESCOPE_FUNCTION float exp2f(float x) { return tilescope_exp(x, 1.0f, 0.0f, -152.0f, 129.0f); }
TILESCOPE_FUNCTION float expf(float x) { return tilescope_exp(x, 1.442695022f, 1.925963033e-8f, -106.0f, 90.0f); }
TILESCOPE_FUNCTION float exp10f(float x) { return tilescope_exp(x, 3.321928024f, 7.060856e-8f, -46.0f, 39.0f); }

/// log(x) = exponent * ln 2 + 2 atanh((m - 1) / (m + 1)) with m of 2/3 to 4/3.
TILESCOPE_FUNCTION float logf(float x) {
  if (!(x > 0.0f) || x == INFINITY) return x == 0.0f ? -INFINITY : x > 0.0f ? x : NAN;
  const bool tiny = x < FLT_MIN;
  const int bits = __float_as_int(tiny ? x * 8388608.0f : x);
  const int exponent = (bits - 0x3f2aaaab) >> 23;
  const float m = __int_as_float(bits - (exponent << 23)) - 1.0f;
  const float s = m / (m + 2.0f), z = s * s;
  const float series = fmaf(z, fmaf(z, fmaf(z, fmaf(z, 0.18181818f, 0.22222222f), 0.28571429f), 0.4f), 0.66666667f);
  const float e = (float)(tiny ? exponent - 23 : exponent);
  // 2 s = m - s m, which keeps what the division rounded.
  return fmaf(e, 0.693147182f, fmaf(e, -1.904654e-9f, m - s * (m - z * series)));
}
TILESCOPE_FUNCTION float log2f(float x) { return logf(x) * 1.442695041f; }
TILESCOPE_FUNCTION float log10f(float x) { return logf(x) * 0.4342944819f; }

/// The sine of x plus so many quarter turns. Beyond 2^30 the reduction, which is in double, loses its last digits.
TILESCOPE_FUNCTION float tilescope_sine(float x, int quarters) {
  float rest;
  int turns;
  if (fabsf(x) < 48000.0f) {
    const float whole = rintf(x * 0.6366197724f);
    rest = fmaf(whole, -1.570796251f, x);
    rest = fmaf(whole, -7.549789416e-8f, rest);
    rest = fmaf(whole, -5.390302530e-15f, rest);
    turns = (int)whole;
  } else {
    const double whole = rint((double)x * 0.63661977236758134308);
    rest = (float)fma(whole, -6.123233995736766e-17, fma(whole, -1.5707963267948966192, (double)x));
    turns = (int)(long long)fma(-4.0, floor(whole * 0.25), whole);
  }
  turns += quarters;
  const float z = rest * rest;
  float result;
  if (turns & 1)
    result = fmaf(z, fmaf(z, fmaf(z, fmaf(z, fmaf(z, -2.755731922e-7f, 2.480158730e-5f), -1.388888889e-3f), 4.166666667e-2f), -0.5f), 1.0f);
  else
    result = fmaf(rest * z, fmaf(z, fmaf(z, fmaf(z, 2.755731922e-6f, -1.984126984e-4f), 8.333333333e-3f), -1.666666667e-1f), rest);
  return turns & 2 ? -result : result;
}
TILESCOPE_FUNCTION float sinf(float x) { return tilescope_sine(x, 0); }
TILESCOPE_FUNCTION float cosf(float x) { return tilescope_sine(x, 1); }
TILESCOPE_FUNCTION float tanf(float x) { return sinf(x) / cosf(x); }
#endif

TILESCOPE_FUNCTION float expm1f(float x) {
  if (fabsf(x) > 0.3f) return expf(x) - 1.0f;
  return fmaf(x * x, fmaf(x, fmaf(x, fmaf(x, fmaf(x, 1.984127e-4f, 1.388889e-3f), 8.333333e-3f), 4.166667e-2f), 0.16666667f) * x + 0.0f, 0.0f) +
         fmaf(x * x, 0.5f, x);
}
TILESCOPE_FUNCTION float log1pf(float x) {
  const float u = 1.0f + x;
  return u == 1.0f ? x : u == INFINITY ? u : logf(u) * (x / (u - 1.0f));
}
TILESCOPE_FUNCTION float sinhf(float x) {
  const float e = expm1f(fabsf(x));
  return copysignf(0.5f * (e + e / (e + 1.0f)), x);
}
TILESCOPE_FUNCTION float coshf(float x) {
  const float e = expf(fabsf(x));
  return 0.5f * e + 0.5f / e;
}
TILESCOPE_FUNCTION float tanhf(float x) {
  const float z = x * x;
  if (fabsf(x) < 0.35f)
    return fmaf(x * z, fmaf(z, fmaf(z, fmaf(z, fmaf(z, -8.863236e-3f, 2.186949e-2f), -5.396825e-2f), 1.333333e-1f), -3.333333e-1f), x);
  return copysignf(1.0f - 2.0f / (expf(2.0f * fabsf(x)) + 1.0f), x);
}
TILESCOPE_FUNCTION float hypotf(float x, float y) { return (float)sqrt((double)x * x + (double)y * y); }
TILESCOPE_FUNCTION float fmodf(float x, float y) {
  float rest = fabsf(x);
  const float by = fabsf(y);
  if (!(rest < INFINITY) || !(by > 0.0f)) return NAN;
  while (rest >= by) {
    float step = by;
    while (rest * 0.5f >= step) step *= 2.0f;
    rest -= step;
  }
  return copysignf(rest, x);
}

// In double.
TILESCOPE_FUNCTION double log(double x) {
  if (!(x > 0.0) || x == INFINITY) return x == 0.0 ? -(double)INFINITY : x > 0.0 ? x : (double)NAN;
  const bool tiny = x < DBL_MIN;
  const long long bits = __double_as_longlong(tiny ? x * 18014398509481984.0 : x);
  const int exponent = (int)((bits - 0x3fe5555555555555ll) >> 52);
  const double m = __longlong_as_double(bits - ((long long)exponent << 52)) - 1.0;
  const double s = m / (m + 2.0), z = s * s;
  double series = 2.0 / 23.0;
#pragma unroll
  for (int n = 21; n >= 3; n -= 2) series = fma(series, z, 2.0 / n);
  const double e = tiny ? exponent - 54 : exponent;
  return fma(e, 0.693147180559945286, fma(e, 2.319046813846299616e-17, m - s * (m - z * series)));
}
TILESCOPE_FUNCTION double exp(double x) {
  if (isnan(x)) return x;
  const double clamped = fmin(fmax(x, -760.0), 720.0);
  const double whole = rint(clamped * 1.4426950408889634074);
  const double rest = fma(whole, -2.319046813846299616e-17, fma(whole, -0.693147180559945286, clamped));
  double factorial = 1.0, series = 1.0, power = 1.0;
#pragma unroll
  for (int n = 1; n <= 13; ++n) {
    factorial *= n;
    power *= rest;
    series = fma(power, 1.0 / factorial, series);
  }
  return tilescope_scale(series, (int)whole);
}
TILESCOPE_FUNCTION double log2(double x) { return log(x) * 1.4426950408889634074; }
TILESCOPE_FUNCTION double log10(double x) { return log(x) * 0.43429448190325182765; }
TILESCOPE_FUNCTION double exp2(double x) { return exp(x * 0.69314718055994530942); }
/// With the sign and the special cases of C's pow.
TILESCOPE_FUNCTION double pow(double x, double y) {
  if (y == 0.0 || x == 1.0) return 1.0;
  const bool whole = trunc(y) == y, odd = whole && fabs(y) < 9007199254740992.0 && ((long long)y & 1);
  if (x < 0.0 && !whole && x != -(double)INFINITY) return NAN;
  const double size = x == 0.0 ? (y > 0.0 ? 0.0 : (double)INFINITY) : exp(y * log(fabs(x)));
  return odd ? __builtin_copysign(size, x) : size;
}
TILESCOPE_FUNCTION double tilescope_sine(double x, int quarters) {
  const double whole = rint(x * 0.63661977236758134308);
  const double rest = fma(whole, -6.123233995736766e-17, fma(whole, -1.5707963267948966192, x));
  const int turns = (int)(long long)whole + quarters;
  const double z = rest * rest;
  double term = turns & 1 ? 1.0 : rest, sum = term;
#pragma unroll
  for (int n = 1; n <= 10; ++n) {
    const int first = turns & 1 ? 2 * n - 1 : 2 * n;
    term *= -z / (double)(first * (first + 1));
    sum += term;
  }
  return turns & 2 ? -sum : sum;
}
TILESCOPE_FUNCTION double sin(double x) { return tilescope_sine(x, 0); }
TILESCOPE_FUNCTION double cos(double x) { return tilescope_sine(x, 1); }
TILESCOPE_FUNCTION double tan(double x) { return sin(x) / cos(x); }
TILESCOPE_FUNCTION double tanh(double x) {
  const double e = exp(-2.0 * fabs(x));
  return __builtin_copysign((1.0 - e) / (1.0 + e), x);
}
TILESCOPE_FUNCTION double rsqrt(double x) { return 1.0 / sqrt(x); }
TILESCOPE_FUNCTION float powf(float x, float y) { return (float)pow((double)x, (double)y); }
TILESCOPE_FUNCTION float cbrtf(float x) { return copysignf(powf(fabsf(x), 1.0f / 3.0f), x); }
/// The series of erf around 0; from 4 on a float is 1.
TILESCOPE_FUNCTION float erff(float x) {
  if (!(fabsf(x) < 4.0f)) return isnan(x) ? x : copysignf(1.0f, x);
  const double z = (double)x * x;
  double term = x, sum = x;
  for (int n = 1; n < 60; ++n) {
    term *= -z / n;
    sum += term / (2 * n + 1);
  }
  return (float)(sum * 1.1283791670955125739);
}
TILESCOPE_FUNCTION float erfcf(float x) { return 1.0f - erff(x); }

// C++'s overloads for float.
TILESCOPE_FUNCTION float min(float x, float y) { return fminf(x, y); }
TILESCOPE_FUNCTION float max(float x, float y) { return fmaxf(x, y); }
TILESCOPE_FUNCTION double min(double x, double y) { return fmin(x, y); }
TILESCOPE_FUNCTION double max(double x, double y) { return fmax(x, y); }
TILESCOPE_FUNCTION float fmin(float x, float y) { return fminf(x, y); }
TILESCOPE_FUNCTION float fmax(float x, float y) { return fmaxf(x, y); }
TILESCOPE_FUNCTION float fma(float x, float y, float z) { return fmaf(x, y, z); }
TILESCOPE_FUNCTION float pow(float x, float y) { return powf(x, y); }
TILESCOPE_FUNCTION float pow(float x, int y) { return powf(x, (float)y); }
TILESCOPE_FUNCTION double pow(double x, int y) { return pow(x, (double)y); }
#define TILESCOPE_OVERLOAD(name) \
  TILESCOPE_FUNCTION float name(float x) { return name##f(x); }
TILESCOPE_OVERLOAD(sqrt)
TILESCOPE_OVERLOAD(fabs)
TILESCOPE_OVERLOAD(exp)
TILESCOPE_OVERLOAD(exp2)
TILESCOPE_OVERLOAD(log)
TILESCOPE_OVERLOAD(log2)
TILESCOPE_OVERLOAD(log10)
TILESCOPE_OVERLOAD(sin)
TILESCOPE_OVERLOAD(cos)
TILESCOPE_OVERLOAD(tan)
TILESCOPE_OVERLOAD(tanh)
TILESCOPE_OVERLOAD(floor)
TILESCOPE_OVERLOAD(ceil)
TILESCOPE_OVERLOAD(trunc)
TILESCOPE_OVERLOAD(round)
TILESCOPE_OVERLOAD(rint)
TILESCOPE_OVERLOAD(rsqrt)
TILESCOPE_FUNCTION float abs(float x) { return fabsf(x); }
TILESCOPE_FUNCTION double abs(double x) { return fabs(x); }

// What is said with std:: before it.
namespace std {
using ::abs;
using ::ceil;
using ::cos;
using ::exp;
using ::fabs;
using ::floor;
using ::fma;
using ::fmax;
using ::fmin;
using ::isfinite;
using ::isinf;
using ::isnan;
using ::log;
using ::pow;
using ::round;
using ::sin;
using ::size_t;
using ::sqrt;
using ::tanh;
template <class T>
TILESCOPE_FUNCTION constexpr const T &min(const T &x, const T &y) {
  return y < x ? y : x;
}
template <class T>
TILESCOPE_FUNCTION constexpr const T &max(const T &x, const T &y) {
  return x < y ? y : x;
}
}  // namespace std
