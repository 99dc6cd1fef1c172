//: launch.block = 32
//: launch.grid = 1
extern "C" __global__ void halves(int M, int N, int K, const float* A, const float* B, float* C) {
  const int t = threadIdx.x;
  float v = A[t];
  if (t < 16) {
    v += __shfl_down_sync(0x0000ffff, v, 8);
  }
  __syncthreads();
  C[t] = v;
}
