// The shuffle between the store and the load makes lanes meet, but does not order their memory.
//: launch.block = 32
//: launch.grid = 1
//: arrays.s = { space = "shared", shape = [32] }
extern "C" __global__ void rotate(int M, int N, int K, const float* A, const float* B, float* C) {
  __shared__ float s[32];
  const int t = threadIdx.x;
  const float mine = A[t];
  s[t] = mine;  // expect: read-write-race
  const float first = __shfl_sync(0xffffffff, mine, 0);
  C[t] = s[(t + 1) % 32] - first;  // expect: read-write-race
}
