// Rows of 16 are stored 8 apart, so that two threads share an element.
//: launch.block = [16, 16]
//: launch.grid = [1, 1]
//: arrays.As = { space = "shared", shape = [16, 16] }
extern "C" __global__ void load_tile(int M, int N, int K, const float* A, const float* B, float* C) {
  __shared__ float As[16 * 16];
  const int tx = threadIdx.x, ty = threadIdx.y;
  As[ty * 8 + tx] = A[ty * K + tx];  // expect: write-write-race
  __syncthreads();
  C[ty * N + tx] = As[ty * 8 + tx];
}
