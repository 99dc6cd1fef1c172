// Arithmetic with CUDA's vector types, by the names that helper_math.h of the CUDA samples gives it. Used where a file
// includes a header of this name and has none beside it.
#pragma once

#define TILESCOPE_VECTOR_FUNCTION inline __host__ __device__

TILESCOPE_VECTOR_FUNCTION float lerp(float a, float b, float t) { return a + t * (b - a); }
TILESCOPE_VECTOR_FUNCTION float clamp(float f, float a, float b) { return fmaxf(a, fminf(f, b)); }
TILESCOPE_VECTOR_FUNCTION int clamp(int f, int a, int b) { return f < a ? a : f > b ? b : f; }
TILESCOPE_VECTOR_FUNCTION unsigned clamp(unsigned f, unsigned a, unsigned b) { return f < a ? a : f > b ? b : f; }
TILESCOPE_VECTOR_FUNCTION float smoothstep(float a, float b, float x) {
  float y = clamp((x - a) / (b - a), 0.0f, 1.0f);
  return y * y * (3.0f - 2.0f * y);
}
TILESCOPE_VECTOR_FUNCTION float fracf(float v) { return v - floorf(v); }

// EACHn(f) is f for each component of a vector of n, with commas between.
#define TILESCOPE_EACH2(f) f(x), f(y)
#define TILESCOPE_EACH3(f) f(x), f(y), f(z)
#define TILESCOPE_EACH4(f) f(x), f(y), f(z), f(w)

#define TILESCOPE_SAME(c) s
#define TILESCOPE_NEGATIVE(c) -a.c
#define TILESCOPE_SUM(c) a.c + b.c
#define TILESCOPE_DIFFERENCE(c) a.c - b.c
#define TILESCOPE_PRODUCT(c) a.c* b.c
#define TILESCOPE_QUOTIENT(c) a.c / b.c
#define TILESCOPE_LEAST(c) a.c < b.c ? a.c : b.c
#define TILESCOPE_MOST(c) a.c > b.c ? a.c : b.c
#define TILESCOPE_LEAST_FLOAT(c) fminf(a.c, b.c)
#define TILESCOPE_MOST_FLOAT(c) fmaxf(a.c, b.c)
#define TILESCOPE_CLAMPED(c) clamp(v.c, a.c, b.c)
#define TILESCOPE_CLAMPED_SCALAR(c) clamp(v.c, a, b)
#define TILESCOPE_BETWEEN(c) a.c + t*(b.c - a.c)
#define TILESCOPE_FLOOR(c) floorf(v.c)
#define TILESCOPE_FRACTION(c) fracf(v.c)
#define TILESCOPE_REMAINDER(c) fmodf(a.c, b.c)
#define TILESCOPE_MAGNITUDE(c) fabsf(v.c)
#define TILESCOPE_MAGNITUDE_INT(c) abs(v.c)
#define TILESCOPE_STEP(c) smoothstep(a.c, b.c, x.c)

#define TILESCOPE_OPERATOR(type, n, scalar, op, f)                                                       \
  TILESCOPE_VECTOR_FUNCTION type##n operator op(type##n a, type##n b) { return {TILESCOPE_EACH##n(f)}; } \
  TILESCOPE_VECTOR_FUNCTION type##n operator op(type##n a, scalar s) {                                   \
    type##n b = {TILESCOPE_EACH##n(TILESCOPE_SAME)};                                                     \
    return a op b;                                                                                       \
  }                                                                                                      \
  TILESCOPE_VECTOR_FUNCTION type##n operator op(scalar s, type##n b) {                                   \
    type##n a = {TILESCOPE_EACH##n(TILESCOPE_SAME)};                                                     \
    return a op b;                                                                                       \
  }                                                                                                      \
  TILESCOPE_VECTOR_FUNCTION void operator op##=(type##n& a, type##n b) { a = a op b; }                   \
  TILESCOPE_VECTOR_FUNCTION void operator op##=(type##n& a, scalar s) { a = a op s; }

#define TILESCOPE_ARITHMETIC(type, n, scalar)                                                                \
  TILESCOPE_VECTOR_FUNCTION type##n make_##type##n(scalar s) { return {TILESCOPE_EACH##n(TILESCOPE_SAME)}; } \
  TILESCOPE_OPERATOR(type, n, scalar, +, TILESCOPE_SUM)                                                      \
  TILESCOPE_OPERATOR(type, n, scalar, -, TILESCOPE_DIFFERENCE)                                               \
  TILESCOPE_OPERATOR(type, n, scalar, *, TILESCOPE_PRODUCT)                                                  \
  TILESCOPE_OPERATOR(type, n, scalar, /, TILESCOPE_QUOTIENT)                                                 \
  TILESCOPE_VECTOR_FUNCTION type##n clamp(type##n v, scalar a, scalar b) {                                   \
    return {TILESCOPE_EACH##n(TILESCOPE_CLAMPED_SCALAR)};                                                    \
  }                                                                                                          \
  TILESCOPE_VECTOR_FUNCTION type##n clamp(type##n v, type##n a, type##n b) {                                 \
    return {TILESCOPE_EACH##n(TILESCOPE_CLAMPED)};                                                           \
  }

#define TILESCOPE_LEAST_AND_MOST(type, n)                                                                      \
  TILESCOPE_VECTOR_FUNCTION type##n min(type##n a, type##n b) { return {TILESCOPE_EACH##n(TILESCOPE_LEAST)}; } \
  TILESCOPE_VECTOR_FUNCTION type##n max(type##n a, type##n b) { return {TILESCOPE_EACH##n(TILESCOPE_MOST)}; }

#define TILESCOPE_SIGNED(type, n) \
  TILESCOPE_VECTOR_FUNCTION type##n operator-(type##n a) { return {TILESCOPE_EACH##n(TILESCOPE_NEGATIVE)}; }

#define TILESCOPE_REAL(n)                                                                                  \
  TILESCOPE_VECTOR_FUNCTION float##n fminf(float##n a, float##n b) {                                       \
    return {TILESCOPE_EACH##n(TILESCOPE_LEAST_FLOAT)};                                                     \
  }                                                                                                        \
  TILESCOPE_VECTOR_FUNCTION float##n fmaxf(float##n a, float##n b) {                                       \
    return {TILESCOPE_EACH##n(TILESCOPE_MOST_FLOAT)};                                                      \
  }                                                                                                        \
  TILESCOPE_VECTOR_FUNCTION float##n lerp(float##n a, float##n b, float t) {                               \
    return {TILESCOPE_EACH##n(TILESCOPE_BETWEEN)};                                                         \
  }                                                                                                        \
  TILESCOPE_VECTOR_FUNCTION float##n floorf(float##n v) { return {TILESCOPE_EACH##n(TILESCOPE_FLOOR)}; }   \
  TILESCOPE_VECTOR_FUNCTION float##n fracf(float##n v) { return {TILESCOPE_EACH##n(TILESCOPE_FRACTION)}; } \
  TILESCOPE_VECTOR_FUNCTION float##n fmodf(float##n a, float##n b) {                                       \
    return {TILESCOPE_EACH##n(TILESCOPE_REMAINDER)};                                                       \
  }                                                                                                        \
  TILESCOPE_VECTOR_FUNCTION float##n fabs(float##n v) { return {TILESCOPE_EACH##n(TILESCOPE_MAGNITUDE)}; } \
  TILESCOPE_VECTOR_FUNCTION float##n smoothstep(float##n a, float##n b, float##n x) {                      \
    return {TILESCOPE_EACH##n(TILESCOPE_STEP)};                                                            \
  }                                                                                                        \
  TILESCOPE_VECTOR_FUNCTION float length(float##n v) { return sqrtf(dot(v, v)); }                          \
  TILESCOPE_VECTOR_FUNCTION float##n normalize(float##n v) { return v * rsqrtf(dot(v, v)); }               \
  TILESCOPE_VECTOR_FUNCTION float##n reflect(float##n i, float##n normal) { return i - 2.0f * normal * dot(normal, i); }

#define TILESCOPE_DOTS(type, scalar)                                                                       \
  TILESCOPE_VECTOR_FUNCTION scalar dot(type##2 a, type##2 b) { return a.x * b.x + a.y * b.y; }             \
  TILESCOPE_VECTOR_FUNCTION scalar dot(type##3 a, type##3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; } \
  TILESCOPE_VECTOR_FUNCTION scalar dot(type##4 a, type##4 b) { return a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w; }

#define TILESCOPE_SHAPES(type, scalar)                                                            \
  TILESCOPE_VECTOR_FUNCTION type##2 make_##type##2(type##3 a) { return {a.x, a.y}; }              \
  TILESCOPE_VECTOR_FUNCTION type##3 make_##type##3(type##2 a) { return {a.x, a.y, 0}; }           \
  TILESCOPE_VECTOR_FUNCTION type##3 make_##type##3(type##2 a, scalar s) { return {a.x, a.y, s}; } \
  TILESCOPE_VECTOR_FUNCTION type##3 make_##type##3(type##4 a) { return {a.x, a.y, a.z}; }         \
  TILESCOPE_VECTOR_FUNCTION type##4 make_##type##4(type##3 a) { return {a.x, a.y, a.z, 0}; }      \
  TILESCOPE_VECTOR_FUNCTION type##4 make_##type##4(type##3 a, scalar s) { return {a.x, a.y, a.z, s}; }

#define TILESCOPE_CONVERSION(to, scalar, from)                                                                \
  TILESCOPE_VECTOR_FUNCTION to##2 make_##to##2(from##2 a) { return {scalar(a.x), scalar(a.y)}; }              \
  TILESCOPE_VECTOR_FUNCTION to##3 make_##to##3(from##3 a) { return {scalar(a.x), scalar(a.y), scalar(a.z)}; } \
  TILESCOPE_VECTOR_FUNCTION to##4 make_##to##4(from##4 a) {                                                   \
    return {scalar(a.x), scalar(a.y), scalar(a.z), scalar(a.w)};                                              \
  }

#define TILESCOPE_TYPE(type, scalar)    \
  TILESCOPE_ARITHMETIC(type, 2, scalar) \
  TILESCOPE_ARITHMETIC(type, 3, scalar) \
  TILESCOPE_ARITHMETIC(type, 4, scalar) \
  TILESCOPE_DOTS(type, scalar)          \
  TILESCOPE_SHAPES(type, scalar)

TILESCOPE_TYPE(float, float)
TILESCOPE_TYPE(int, int)
TILESCOPE_TYPE(uint, unsigned)
TILESCOPE_SIGNED(float, 2)
TILESCOPE_SIGNED(float, 3)
TILESCOPE_SIGNED(float, 4)
TILESCOPE_SIGNED(int, 2)
TILESCOPE_SIGNED(int, 3)
TILESCOPE_SIGNED(int, 4)
TILESCOPE_LEAST_AND_MOST(int, 2)
TILESCOPE_LEAST_AND_MOST(int, 3)
TILESCOPE_LEAST_AND_MOST(int, 4)
TILESCOPE_LEAST_AND_MOST(uint, 2)
TILESCOPE_LEAST_AND_MOST(uint, 3)
TILESCOPE_LEAST_AND_MOST(uint, 4)
TILESCOPE_REAL(2)
TILESCOPE_REAL(3)
TILESCOPE_REAL(4)
TILESCOPE_CONVERSION(float, float, int)
TILESCOPE_CONVERSION(float, float, uint)
TILESCOPE_CONVERSION(int, int, float)
TILESCOPE_CONVERSION(int, int, uint)
TILESCOPE_CONVERSION(uint, unsigned, int)

TILESCOPE_VECTOR_FUNCTION int2 abs(int2 v) { return {TILESCOPE_EACH2(TILESCOPE_MAGNITUDE_INT)}; }
TILESCOPE_VECTOR_FUNCTION int3 abs(int3 v) { return {TILESCOPE_EACH3(TILESCOPE_MAGNITUDE_INT)}; }
TILESCOPE_VECTOR_FUNCTION int4 abs(int4 v) { return {TILESCOPE_EACH4(TILESCOPE_MAGNITUDE_INT)}; }
TILESCOPE_VECTOR_FUNCTION float3 cross(float3 a, float3 b) {
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
