// The agent's own kernels. Compiled to a fat binary that is embedded in tilescope-agent.

#include "base/input_values.h"

typedef unsigned long long u64;

__device__ static u64 thread_index() { return u64(blockIdx.x) * blockDim.x + threadIdx.x; }
__device__ static u64 thread_count() { return u64(gridDim.x) * blockDim.x; }

// What an array's elements are.
enum Type { kF32, kF16, kBF16 };

// Truncates as run/inputs.cpp does; a magnitude below the smallest normal half becomes zero.
__device__ static unsigned short half_bits(float value) {
  const unsigned bits = __float_as_uint(value), exponent = bits >> 23 & 0xff, sign = bits >> 16 & 0x8000;
  if (exponent < 113) return sign;
  return sign | (exponent - 112) << 10 | (bits >> 13 & 0x3ff);
}

__device__ static float number(const void* data, int type, u64 i) {
  if (type == kF32) return static_cast<const float*>(data)[i];
  const unsigned bits = static_cast<const unsigned short*>(data)[i];
  if (type == kBF16) return __uint_as_float(bits << 16);
  float value;
  asm("{.reg .b16 half; mov.b16 half, %1; cvt.f32.f16 %0, half;}" : "=f"(value) : "h"((unsigned short)bits));
  return value;
}

// Uniform in [-1, 1) in the rows x columns that hold data, zero in the rest of `elements`.
extern "C" __global__ void tilescope_fill(void* data, int type, u64 elements, u64 stride, u64 rows, u64 columns,
                                          u64 stream) {
  for (u64 i = thread_index(); i < elements; i += thread_count()) {
    const u64 row = i / stride, column = i % stride;
    const bool holds_data = row < rows && column < columns;
    const float value = holds_data ? tilescope::inputs::value_at(stream, row * columns + column) : 0.0f;
    if (type == kF32)
      static_cast<float*>(data)[i] = value;
    else
      static_cast<unsigned short*>(data)[i] = type == kF16 ? half_bits(value) : __float_as_uint(value) >> 16;
  }
}

// `mask` clears the sign of one f32 or of two numbers of 16 bits.
extern "C" __global__ void tilescope_magnitude(unsigned* out, const unsigned* in, u64 words, unsigned mask) {
  for (u64 i = thread_index(); i < words; i += thread_count()) out[i] = in[i] & mask;
}

struct Comparison {
  u64 wrong;
  u64 first_wrong;           // row * n + column
  unsigned int worst_ratio;  // bits of a float that is not negative: they order as it does
};

// `magnitude` holds |alpha| |A||B| + |beta| |C0|, of which the two results may be `factor` apart; C may be off by
// `stored` of the reference besides.
extern "C" __global__ void tilescope_compare(const void* c, int type, u64 stride, const float* reference,
                                             const float* magnitude, u64 m, u64 n, float factor, float stored,
                                             Comparison* result) {
  for (u64 i = thread_index(); i < m * n; i += thread_count()) {
    const float bound = factor * magnitude[i] + stored * fabsf(reference[i]);
    const float difference = fabsf(number(c, type, i / n * stride + i % n) - reference[i]);
    if (!(difference <= bound)) {
      atomicAdd(&result->wrong, 1ull);
      atomicMin(&result->first_wrong, i);
    } else if (bound > 0) {
      const unsigned int ratio = __float_as_uint(difference / bound);
      if (ratio > result->worst_ratio) atomicMax(&result->worst_ratio, ratio);
    }
  }
}

// While it runs the host queues the following work.
extern "C" __global__ void tilescope_idle(u64 nanoseconds) {
  u64 start, now;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(start));
  do asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
  while (now - start < nanoseconds);
}

struct Stamp {
  u64 sm, clock, nanoseconds;
};

// Two of them around a kernel give the SM clock at which it ran.
extern "C" __global__ void tilescope_stamp(Stamp* stamp) {
  unsigned int sm;
  u64 nanoseconds;
  asm volatile("mov.u32 %0, %%smid;" : "=r"(sm));
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(nanoseconds));
  stamp->clock = clock64();
  stamp->sm = sm;
  stamp->nanoseconds = nanoseconds;
}
