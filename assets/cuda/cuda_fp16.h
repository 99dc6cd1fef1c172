// Half-precision (f16) numbers and pairs of them, by the names of the CUDA Math API: what products, sums and conversions need.
#pragma once

struct __half {
  unsigned short bits;
  __half() = default;
  TILESCOPE_MEMBER __half(float x) { asm("cvt.rn.f16.f32 %0, %1;" : "=h"(bits) : "f"(x)); }
  TILESCOPE_MEMBER __half(double x) : __half((float)x) {}
  TILESCOPE_MEMBER __half(int x) : __half((float)x) {}
  TILESCOPE_MEMBER operator float() const {
    float result;
    asm("cvt.f32.f16 %0, %1;" : "=f"(result) : "h"(bits));
    return result;
  }
};
struct __align__(4) __half2 {
  __half x, y;
  __half2() = default;
  TILESCOPE_MEMBER __half2(__half x, __half y) : x(x), y(y) {}
};
typedef __half half;
typedef __half2 half2;

TILESCOPE_FUNCTION __half __float2half(float x) { return __half(x); }
TILESCOPE_FUNCTION __half __float2half_rn(float x) { return __half(x); }
TILESCOPE_FUNCTION float __half2float(__half x) { return (float)x; }
TILESCOPE_FUNCTION __half2 __floats2half2_rn(float x, float y) { return {__half(x), __half(y)}; }
TILESCOPE_FUNCTION __half2 __float22half2_rn(float2 v) { return {__half(v.x), __half(v.y)}; }
TILESCOPE_FUNCTION __half2 __float2half2_rn(float x) { return {__half(x), __half(x)}; }
TILESCOPE_FUNCTION float2 __half22float2(__half2 v) { return {(float)v.x, (float)v.y}; }
TILESCOPE_FUNCTION __half2 __half2half2(__half x) { return {x, x}; }
TILESCOPE_FUNCTION __half2 __halves2half2(__half x, __half y) { return {x, y}; }
TILESCOPE_FUNCTION __half __low2half(__half2 v) { return v.x; }
TILESCOPE_FUNCTION __half __high2half(__half2 v) { return v.y; }
TILESCOPE_FUNCTION float __low2float(__half2 v) { return (float)v.x; }
TILESCOPE_FUNCTION float __high2float(__half2 v) { return (float)v.y; }
TILESCOPE_FUNCTION unsigned short __half_as_ushort(__half x) { return x.bits; }
TILESCOPE_FUNCTION __half __ushort_as_half(unsigned short bits) { return __builtin_bit_cast(__half, bits); }

#define TILESCOPE_PACKED(name, instruction)                                                        \
  TILESCOPE_FUNCTION __half2 name(__half2 a, __half2 b) {                                                \
    unsigned int result;                                                                           \
    asm(instruction                                                                                \
        : "=r"(result)                                                                             \
        : "r"(__builtin_bit_cast(unsigned int, a)), "r"(__builtin_bit_cast(unsigned int, b)));     \
    return __builtin_bit_cast(__half2, result);                                                       \
  }
#define TILESCOPE_SINGLE(name, instruction)                                        \
  TILESCOPE_FUNCTION __half name(__half a, __half b) {                                  \
    unsigned short result;                                                         \
    asm(instruction : "=h"(result) : "h"(a.bits), "h"(b.bits));                    \
    return __builtin_bit_cast(__half, result);                                       \
  }
TILESCOPE_SINGLE(__hadd, "add.f16 %0, %1, %2;")
TILESCOPE_PACKED(__hadd2, "add.f16x2 %0, %1, %2;")
TILESCOPE_SINGLE(__hsub, "sub.f16 %0, %1, %2;")
TILESCOPE_PACKED(__hsub2, "sub.f16x2 %0, %1, %2;")
TILESCOPE_SINGLE(__hmul, "mul.f16 %0, %1, %2;")
TILESCOPE_PACKED(__hmul2, "mul.f16x2 %0, %1, %2;")
#if __CUDA_ARCH__ >= 800
TILESCOPE_SINGLE(__hmin, "min.f16 %0, %1, %2;")
TILESCOPE_SINGLE(__hmax, "max.f16 %0, %1, %2;")
TILESCOPE_PACKED(__hmin2, "min.f16x2 %0, %1, %2;")
TILESCOPE_PACKED(__hmax2, "max.f16x2 %0, %1, %2;")
#endif
#undef TILESCOPE_PACKED
#undef TILESCOPE_SINGLE
TILESCOPE_FUNCTION __half __hfma(__half a, __half b, __half c) {
  unsigned short result;
  asm("fma.rn.f16 %0, %1, %2, %3;" : "=h"(result) : "h"(a.bits), "h"(b.bits), "h"(c.bits));
  return __builtin_bit_cast(__half, result);
}
TILESCOPE_FUNCTION __half2 __hfma2(__half2 a, __half2 b, __half2 c) {
  unsigned int result;
  asm("fma.rn.f16x2 %0, %1, %2, %3;"
      : "=r"(result)
      : "r"(__builtin_bit_cast(unsigned int, a)), "r"(__builtin_bit_cast(unsigned int, b)),
        "r"(__builtin_bit_cast(unsigned int, c)));
  return __builtin_bit_cast(__half2, result);
}
TILESCOPE_FUNCTION __half __hneg(__half x) { return __ushort_as_half(x.bits ^ 0x8000); }
TILESCOPE_FUNCTION __half __habs(__half x) { return __ushort_as_half(x.bits & 0x7fff); }
TILESCOPE_FUNCTION __half __hdiv(__half a, __half b) { return __half((float)a / (float)b); }
TILESCOPE_FUNCTION bool __hgt(__half a, __half b) { return (float)a > (float)b; }
TILESCOPE_FUNCTION bool __hlt(__half a, __half b) { return (float)a < (float)b; }
TILESCOPE_FUNCTION bool __hge(__half a, __half b) { return (float)a >= (float)b; }
TILESCOPE_FUNCTION bool __hle(__half a, __half b) { return (float)a <= (float)b; }
TILESCOPE_FUNCTION bool __heq(__half a, __half b) { return (float)a == (float)b; }

TILESCOPE_FUNCTION __half operator+(__half a, __half b) { return __hadd(a, b); }
TILESCOPE_FUNCTION __half operator-(__half a, __half b) { return __hsub(a, b); }
TILESCOPE_FUNCTION __half operator*(__half a, __half b) { return __hmul(a, b); }
TILESCOPE_FUNCTION __half operator/(__half a, __half b) { return __hdiv(a, b); }
TILESCOPE_FUNCTION __half operator-(__half a) { return __hneg(a); }
TILESCOPE_FUNCTION __half &operator+=(__half &a, __half b) { return a = a + b; }
TILESCOPE_FUNCTION __half &operator-=(__half &a, __half b) { return a = a - b; }
TILESCOPE_FUNCTION __half &operator*=(__half &a, __half b) { return a = a * b; }
TILESCOPE_FUNCTION bool operator<(__half a, __half b) { return __hlt(a, b); }
TILESCOPE_FUNCTION bool operator>(__half a, __half b) { return __hgt(a, b); }
TILESCOPE_FUNCTION bool operator<=(__half a, __half b) { return __hle(a, b); }
TILESCOPE_FUNCTION bool operator>=(__half a, __half b) { return __hge(a, b); }
TILESCOPE_FUNCTION bool operator==(__half a, __half b) { return __heq(a, b); }
TILESCOPE_FUNCTION bool operator!=(__half a, __half b) { return !__heq(a, b); }
TILESCOPE_FUNCTION __half2 operator+(__half2 a, __half2 b) { return __hadd2(a, b); }
TILESCOPE_FUNCTION __half2 operator-(__half2 a, __half2 b) { return __hsub2(a, b); }
TILESCOPE_FUNCTION __half2 operator*(__half2 a, __half2 b) { return __hmul2(a, b); }

TILESCOPE_FUNCTION __half __int2half_rn(int x) { return __half((float)x); }
TILESCOPE_FUNCTION int __half2int_rn(__half x) { return __float2int_rn((float)x); }
TILESCOPE_FUNCTION __half hexp(__half x) { return __half(expf((float)x)); }
TILESCOPE_FUNCTION __half hsqrt(__half x) { return __half(sqrtf((float)x)); }
TILESCOPE_FUNCTION __half __ldg(const __half *at) { return *at; }
