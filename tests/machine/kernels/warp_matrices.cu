// Tensor cores on bytes and on halves in rows, lanes that come together, and printing that nobody sees.
#include <mma.h>

__device__ void multiply(const half *a, const half *b, float *c) {
  using namespace nvcuda::wmma;
  fragment<matrix_a, 16, 16, 16, half, row_major> rows;
  fragment<matrix_b, 16, 16, 16, half, row_major> columns;
  fragment<accumulator, 16, 16, 16, float> sum;
  fill_fragment(sum, 1.5f);
  load_matrix_sync(rows, a, 16);
  load_matrix_sync(columns, b, 16);
  mma_sync(sum, rows, columns, sum);
  store_matrix_sync(c, sum, 16, mem_row_major);
}

template <class Byte>
__device__ void multiply_bytes(const Byte *a, const Byte *b, int *c, bool saturate) {
  using namespace nvcuda::wmma;
  fragment<matrix_a, 16, 16, 16, Byte, row_major> rows;
  fragment<matrix_b, 16, 16, 16, Byte, col_major> columns;
  fragment<accumulator, 16, 16, 16, int> sum;
  fill_fragment(sum, saturate ? 0x7ff80000 : -5);
  load_matrix_sync(rows, a, 16);
  load_matrix_sync(columns, b, 16);
  if (saturate)
    mma_sync(sum, rows, columns, sum, true);
  else
    mma_sync(sum, rows, columns, sum);
  store_matrix_sync(c, sum, 16, mem_row_major);
}

__global__ void warp_matrices(const int *x, int *y, float *z, int n) {
  half *a = (half *)(z + 256), *b = a + 256;
  const int t = threadIdx.x;
  for (int i = t; i < 256; i += 32) a[i] = __int2half_rn(x[i] % 64), b[i] = __int2half_rn(x[i + 1] % 32);
  __syncwarp();
  multiply(a, b, z);

  multiply_bytes((const signed char *)x, (const signed char *)x + 9 * 16, y + 128, false);
  multiply_bytes((const unsigned char *)x, (const unsigned char *)x + 9 * 16, y + 128 + 256, true);

  int met = 0;
  if (x[t] & 1) {
    const unsigned lanes = __activemask();
    met = __shfl_sync(lanes, x[t], __ffs(lanes) - 1) + __any_sync(lanes, x[t] & 2);
    if (x[t] & 4) met += __match_any_sync(lanes & __activemask(), x[t] & 8);
  }
  if (n < 0) printf("%d\n", met);
  y[t] = met;
}
