//: launch.block = [16, 16]
//: launch.grid = [1, 1]
//: arrays.As = { space = "shared", shape = [16, 16] }
extern "C" __global__ void load_tile(int M, int N, int K, const float* A, const float* B, float* C) {
  __shared__ float As[16 * 16];
  const int tx = threadIdx.x, ty = threadIdx.y;
  As[ty * 16 + tx] = A[ty * K + tx];
  __syncthreads();
  C[ty * N + tx] = As[ty * 16 + tx];
}
