// C = A * B, all row-major: one thread computes one element of C.

__global__ void sgemm(const float *A, const float *B, float *C, int M, int N, int K) {
  const int row = blockIdx.y * blockDim.y + threadIdx.y;  // [row]
  const int col = blockIdx.x * blockDim.x + threadIdx.x;  // [col]

  float sum = 0.0f;
  for (int k = 0; k < K; ++k) {
    const float a = A[row * K + k];  // [load A]
    const float b = B[k * N + col];  // [load B]
    sum += a * b;
  }
  C[row * N + col] = sum;  // [store C]
}
