// The sums begin with zeros.
//: launch.block = 32
//: launch.grid = 1
//: size = "M=16,N=16,K=16"
//: arrays.A = { element = "f16", shape = ["M", "K"], role = "input" }
//: arrays.B = { element = "f16", shape = ["K", "N"], role = "input" }
#include <mma.h>
using namespace nvcuda;
extern "C" __global__ void product(int M, int N, int K, const __half* A, const __half* B, float* C) {
  wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major> a;
  wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, wmma::row_major> b;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum;
  wmma::load_matrix_sync(a, A, K);
  wmma::load_matrix_sync(b, B, N);
  wmma::fill_fragment(sum, 0.0f);
  wmma::mma_sync(sum, a, b, sum);
  wmma::store_matrix_sync(C, sum, N, wmma::mem_row_major);
}
