// Atomics through pointers that lead to shared memory in some blocks and to global memory in others, on all types, and
// those of several numbers at once.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

__global__ void generic_atomics(int *ints, float *floats, double *doubles, unsigned long long *longs, __half2 *halves,
                                float4 *quads, int *out, int n) {
  __shared__ int near_ints[32];
  __shared__ float near_floats[32];
  __shared__ double near_doubles[32];
  __shared__ unsigned long long near_longs[32];
  __shared__ __half2 near_halves[32];
  const int t = threadIdx.x;
  near_ints[t] = near_floats[t] = near_doubles[t] = near_longs[t] = 0;
  near_halves[t] = __floats2half2_rn(0, 1);
  __syncthreads();
  const bool near = blockIdx.x & n;
  int *i = near ? near_ints : ints;
  float *f = near ? near_floats : floats;
  double *d = near ? near_doubles : doubles;
  unsigned long long *l = near ? near_longs : longs;
  __half2 *h = near ? near_halves : halves;
  atomicAdd(f + t % 4, 1.5f);
  int r = (int)atomicAdd(f + t % 3, 2.0f);
  atomicAdd(d + t % 4, 0.25 * t);
  r += (int)atomicAdd(d + t % 5, 2.0);
  atomicAdd(i + t % 7, t);
  r = r * 3 + atomicMax(i + 1, t);
  r = r * 3 + atomicMin(i + 2, -t);
  r = r * 3 + atomicExch(i + 8 + t % 3, t);
  r = r * 3 + atomicCAS(i + 12, 0, t + 1);
  r = r * 3 + atomicInc((unsigned *)i + 13, 9);
  r = r * 3 + atomicOr((unsigned *)i + 14, t) + atomicXor((unsigned *)i + 15, t);
  r = r * 3 + (int)atomicAdd(l + t % 2, 1ull << 33 | t);
  r = r * 3 + (int)atomicMax((long long *)l + 3, (long long)t << 34);
  r = r * 3 + (int)(atomicExch(l + 4, (unsigned long long)t) + atomicCAS(l + 5, 0ull, 1ull << 40));
  r = r * 3 + (int)__low2float(atomicAdd(h + t % 3, __floats2half2_rn(1, 0.5f)));
  r = r * 3 + (int)atomicExch(f + 20, (float)t);
  r += __isShared(i) * 1000 + __isGlobal(i) * 100 + __isLocal(&r);
#if __CUDA_ARCH__ >= 900
  if (blockIdx.x == 0) {
    atomicAdd(quads + t % 2, make_float4(1, 2, 3, t));
    r += (int)atomicAdd(quads + 2 + t % 2, make_float4(t, 0, 1, 2)).x;
    atomicAdd((float2 *)(quads + 4), make_float2(t, 1));
  }
#endif
  __syncthreads();
  out[blockIdx.x * 32 + t] = r + (int)(2 * f[t] + 4 * d[t] + i[t] + l[t] + __high2float(h[t]));
}
