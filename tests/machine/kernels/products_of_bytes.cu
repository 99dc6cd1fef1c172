// mma of bytes in both shapes, and of both signs.
__global__ void products_of_bytes(const unsigned *x, int *y, int n) {
  unsigned a[4], b[2];
  int sum[4] = {1, 2, 3, 4};
  for (int i = 0; i < 4; ++i) a[i] = x[threadIdx.x + 32 * i];
  for (int i = 0; i < 2; ++i) b[i] = x[threadIdx.x + 128 + 32 * i];
  asm("mma.sync.aligned.m16n8k16.row.col.s32.u8.s8.s32 {%0,%1,%2,%3}, {%4,%5}, {%6}, {%0,%1,%2,%3};"
      : "+r"(sum[0]), "+r"(sum[1]), "+r"(sum[2]), "+r"(sum[3]) : "r"(a[0]), "r"(a[1]), "r"(b[0]));
  asm("mma.sync.aligned.m16n8k32.row.col.satfinite.s32.s8.u8.s32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
      : "+r"(sum[0]), "+r"(sum[1]), "+r"(sum[2]), "+r"(sum[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
  for (int i = 0; i < 4; ++i) y[4 * threadIdx.x + i] = sum[i];
}
