// C = A * B, all row-major: A is M x K, B is K x N, C is M x N.
// One thread computes one element of C. Consecutive threads of a warp take consecutive ROWS.

__global__ void sgemm_naive_rows(const float *A, const float *B, float *C, int M, int N, int K) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;  // [row]
  const int col = blockIdx.y * blockDim.y + threadIdx.y;  // [col]
  if (row >= M || col >= N) return;  // the grid covers C with whole blocks, so some threads fall outside

  float sum = 0.0f;
  for (int k = 0; k < K; ++k) {
    const float a = A[row * K + k];  // [load A]
    const float b = B[k * N + col];  // [load B]
    sum += a * b;
  }
  C[row * N + col] = sum;  // [store C]
}
