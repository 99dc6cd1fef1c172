//: launch.block = 64
//: launch.grid = 1
extern "C" __global__ void count(int M, int N, int K, const float* A, const float* B, float* C) {
  const int t = threadIdx.x;
  const int above = __syncthreads_count(t % 2 == 0 && A[t] > 0.0f);
  if (t % 2 == 0) C[t] = above;
}
