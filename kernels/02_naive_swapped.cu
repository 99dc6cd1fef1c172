// C = A * B, all row-major: A is M x K, B is K x N, C is M x N.
// One thread computes one element of C. Against 01 only x and y are swapped: consecutive threads of a warp now take
// consecutive COLUMNS, so a warp reads neighbouring elements of B and writes neighbouring elements of C.

__global__ void sgemm_naive_swapped(const float *A, const float *B, float *C, int M, int N, int K) {
  const int row = blockIdx.y * blockDim.y + threadIdx.y;  // [row]
  const int col = blockIdx.x * blockDim.x + threadIdx.x;  // [col]
  if (row >= M || col >= N) return;

  float sum = 0.0f;
  for (int k = 0; k < K; ++k) {
    const float a = A[row * K + k];  // [load A]
    const float b = B[k * N + col];  // [load B]
    sum += a * b;
  }
  C[row * N + col] = sum;  // [store C]
}
