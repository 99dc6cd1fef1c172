// Each half warp synchronises by itself, then reads the other half's elements.
//: launch.block = 32
//: launch.grid = 1
//: arrays.s = { space = "shared", shape = [32] }
extern "C" __global__ void reverse(int M, int N, int K, const float* A, const float* B, float* C) {
  __shared__ float s[32];
  const int t = threadIdx.x;
  s[t] = A[t];  // expect: read-write-race
  __syncwarp(t < 16 ? 0x0000ffff : 0xffff0000);
  C[t] = s[31 - t];  // expect: read-write-race
}
