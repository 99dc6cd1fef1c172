// Dot products of bytes, sums of doubles and of words of 64 bits by atomics, and functions of doubles.
__global__ void dots_and_doubles(const int *x, int *dots, double *doubles, unsigned long long *longs,
                                 double *quotients, int n) {
  __shared__ double sum;
  __shared__ unsigned long long count;
  const int t = threadIdx.x;
  if (t == 0) sum = 0, count = 0;
  __syncthreads();
  const int a = x[t], b = x[t + 1], c = x[t + 2];
  int all = __dp4a(a, b, c) ^ (int)__dp4a((unsigned)a, (unsigned)b, 7u);
  asm("dp4a.u32.s32 %0, %1, %2, %0;" : "+r"(all) : "r"(a), "r"(b));
  asm("dp2a.lo.s32.u32 %0, %1, %2, %0;" : "+r"(all) : "r"(a), "r"(b));
  asm("dp2a.hi.u32.u32 %0, %1, %2, %0;" : "+r"(all) : "r"(c), "r"(b));
  dots[t] = all;
  atomicAdd(&sum, 0.5 * t);
  atomicAdd(&count, (1ull << 33) + t % 3);
  atomicAdd(doubles, 0.25 * t);
  __syncthreads();
  if (t == 0) doubles[1] = sum, longs[0] = count;
  if (t == 1) doubles[2] = atomicAdd(doubles + 3, 2.0) + fmod(1e9 + a, 7.5) + n;
  quotients[t] = (a + 0.5) / (b * 3.0) + rsqrt(t + 3.5) + sqrt(t + 1.0) + pow(t + 0.5, 1.7) + tgamma(0.1 * t + 0.05);
}
