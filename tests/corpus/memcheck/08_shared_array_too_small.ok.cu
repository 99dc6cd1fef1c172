//: launch.block = 256
//: launch.grid = 1
//: arrays.s = { space = "shared", shape = [255] }
extern "C" __global__ void stage(int M, int N, int K, const float* A, const float* B, float* C) {
  __shared__ float s[256];
  const int t = threadIdx.x;
  s[t] = A[t];
  __syncthreads();
  C[t] = s[255 - t];
}
