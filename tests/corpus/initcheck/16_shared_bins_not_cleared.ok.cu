//: launch.block = 64
//: launch.grid = 1
//: arrays.bins = { space = "shared", element = "i32", shape = [16] }
extern "C" __global__ void histogram(int M, int N, int K, const float* A, const float* B, float* C) {
  __shared__ int bins[16];
  const int t = threadIdx.x;
  if (t < 16) bins[t] = 0;
  __syncthreads();
  if (A[t] > -2.0f) atomicAdd(&bins[t % 16], 1);
  __syncthreads();
  if (t < 16) C[t] = bins[t];
}
