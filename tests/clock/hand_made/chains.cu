// 256 steps of a thread after one another: upper words of products, branches that no lane takes, upper words beside
// logical operations, or logical operations of the first warp alone.
__global__ void chains(float *y, int n) {
  unsigned at = threadIdx.x + n, a = at, b = at + 1, *table = (unsigned *)y;
  for (int j = 0; j < 256; ++j) {
    if (KIND == 0 || KIND == 2) at = __umulhi(at, 0x9e3779b9u + n);
    if (KIND == 1) {
      asm volatile("lop3.b32 %0, %0, %1, %0, 0x96;" : "+r"(at) : "r"(n));
      if (at == 0xffffffff) at = atomicAdd(table, 1);
    }
    if (KIND == 2 || (KIND == 3 && threadIdx.x < 32))
      asm volatile("lop3.b32 %0, %0, %2, %0, 0x96; lop3.b32 %1, %1, %2, %1, 0x96;" : "+r"(a), "+r"(b) : "r"(n));
  }
  y[blockIdx.x * blockDim.x + threadIdx.x] = at + a + b;
}
