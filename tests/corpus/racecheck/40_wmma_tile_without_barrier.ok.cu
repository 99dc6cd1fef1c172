// Two warps fill the tile that both multiply, and wait for each other.
//: launch.block = 64
//: launch.grid = 1
//: size = "M=16,N=32,K=16"
//: arrays.A = { element = "f16", shape = ["M", "K"], role = "input" }
//: arrays.B = { element = "f16", shape = ["K", "N"], role = "input" }
//: arrays.As = { space = "shared", element = "f16", shape = [16, 16] }
#include <mma.h>
using namespace nvcuda;
extern "C" __global__ void product(int M, int N, int K, const __half* A, const __half* B, float* C) {
  __shared__ __align__(32) __half As[16 * 16];
  wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major> a;
  wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, wmma::row_major> b;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum;
  wmma::fill_fragment(sum, 0.0f);
  const int col = threadIdx.x / 32 * 16;
  for (int i = threadIdx.x; i < 16 * 16; i += 64) As[i] = A[i];
  __syncthreads();
  wmma::load_matrix_sync(a, As, 16);
  wmma::load_matrix_sync(b, B + col, N);
  wmma::mma_sync(sum, a, b, sum);
  wmma::store_matrix_sync(C + col, sum, N, wmma::mem_row_major);
}
