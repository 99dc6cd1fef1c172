//: launch.block = 64
//: launch.grid = 1
//: arrays.total = { space = "shared", shape = [1] }
extern "C" __global__ void row_norm(int M, int N, int K, const float* A, const float* B, float* C) {
  __shared__ float total;
  const int t = threadIdx.x;
  if (t == 0) total = 0.0f;
  __syncthreads();
  atomicAdd(&total, A[t] * A[t]);
  __syncthreads();
  if (t == 0) C[0] = total;
}
