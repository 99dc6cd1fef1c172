// What device code finds without any include when clang compiles it in NVRTC's place: CUDA's keywords, built-in
// variables, vector types and functions, by the names and with the meanings of the CUDA C++ Programming Guide, on
// clang's builtins for NVPTX and on PTX. docs/compilers.md says what is missing.
//
// Functions are always inlined and carry no lines of their own (nodebug), so that an instruction has the user's line.
#pragma once
#pragma clang system_header

#define __host__ __attribute__((host))
#define __device__ __attribute__((device))
#define __global__ __attribute__((global))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))
#define __managed__ __attribute__((device))
#define __launch_bounds__(...) __attribute__((launch_bounds(__VA_ARGS__)))
#define __forceinline__ __inline__ __attribute__((always_inline))
#define __noinline__ __attribute__((noinline))
#define __align__(n) __attribute__((aligned(n)))
#define __builtin_align__(n) __align__(n)
#define __grid_constant__
#define __cluster_dims__(...) _Pragma("GCC error \"clang compiles no __cluster_dims__; compile with NVRTC\"")
#define TILESCOPE_FUNCTION static __inline__ __device__ __attribute__((always_inline, nodebug))
#define TILESCOPE_MEMBER __device__ __attribute__((always_inline, nodebug))
#define TILESCOPE_BOTH __host__ TILESCOPE_MEMBER

typedef __SIZE_TYPE__ size_t;
typedef __PTRDIFF_TYPE__ ptrdiff_t;
typedef decltype(nullptr) nullptr_t;
typedef signed char int8_t;
typedef unsigned char uint8_t;
typedef short int16_t;
typedef unsigned short uint16_t;
typedef int int32_t;
typedef unsigned int uint32_t;
typedef long long int64_t;
typedef unsigned long long uint64_t;
typedef long long intptr_t;
typedef unsigned long long uintptr_t;
typedef unsigned char uchar;
typedef unsigned short ushort;
typedef unsigned int uint;
typedef unsigned long ulong;
typedef int cudaError_t;
typedef struct CUstream_st *cudaStream_t;
typedef unsigned long long cudaTextureObject_t;
#define NULL __null
#define offsetof(type, member) __builtin_offsetof(type, member)

#define CHAR_BIT 8
#define SCHAR_MAX 127
#define SCHAR_MIN (-128)
#define UCHAR_MAX 255
#define SHRT_MAX 32767
#define SHRT_MIN (-32768)
#define USHRT_MAX 65535
#define INT_MAX 2147483647
#define INT_MIN (-INT_MAX - 1)
#define UINT_MAX 4294967295u
#define LLONG_MAX 9223372036854775807ll
#define LLONG_MIN (-LLONG_MAX - 1)
#define ULLONG_MAX 18446744073709551615ull
#define LONG_MAX 9223372036854775807l
#define LONG_MIN (-LONG_MAX - 1)
#define ULONG_MAX 18446744073709551615ul
#define INT32_MAX INT_MAX
#define INT32_MIN INT_MIN
#define UINT32_MAX UINT_MAX
#define INT64_MAX LLONG_MAX
#define INT64_MIN LLONG_MIN
#define UINT64_MAX ULLONG_MAX
#define FLT_MAX 3.402823466e+38f
#define FLT_MIN 1.175494351e-38f
#define FLT_EPSILON 1.192092896e-07f
#define DBL_MAX 1.7976931348623157e+308
#define DBL_MIN 2.2250738585072014e-308
#define DBL_EPSILON 2.2204460492503131e-16
#define INFINITY __builtin_inff()
#define NAN __builtin_nanf("")
#define HUGE_VALF __builtin_inff()
#define HUGE_VAL __builtin_inf()
#define M_PI 3.14159265358979323846
#define M_PI_2 1.57079632679489661923
#define M_E 2.7182818284590452354
#define M_LN2 0.69314718055994530942
#define M_LOG2E 1.4426950408889634074
#define M_SQRT2 1.41421356237309504880
#define M_SQRT1_2 0.70710678118654752440

// Vector types: x, y, z, w, aligned as CUDA aligns them (Programming Guide, "Built-in Vector Types"). Those of 8 and 16
// bytes of whole words are copied by one vector instruction, as NVRTC copies them; clang would take them apart.
#define TILESCOPE_MAKERS(name, scalar)                                                                     \
  struct name##1 {                                                                                         \
    scalar x;                                                                                              \
  };                                                                                                       \
  struct name##3 {                                                                                         \
    scalar x, y, z;                                                                                        \
  };                                                                                                       \
  TILESCOPE_FUNCTION name##1 make_##name##1(scalar x) { return {x}; }                                      \
  TILESCOPE_FUNCTION name##2 make_##name##2(scalar x, scalar y) { return {x, y}; }                         \
  TILESCOPE_FUNCTION name##3 make_##name##3(scalar x, scalar y, scalar z) { return {x, y, z}; }            \
  TILESCOPE_FUNCTION name##4 make_##name##4(scalar x, scalar y, scalar z, scalar w) { return {x, y, z, w}; }
#define TILESCOPE_STRUCT(name, scalar, count, align, ...) \
  struct __align__(align) name##count {                   \
    scalar __VA_ARGS__;                                   \
  };
#define TILESCOPE_COPY(type, native)                                                          \
  type() = default;                                                                           \
  TILESCOPE_BOTH type(const type &from) { *(native *)this = *(const native *)&from; }         \
  TILESCOPE_BOTH type &operator=(type from) {                                                 \
    *(native *)this = *(const native *)&from;                                                 \
    return *this;                                                                             \
  }
#define TILESCOPE_COPIED2(name, scalar, align)                                                            \
  typedef scalar tilescope_##name##2 __attribute__((ext_vector_type(2), may_alias, aligned(align)));      \
  struct __align__(align) name##2 {                                                                       \
    scalar x, y;                                                                                          \
    constexpr TILESCOPE_BOTH name##2(scalar x, scalar y = 0) : x(x), y(y) {}                              \
    TILESCOPE_COPY(name##2, tilescope_##name##2)                                                          \
  };
#define TILESCOPE_COPIED4(name, scalar)                                                                   \
  typedef scalar tilescope_##name##4 __attribute__((ext_vector_type(4), may_alias, aligned(16)));         \
  struct __align__(16) name##4 {                                                                          \
    scalar x, y, z, w;                                                                                    \
    constexpr TILESCOPE_BOTH name##4(scalar x, scalar y = 0, scalar z = 0, scalar w = 0)                  \
        : x(x), y(y), z(z), w(w) {}                                                                       \
    TILESCOPE_COPY(name##4, tilescope_##name##4)                                                          \
  };
#define TILESCOPE_SMALL(name, scalar, align2, align4) \
  TILESCOPE_STRUCT(name, scalar, 2, align2, x, y)     \
  TILESCOPE_STRUCT(name, scalar, 4, align4, x, y, z, w) \
  TILESCOPE_MAKERS(name, scalar)
#define TILESCOPE_WORDS(name, scalar) \
  TILESCOPE_COPIED2(name, scalar, 8)  \
  TILESCOPE_COPIED4(name, scalar)     \
  TILESCOPE_MAKERS(name, scalar)
#define TILESCOPE_LONG(name, scalar)              \
  TILESCOPE_COPIED2(name, scalar, 16)             \
  TILESCOPE_STRUCT(name, scalar, 4, 16, x, y, z, w) \
  TILESCOPE_MAKERS(name, scalar)
TILESCOPE_SMALL(char, signed char, 2, 4)
TILESCOPE_SMALL(uchar, unsigned char, 2, 4)
TILESCOPE_SMALL(short, short, 4, 8)
TILESCOPE_SMALL(ushort, unsigned short, 4, 8)
TILESCOPE_WORDS(int, int)
TILESCOPE_WORDS(uint, unsigned int)
TILESCOPE_WORDS(float, float)
TILESCOPE_LONG(long, long)
TILESCOPE_LONG(ulong, unsigned long)
TILESCOPE_LONG(longlong, long long)
TILESCOPE_LONG(ulonglong, unsigned long long)
TILESCOPE_LONG(double, double)

struct dim3 {
  unsigned int x, y, z;
  __host__ __device__ constexpr dim3(unsigned int x = 1, unsigned int y = 1, unsigned int z = 1) : x(x), y(y), z(z) {}
  __host__ __device__ constexpr dim3(uint3 v) : x(v.x), y(v.y), z(v.z) {}
  __host__ __device__ constexpr operator uint3() const { return {x, y, z}; }
};

// threadIdx.x and its kin read a special register each.
#define TILESCOPE_REGISTERS(type, name, read)                                                    \
  struct tilescope_##type {                                                                      \
    __declspec(property(get = get_x)) unsigned int x;                                            \
    __declspec(property(get = get_y)) unsigned int y;                                            \
    __declspec(property(get = get_z)) unsigned int z;                                            \
    TILESCOPE_MEMBER static unsigned int get_x() { return __nvvm_read_ptx_sreg_##read##_x(); }   \
    TILESCOPE_MEMBER static unsigned int get_y() { return __nvvm_read_ptx_sreg_##read##_y(); }   \
    TILESCOPE_MEMBER static unsigned int get_z() { return __nvvm_read_ptx_sreg_##read##_z(); }   \
    TILESCOPE_MEMBER operator uint3() const { return {get_x(), get_y(), get_z()}; }              \
    TILESCOPE_MEMBER operator dim3() const { return {get_x(), get_y(), get_z()}; }               \
  };                                                                                             \
  extern const __device__ __attribute__((weak)) tilescope_##type name
TILESCOPE_REGISTERS(thread_index, threadIdx, tid);
TILESCOPE_REGISTERS(block_index, blockIdx, ctaid);
TILESCOPE_REGISTERS(block_extent, blockDim, ntid);
TILESCOPE_REGISTERS(grid_extent, gridDim, nctaid);
#define warpSize 32

// Barriers, fences, votes, shuffles.
extern "C" __device__ void __syncthreads();
TILESCOPE_FUNCTION int __syncthreads_count(int predicate) { return __nvvm_bar0_popc(predicate); }
TILESCOPE_FUNCTION int __syncthreads_and(int predicate) { return __nvvm_bar0_and(predicate); }
TILESCOPE_FUNCTION int __syncthreads_or(int predicate) { return __nvvm_bar0_or(predicate); }
TILESCOPE_FUNCTION void __syncwarp(unsigned int mask = 0xffffffff) { __nvvm_bar_warp_sync(mask); }
TILESCOPE_FUNCTION void __threadfence_block() { __nvvm_membar_cta(); }
TILESCOPE_FUNCTION void __threadfence() { __nvvm_membar_gl(); }
TILESCOPE_FUNCTION void __threadfence_system() { __nvvm_membar_sys(); }
TILESCOPE_FUNCTION unsigned int __activemask() {
  unsigned int mask;
  asm volatile("activemask.b32 %0;" : "=r"(mask));
  return mask;
}
TILESCOPE_FUNCTION unsigned int __ballot_sync(unsigned int mask, int predicate) {
  return __nvvm_vote_ballot_sync(mask, predicate);
}
TILESCOPE_FUNCTION int __any_sync(unsigned int mask, int predicate) { return __nvvm_vote_any_sync(mask, predicate); }
TILESCOPE_FUNCTION int __all_sync(unsigned int mask, int predicate) { return __nvvm_vote_all_sync(mask, predicate); }

// The last operand of shfl.sync: the segment's mask in bits 8 to 12, the clamp in 0 to 4 (PTX ISA, shfl.sync).
#define TILESCOPE_SHUFFLE(name, mode, third, clamp)                                                              \
  TILESCOPE_FUNCTION int name(unsigned int mask, int value, third by, int width = warpSize) {                    \
    return __nvvm_shfl_sync_##mode##_i32(mask, value, by, ((warpSize - width) << 8) | clamp);                    \
  }                                                                                                              \
  TILESCOPE_FUNCTION float name(unsigned int mask, float value, third by, int width = warpSize) {                \
    return __nvvm_shfl_sync_##mode##_f32(mask, value, by, ((warpSize - width) << 8) | clamp);                    \
  }                                                                                                              \
  TILESCOPE_FUNCTION unsigned int name(unsigned int mask, unsigned int value, third by, int width = warpSize) {  \
    return (unsigned int)name(mask, (int)value, by, width);                                                      \
  }                                                                                                              \
  TILESCOPE_FUNCTION long long name(unsigned int mask, long long value, third by, int width = warpSize) {        \
    const unsigned int low = (unsigned int)name(mask, (int)value, by, width);                                    \
    return (long long)name(mask, (int)(value >> 32), by, width) << 32 | low;                                     \
  }                                                                                                              \
  TILESCOPE_FUNCTION unsigned long long name(unsigned int mask, unsigned long long value, third by,              \
                                             int width = warpSize) {                                             \
    return (unsigned long long)name(mask, (long long)value, by, width);                                          \
  }                                                                                                              \
  TILESCOPE_FUNCTION double name(unsigned int mask, double value, third by, int width = warpSize) {              \
    return __builtin_bit_cast(double, name(mask, __builtin_bit_cast(long long, value), by, width));              \
  }
TILESCOPE_SHUFFLE(__shfl_sync, idx, int, 0x1f)
TILESCOPE_SHUFFLE(__shfl_up_sync, up, unsigned int, 0)
TILESCOPE_SHUFFLE(__shfl_down_sync, down, unsigned int, 0x1f)
TILESCOPE_SHUFFLE(__shfl_xor_sync, bfly, int, 0x1f)

#define TILESCOPE_REDUCE(name, operation, suffix, type)                                              \
  TILESCOPE_FUNCTION type name(unsigned int mask, type value) {                                      \
    type result;                                                                                     \
    asm volatile("redux.sync." operation "." suffix " %0, %1, %2;" : "=r"(result) : "r"(value), "r"(mask)); \
    return result;                                                                                   \
  }
TILESCOPE_REDUCE(__reduce_add_sync, "add", "s32", int)
TILESCOPE_REDUCE(__reduce_min_sync, "min", "s32", int)
TILESCOPE_REDUCE(__reduce_max_sync, "max", "s32", int)
TILESCOPE_REDUCE(__reduce_add_sync, "add", "u32", unsigned int)
TILESCOPE_REDUCE(__reduce_min_sync, "min", "u32", unsigned int)
TILESCOPE_REDUCE(__reduce_max_sync, "max", "u32", unsigned int)
TILESCOPE_REDUCE(__reduce_and_sync, "and", "b32", unsigned int)
TILESCOPE_REDUCE(__reduce_or_sync, "or", "b32", unsigned int)
TILESCOPE_REDUCE(__reduce_xor_sync, "xor", "b32", unsigned int)

// Atomics: the old value comes back. By generic addresses, as in CUDA; clang finds out the state space.
#define TILESCOPE_ATOMIC(name, type, builtin, as) \
  TILESCOPE_FUNCTION type name(type *at, type value) { return (type)builtin((as *)at, (as)value); }
TILESCOPE_ATOMIC(atomicAdd, int, __nvvm_atom_add_gen_i, int)
TILESCOPE_ATOMIC(atomicAdd, unsigned int, __nvvm_atom_add_gen_i, int)
TILESCOPE_ATOMIC(atomicAdd, unsigned long long, __nvvm_atom_add_gen_ll, long long)
TILESCOPE_ATOMIC(atomicAdd, float, __nvvm_atom_add_gen_f, float)
TILESCOPE_ATOMIC(atomicAdd, double, __nvvm_atom_add_gen_d, double)
TILESCOPE_ATOMIC(atomicExch, int, __nvvm_atom_xchg_gen_i, int)
TILESCOPE_ATOMIC(atomicExch, unsigned int, __nvvm_atom_xchg_gen_i, int)
TILESCOPE_ATOMIC(atomicExch, unsigned long long, __nvvm_atom_xchg_gen_ll, long long)
TILESCOPE_ATOMIC(atomicMin, int, __nvvm_atom_min_gen_i, int)
TILESCOPE_ATOMIC(atomicMin, unsigned int, __nvvm_atom_min_gen_ui, unsigned int)
TILESCOPE_ATOMIC(atomicMin, long long, __nvvm_atom_min_gen_ll, long long)
TILESCOPE_ATOMIC(atomicMin, unsigned long long, __nvvm_atom_min_gen_ull, unsigned long long)
TILESCOPE_ATOMIC(atomicMax, int, __nvvm_atom_max_gen_i, int)
TILESCOPE_ATOMIC(atomicMax, unsigned int, __nvvm_atom_max_gen_ui, unsigned int)
TILESCOPE_ATOMIC(atomicMax, long long, __nvvm_atom_max_gen_ll, long long)
TILESCOPE_ATOMIC(atomicMax, unsigned long long, __nvvm_atom_max_gen_ull, unsigned long long)
TILESCOPE_ATOMIC(atomicInc, unsigned int, __nvvm_atom_inc_gen_ui, unsigned int)
TILESCOPE_ATOMIC(atomicDec, unsigned int, __nvvm_atom_dec_gen_ui, unsigned int)
TILESCOPE_ATOMIC(atomicAnd, int, __nvvm_atom_and_gen_i, int)
TILESCOPE_ATOMIC(atomicAnd, unsigned int, __nvvm_atom_and_gen_i, int)
TILESCOPE_ATOMIC(atomicAnd, unsigned long long, __nvvm_atom_and_gen_ll, long long)
TILESCOPE_ATOMIC(atomicOr, int, __nvvm_atom_or_gen_i, int)
TILESCOPE_ATOMIC(atomicOr, unsigned int, __nvvm_atom_or_gen_i, int)
TILESCOPE_ATOMIC(atomicOr, unsigned long long, __nvvm_atom_or_gen_ll, long long)
TILESCOPE_ATOMIC(atomicXor, int, __nvvm_atom_xor_gen_i, int)
TILESCOPE_ATOMIC(atomicXor, unsigned int, __nvvm_atom_xor_gen_i, int)
TILESCOPE_ATOMIC(atomicXor, unsigned long long, __nvvm_atom_xor_gen_ll, long long)
TILESCOPE_FUNCTION int atomicSub(int *at, int value) { return atomicAdd(at, -value); }
TILESCOPE_FUNCTION unsigned int atomicSub(unsigned int *at, unsigned int value) { return atomicAdd(at, 0u - value); }
TILESCOPE_FUNCTION float atomicExch(float *at, float value) {
  return __builtin_bit_cast(float, atomicExch((int *)at, __builtin_bit_cast(int, value)));
}
TILESCOPE_FUNCTION int atomicCAS(int *at, int compare, int value) {
  return __nvvm_atom_cas_gen_i(at, compare, value);
}
TILESCOPE_FUNCTION unsigned int atomicCAS(unsigned int *at, unsigned int compare, unsigned int value) {
  return (unsigned int)__nvvm_atom_cas_gen_i((int *)at, (int)compare, (int)value);
}
TILESCOPE_FUNCTION unsigned long long atomicCAS(unsigned long long *at, unsigned long long compare,
                                                unsigned long long value) {
  return (unsigned long long)__nvvm_atom_cas_gen_ll((long long *)at, (long long)compare, (long long)value);
}

// Memory.
template <class T>
TILESCOPE_FUNCTION T __ldg(const T *at) {
  return *at;
}
template <class T>
TILESCOPE_FUNCTION T __ldcg(const T *at) {
  return *at;
}
template <class T>
TILESCOPE_FUNCTION T __ldca(const T *at) {
  return *at;
}
template <class T>
TILESCOPE_FUNCTION T __ldcs(const T *at) {
  return *at;
}
template <class T>
TILESCOPE_FUNCTION void __stcg(T *at, T value) {
  *at = value;
}
template <class T>
TILESCOPE_FUNCTION void __stcs(T *at, T value) {
  *at = value;
}
TILESCOPE_FUNCTION size_t __cvta_generic_to_shared(const void *at) {
  return (size_t)(const __attribute__((address_space(3))) void *)at;
}
TILESCOPE_FUNCTION size_t __cvta_generic_to_global(const void *at) {
  return (size_t)(const __attribute__((address_space(1))) void *)at;
}
TILESCOPE_FUNCTION void *__cvta_shared_to_generic(size_t at) {
  return (void *)(__attribute__((address_space(3))) void *)at;
}
extern "C" __device__ void *malloc(size_t bytes);
extern "C" __device__ void free(void *at);
TILESCOPE_FUNCTION void *memcpy(void *to, const void *from, size_t bytes) { return __builtin_memcpy(to, from, bytes); }
TILESCOPE_FUNCTION void *memset(void *to, int value, size_t bytes) { return __builtin_memset(to, value, bytes); }
__device__ __inline__ void *operator new(size_t bytes) { return malloc(bytes); }
__device__ __inline__ void *operator new[](size_t bytes) { return malloc(bytes); }
__device__ __inline__ void operator delete(void *at) noexcept { free(at); }
__device__ __inline__ void operator delete[](void *at) noexcept { free(at); }
__device__ __inline__ void operator delete(void *at, size_t) noexcept { free(at); }
__device__ __inline__ void operator delete[](void *at, size_t) noexcept { free(at); }

// Printing, stopping, time.
extern "C" __device__ int printf(const char *format, ...);
extern "C" __device__ __attribute__((noreturn)) void __assertfail(const char *message, const char *file,
                                                                   unsigned int line, const char *function,
                                                                   size_t character_bytes);
#ifdef NDEBUG
#define assert(condition) ((void)0)
#else
#define assert(condition) ((condition) ? (void)0 : __assertfail(#condition, __FILE__, __LINE__, __func__, 1))
#endif
TILESCOPE_FUNCTION void __trap() { asm volatile("trap;"); }
TILESCOPE_FUNCTION void __brkpt() { asm volatile("brkpt;"); }
TILESCOPE_FUNCTION void __nanosleep(unsigned int ns) { asm volatile("nanosleep.u32 %0;" ::"r"(ns)); }
TILESCOPE_FUNCTION int clock() { return __nvvm_read_ptx_sreg_clock(); }
TILESCOPE_FUNCTION long long clock64() { return __nvvm_read_ptx_sreg_clock64(); }

// Bits and integers.
TILESCOPE_FUNCTION int __float_as_int(float x) { return __builtin_bit_cast(int, x); }
TILESCOPE_FUNCTION unsigned int __float_as_uint(float x) { return __builtin_bit_cast(unsigned int, x); }
TILESCOPE_FUNCTION float __int_as_float(int x) { return __builtin_bit_cast(float, x); }
TILESCOPE_FUNCTION float __uint_as_float(unsigned int x) { return __builtin_bit_cast(float, x); }
TILESCOPE_FUNCTION long long __double_as_longlong(double x) { return __builtin_bit_cast(long long, x); }
TILESCOPE_FUNCTION double __longlong_as_double(long long x) { return __builtin_bit_cast(double, x); }
TILESCOPE_FUNCTION int __popc(unsigned int x) { return __builtin_popcount(x); }
TILESCOPE_FUNCTION int __popcll(unsigned long long x) { return __builtin_popcountll(x); }
TILESCOPE_FUNCTION int __clz(int x) { return x == 0 ? 32 : __builtin_clz((unsigned int)x); }
TILESCOPE_FUNCTION int __clzll(long long x) { return x == 0 ? 64 : __builtin_clzll((unsigned long long)x); }
TILESCOPE_FUNCTION int __ffs(int x) { return x == 0 ? 0 : __builtin_ctz((unsigned int)x) + 1; }
TILESCOPE_FUNCTION int __ffsll(long long x) { return x == 0 ? 0 : __builtin_ctzll((unsigned long long)x) + 1; }
TILESCOPE_FUNCTION unsigned int __brev(unsigned int x) { return __builtin_bitreverse32(x); }
TILESCOPE_FUNCTION unsigned long long __brevll(unsigned long long x) { return __builtin_bitreverse64(x); }
TILESCOPE_FUNCTION int __mulhi(int x, int y) { return (int)(((long long)x * y) >> 32); }
TILESCOPE_FUNCTION unsigned int __umulhi(unsigned int x, unsigned int y) {
  return (unsigned int)(((unsigned long long)x * y) >> 32);
}
TILESCOPE_FUNCTION int __mul24(int x, int y) { return __nvvm_mul24_i(x, y); }
TILESCOPE_FUNCTION unsigned int __byte_perm(unsigned int x, unsigned int y, unsigned int selector) {
  unsigned int result;
  asm("prmt.b32 %0, %1, %2, %3;" : "=r"(result) : "r"(x), "r"(y), "r"(selector));
  return result;
}
TILESCOPE_FUNCTION unsigned int __funnelshift_l(unsigned int low, unsigned int high, unsigned int by) {
  unsigned int result;
  asm("shf.l.wrap.b32 %0, %1, %2, %3;" : "=r"(result) : "r"(low), "r"(high), "r"(by));
  return result;
}
TILESCOPE_FUNCTION unsigned int __funnelshift_r(unsigned int low, unsigned int high, unsigned int by) {
  unsigned int result;
  asm("shf.r.wrap.b32 %0, %1, %2, %3;" : "=r"(result) : "r"(low), "r"(high), "r"(by));
  return result;
}
#define TILESCOPE_INTEGERS(type)                                                   \
  TILESCOPE_FUNCTION type min(type x, type y) { return x < y ? x : y; }            \
  TILESCOPE_FUNCTION type max(type x, type y) { return x > y ? x : y; }
TILESCOPE_INTEGERS(int)
TILESCOPE_INTEGERS(unsigned int)
TILESCOPE_INTEGERS(long)
TILESCOPE_INTEGERS(unsigned long)
TILESCOPE_INTEGERS(long long)
TILESCOPE_INTEGERS(unsigned long long)
TILESCOPE_FUNCTION unsigned int min(int x, unsigned int y) { return min((unsigned int)x, y); }
TILESCOPE_FUNCTION unsigned int min(unsigned int x, int y) { return min(x, (unsigned int)y); }
TILESCOPE_FUNCTION unsigned int max(int x, unsigned int y) { return max((unsigned int)x, y); }
TILESCOPE_FUNCTION unsigned int max(unsigned int x, int y) { return max(x, (unsigned int)y); }
TILESCOPE_FUNCTION int abs(int x) { return x < 0 ? -x : x; }
TILESCOPE_FUNCTION long long llabs(long long x) { return x < 0 ? -x : x; }

#include "tilescope_math.h"
