// 64 threads fill a tile of 128 in one go.
//: launch.block = 64
//: launch.grid = 1
//: arrays.s = { space = "shared", shape = [128] }
extern "C" __global__ void stage(int M, int N, int K, const float* A, const float* B, float* C) {
  __shared__ float s[128];
  const int t = threadIdx.x;
  s[t] = A[t];
  __syncthreads();
  C[t] = s[127 - t];  // expect: uninitialised-memory
}
