// 256 threads, 255 elements.
//: launch.block = 256
//: launch.grid = 1
//: arrays.s = { space = "shared", shape = [255] }
extern "C" __global__ void stage(int M, int N, int K, const float* A, const float* B, float* C) {
  __shared__ float s[255];
  const int t = threadIdx.x;
  s[t] = A[t];  // expect: out-of-bounds
  __syncthreads();
  C[t] = s[255 - t];
}
