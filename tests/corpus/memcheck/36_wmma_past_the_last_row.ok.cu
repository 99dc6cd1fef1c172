// 48 rows are three tiles of 16.
//: size = "M=48,N=32,K=32"
//: launch.block = 32
//: launch.grid = ["N / 16", "ceil_div(M, 16)"]
//: arrays.A = { element = "f16", shape = ["M", "K"], role = "input" }
//: arrays.B = { element = "f16", shape = ["K", "N"], role = "input" }
#include <mma.h>
using namespace nvcuda;
extern "C" __global__ void product(int M, int N, int K, const __half* A, const __half* B, float* C) {
  wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major> a;
  wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, wmma::row_major> b;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum;
  wmma::fill_fragment(sum, 0.0f);
  const int row = blockIdx.y * 16, col = blockIdx.x * 16;
  for (int k = 0; k < K; k += 16) {
    wmma::load_matrix_sync(a, A + row * K + k, K);
    wmma::load_matrix_sync(b, B + k * N + col, N);
    wmma::mma_sync(sum, a, b, sum);
  }
  wmma::store_matrix_sync(C + row * N + col, sum, N, wmma::mem_row_major);
}
