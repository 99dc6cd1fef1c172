// The shuffle names all lanes, but half of them go on to the barrier.
//: launch.block = 32
//: launch.grid = 1
extern "C" __global__ void halves(int M, int N, int K, const float* A, const float* B, float* C) {
  const int t = threadIdx.x;
  float v = A[t];
  if (t < 16) {
    v += __shfl_down_sync(0xffffffff, v, 8);  // expect: deadlock
  }
  __syncthreads();
  C[t] = v;
}
