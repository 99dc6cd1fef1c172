// C = A * B, all row-major: A is M x K, B is K x N, C is M x N.

__global__ void sgemm(const float *A, const float *B, float *C, int M, int N, int K) {
  const int row = blockIdx.y * blockDim.y + threadIdx.y;  // [row]
  const int col = blockIdx.x * blockDim.x + threadIdx.x;  // [col]
  if (row >= M || col >= N) return;

  float sum = 0.0f;
#pragma unroll 1  // [loop]
  for (int k = 0; k < K; ++k) {
    const float a = A[row * K + k];  // [load A]
    const float b = B[k * N + col];  // [load B]
    sum += a * b;
  }
  C[row * N + col] = sum;  // [store C]
}
