// A warp barrier orders one warp; the tile is shared by two.
//: launch.block = 64
//: launch.grid = 1
//: arrays.s = { space = "shared", shape = [64] }
extern "C" __global__ void reverse(int M, int N, int K, const float* A, const float* B, float* C) {
  __shared__ float s[64];
  const int t = threadIdx.x;
  s[t] = A[t];  // expect: read-write-race
  __syncwarp();
  C[t] = s[63 - t];  // expect: read-write-race
}
