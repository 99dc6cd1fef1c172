// C = A * B, all row-major: A is M x K, B is K x N, C is M x N, by a flat block.

#ifndef BLOCKSIZE
#define BLOCKSIZE 32
#endif

__global__ void sgemm(const float *A, const float *B, float *C, int M, int N, int K) {
  const int row = blockIdx.x * BLOCKSIZE + threadIdx.x % BLOCKSIZE;  // [row]
  const int col = blockIdx.y * BLOCKSIZE + threadIdx.x / BLOCKSIZE;  // [col]
  if (row >= M || col >= N) return;

  float sum = 0.0f;
  for (int k = 0; k < K; ++k) {
    const float a = A[row * K + k];  // [load A]
    const float b = B[k * N + col];  // [load B]
    sum += a * b;
  }
  C[row * N + col] = sum;  // [store C]
}
