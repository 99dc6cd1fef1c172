// C = A * B: a thread computes four neighbouring elements of a row of C and reads B four columns at a time.

__global__ void sgemm(const float *A, const float *B, float *C, int M, int N, int K) {
  const int row = blockIdx.y * blockDim.y + threadIdx.y;
  const int col = (blockIdx.x * blockDim.x + threadIdx.x) * 4;
  if (row >= M || col >= N) return;

  float sums[4] = {0.0f};
  for (int k = 0; k < K; ++k) {
    const float a = A[row * K + k];                                         // [load A]
    const float4 b = *reinterpret_cast<const float4 *>(&B[k * N + col]);    // [load B]
    sums[0] += a * b.x;
    sums[1] += a * b.y;
    sums[2] += a * b.z;
    sums[3] += a * b.w;
  }
  for (int j = 0; j < 4 && col + j < N; ++j) C[row * N + col + j] = sums[j];  // [store C]
}
