//: launch.block = 32
//: launch.grid = 1
extern "C" __global__ void halves(int M, int N, int K, const float* A, const float* B, float* C) {
  const int t = threadIdx.x;
  float v = A[t];
  v += __shfl_xor_sync(0xffffffff, v, 1);
  C[t] = v;
}
