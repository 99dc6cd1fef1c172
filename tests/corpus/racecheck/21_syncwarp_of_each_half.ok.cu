//: launch.block = 32
//: launch.grid = 1
//: arrays.s = { space = "shared", shape = [32] }
extern "C" __global__ void reverse(int M, int N, int K, const float* A, const float* B, float* C) {
  __shared__ float s[32];
  const int t = threadIdx.x;
  s[t] = A[t];
  __syncwarp();
  C[t] = s[31 - t];
}
