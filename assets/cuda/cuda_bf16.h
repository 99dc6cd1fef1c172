// bfloat16 numbers and pairs of them, by the names of the CUDA Math API: what products, sums and conversions need.
#pragma once

#if __CUDA_ARCH__ < 800
#error "bfloat16 needs sm_80 or newer."
#endif

struct __nv_bfloat16 {
  unsigned short bits;
  __nv_bfloat16() = default;
  TILESCOPE_MEMBER __nv_bfloat16(float x) { asm("cvt.rn.bf16.f32 %0, %1;" : "=h"(bits) : "f"(x)); }
  TILESCOPE_MEMBER __nv_bfloat16(double x) : __nv_bfloat16((float)x) {}
  TILESCOPE_MEMBER __nv_bfloat16(int x) : __nv_bfloat16((float)x) {}
  TILESCOPE_MEMBER operator float() const {
    return __uint_as_float((unsigned int)bits << 16);
  }
};
struct __align__(4) __nv_bfloat162 {
  __nv_bfloat16 x, y;
  __nv_bfloat162() = default;
  TILESCOPE_MEMBER __nv_bfloat162(__nv_bfloat16 x, __nv_bfloat16 y) : x(x), y(y) {}
};
typedef __nv_bfloat16 nv_bfloat16;
typedef __nv_bfloat162 nv_bfloat162;

TILESCOPE_FUNCTION __nv_bfloat16 __float2bfloat16(float x) { return __nv_bfloat16(x); }
TILESCOPE_FUNCTION __nv_bfloat16 __float2bfloat16_rn(float x) { return __nv_bfloat16(x); }
TILESCOPE_FUNCTION float __bfloat162float(__nv_bfloat16 x) { return (float)x; }
TILESCOPE_FUNCTION __nv_bfloat162 __floats2bfloat162_rn(float x, float y) { return {__nv_bfloat16(x), __nv_bfloat16(y)}; }
TILESCOPE_FUNCTION __nv_bfloat162 __float22bfloat162_rn(float2 v) { return {__nv_bfloat16(v.x), __nv_bfloat16(v.y)}; }
TILESCOPE_FUNCTION __nv_bfloat162 __float2bfloat162_rn(float x) { return {__nv_bfloat16(x), __nv_bfloat16(x)}; }
TILESCOPE_FUNCTION float2 __bfloat1622float2(__nv_bfloat162 v) { return {(float)v.x, (float)v.y}; }
TILESCOPE_FUNCTION __nv_bfloat162 __bfloat162bfloat162(__nv_bfloat16 x) { return {x, x}; }
TILESCOPE_FUNCTION __nv_bfloat162 __halves2bfloat162(__nv_bfloat16 x, __nv_bfloat16 y) { return {x, y}; }
TILESCOPE_FUNCTION __nv_bfloat16 __low2bfloat16(__nv_bfloat162 v) { return v.x; }
TILESCOPE_FUNCTION __nv_bfloat16 __high2bfloat16(__nv_bfloat162 v) { return v.y; }
TILESCOPE_FUNCTION float __low2float(__nv_bfloat162 v) { return (float)v.x; }
TILESCOPE_FUNCTION float __high2float(__nv_bfloat162 v) { return (float)v.y; }
TILESCOPE_FUNCTION unsigned short __bfloat16_as_ushort(__nv_bfloat16 x) { return x.bits; }
TILESCOPE_FUNCTION __nv_bfloat16 __ushort_as_bfloat16(unsigned short bits) { return __builtin_bit_cast(__nv_bfloat16, bits); }

#define TILESCOPE_PACKED(name, instruction)                                                        \
  TILESCOPE_FUNCTION __nv_bfloat162 name(__nv_bfloat162 a, __nv_bfloat162 b) {                                                \
    unsigned int result;                                                                           \
    asm(instruction                                                                                \
        : "=r"(result)                                                                             \
        : "r"(__builtin_bit_cast(unsigned int, a)), "r"(__builtin_bit_cast(unsigned int, b)));     \
    return __builtin_bit_cast(__nv_bfloat162, result);                                                       \
  }
#define TILESCOPE_SINGLE(name, instruction)                                        \
  TILESCOPE_FUNCTION __nv_bfloat16 name(__nv_bfloat16 a, __nv_bfloat16 b) {                                  \
    unsigned short result;                                                         \
    asm(instruction : "=h"(result) : "h"(a.bits), "h"(b.bits));                    \
    return __builtin_bit_cast(__nv_bfloat16, result);                                       \
  }
TILESCOPE_SINGLE(__hadd, "{.reg .b16 c; mov.b16 c, 0x3f80U; fma.rn.bf16 %0, %1, c, %2;}")
TILESCOPE_SINGLE(__hsub, "{.reg .b16 c; mov.b16 c, 0xbf80U; fma.rn.bf16 %0, %2, c, %1;}")
TILESCOPE_SINGLE(__hmul, "{.reg .b16 c; mov.b16 c, 0x8000U; fma.rn.bf16 %0, %1, %2, c;}")
TILESCOPE_PACKED(__hadd2, "{.reg .b32 c; mov.b32 c, 0x3f803f80U; fma.rn.bf16x2 %0, %1, c, %2;}")
TILESCOPE_PACKED(__hsub2, "{.reg .b32 c; mov.b32 c, 0xbf80bf80U; fma.rn.bf16x2 %0, %2, c, %1;}")
TILESCOPE_PACKED(__hmul2, "{.reg .b32 c; mov.b32 c, 0x80008000U; fma.rn.bf16x2 %0, %1, %2, c;}")
TILESCOPE_SINGLE(__hmin, "min.bf16 %0, %1, %2;")
TILESCOPE_SINGLE(__hmax, "max.bf16 %0, %1, %2;")
#undef TILESCOPE_PACKED
#undef TILESCOPE_SINGLE
TILESCOPE_FUNCTION __nv_bfloat16 __hfma(__nv_bfloat16 a, __nv_bfloat16 b, __nv_bfloat16 c) {
  unsigned short result;
  asm("fma.rn.bf16 %0, %1, %2, %3;" : "=h"(result) : "h"(a.bits), "h"(b.bits), "h"(c.bits));
  return __builtin_bit_cast(__nv_bfloat16, result);
}
TILESCOPE_FUNCTION __nv_bfloat162 __hfma2(__nv_bfloat162 a, __nv_bfloat162 b, __nv_bfloat162 c) {
  unsigned int result;
  asm("fma.rn.bf16x2 %0, %1, %2, %3;"
      : "=r"(result)
      : "r"(__builtin_bit_cast(unsigned int, a)), "r"(__builtin_bit_cast(unsigned int, b)),
        "r"(__builtin_bit_cast(unsigned int, c)));
  return __builtin_bit_cast(__nv_bfloat162, result);
}
TILESCOPE_FUNCTION __nv_bfloat16 __hneg(__nv_bfloat16 x) { return __ushort_as_bfloat16(x.bits ^ 0x8000); }
TILESCOPE_FUNCTION __nv_bfloat16 __habs(__nv_bfloat16 x) { return __ushort_as_bfloat16(x.bits & 0x7fff); }
TILESCOPE_FUNCTION __nv_bfloat16 __hdiv(__nv_bfloat16 a, __nv_bfloat16 b) { return __nv_bfloat16((float)a / (float)b); }
TILESCOPE_FUNCTION bool __hgt(__nv_bfloat16 a, __nv_bfloat16 b) { return (float)a > (float)b; }
TILESCOPE_FUNCTION bool __hlt(__nv_bfloat16 a, __nv_bfloat16 b) { return (float)a < (float)b; }
TILESCOPE_FUNCTION bool __hge(__nv_bfloat16 a, __nv_bfloat16 b) { return (float)a >= (float)b; }
TILESCOPE_FUNCTION bool __hle(__nv_bfloat16 a, __nv_bfloat16 b) { return (float)a <= (float)b; }
TILESCOPE_FUNCTION bool __heq(__nv_bfloat16 a, __nv_bfloat16 b) { return (float)a == (float)b; }

TILESCOPE_FUNCTION __nv_bfloat16 operator+(__nv_bfloat16 a, __nv_bfloat16 b) { return __hadd(a, b); }
TILESCOPE_FUNCTION __nv_bfloat16 operator-(__nv_bfloat16 a, __nv_bfloat16 b) { return __hsub(a, b); }
TILESCOPE_FUNCTION __nv_bfloat16 operator*(__nv_bfloat16 a, __nv_bfloat16 b) { return __hmul(a, b); }
TILESCOPE_FUNCTION __nv_bfloat16 operator/(__nv_bfloat16 a, __nv_bfloat16 b) { return __hdiv(a, b); }
TILESCOPE_FUNCTION __nv_bfloat16 operator-(__nv_bfloat16 a) { return __hneg(a); }
TILESCOPE_FUNCTION __nv_bfloat16 &operator+=(__nv_bfloat16 &a, __nv_bfloat16 b) { return a = a + b; }
TILESCOPE_FUNCTION __nv_bfloat16 &operator-=(__nv_bfloat16 &a, __nv_bfloat16 b) { return a = a - b; }
TILESCOPE_FUNCTION __nv_bfloat16 &operator*=(__nv_bfloat16 &a, __nv_bfloat16 b) { return a = a * b; }
TILESCOPE_FUNCTION bool operator<(__nv_bfloat16 a, __nv_bfloat16 b) { return __hlt(a, b); }
TILESCOPE_FUNCTION bool operator>(__nv_bfloat16 a, __nv_bfloat16 b) { return __hgt(a, b); }
TILESCOPE_FUNCTION bool operator<=(__nv_bfloat16 a, __nv_bfloat16 b) { return __hle(a, b); }
TILESCOPE_FUNCTION bool operator>=(__nv_bfloat16 a, __nv_bfloat16 b) { return __hge(a, b); }
TILESCOPE_FUNCTION bool operator==(__nv_bfloat16 a, __nv_bfloat16 b) { return __heq(a, b); }
TILESCOPE_FUNCTION bool operator!=(__nv_bfloat16 a, __nv_bfloat16 b) { return !__heq(a, b); }
TILESCOPE_FUNCTION __nv_bfloat162 operator+(__nv_bfloat162 a, __nv_bfloat162 b) { return __hadd2(a, b); }
TILESCOPE_FUNCTION __nv_bfloat162 operator-(__nv_bfloat162 a, __nv_bfloat162 b) { return __hsub2(a, b); }
TILESCOPE_FUNCTION __nv_bfloat162 operator*(__nv_bfloat162 a, __nv_bfloat162 b) { return __hmul2(a, b); }
