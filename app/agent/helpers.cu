// What the agent itself runs on the GPU. Compiled to a fat binary that is embedded in tilescope-agent.

typedef unsigned long long u64;

// The same values as session/inputs.cpp: SplitMix64's finaliser (Steele, Lea, Flood, OOPSLA 2014).
__device__ static u64 mixed(u64 x) {
  x += 0x9e3779b97f4a7c15ull;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ull;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebull;
  return x ^ (x >> 31);
}

__device__ static u64 thread_index() { return u64(blockIdx.x) * blockDim.x + threadIdx.x; }
__device__ static u64 thread_count() { return u64(gridDim.x) * blockDim.x; }

// Uniform in [-1, 1) in the rows x columns that hold data, zero in the rest of `elements`.
extern "C" __global__ void tilescope_fill(float* data, u64 elements, u64 stride, u64 rows, u64 columns, u64 stream) {
  for (u64 i = thread_index(); i < elements; i += thread_count()) {
    const u64 row = i / stride, column = i % stride;
    const bool holds_data = row < rows && column < columns;
    data[i] = holds_data ? float(mixed(stream ^ (row * columns + column)) >> 40) * 0x1p-23f - 1 : 0.0f;
  }
}

extern "C" __global__ void tilescope_magnitude(float* out, const float* in, u64 elements) {
  for (u64 i = thread_index(); i < elements; i += thread_count()) out[i] = fabsf(in[i]);
}

struct Comparison {
  u64 wrong;
  u64 first_wrong;           // row * n + column
  unsigned int worst_ratio;  // bits of a float that is not negative: they order as it does
};

// `magnitude` holds |alpha| |A||B| + |beta| |C0|; both results may be off by `factor` times that.
extern "C" __global__ void tilescope_compare(const float* c, u64 stride, const float* reference, const float* magnitude,
                                             u64 m, u64 n, float factor, Comparison* result) {
  for (u64 i = thread_index(); i < m * n; i += thread_count()) {
    const float bound = 2 * factor * magnitude[i];
    const float difference = fabsf(c[i / n * stride + i % n] - reference[i]);
    if (!(difference <= bound)) {
      atomicAdd(&result->wrong, 1ull);
      atomicMin(&result->first_wrong, i);
    } else if (bound > 0) {
      const unsigned int ratio = __float_as_uint(difference / bound);
      if (ratio > result->worst_ratio) atomicMax(&result->worst_ratio, ratio);
    }
  }
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
