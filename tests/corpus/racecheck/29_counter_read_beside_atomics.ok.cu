//: launch.block = 64
//: launch.grid = 1
//: arrays.count = { space = "shared", element = "i32", shape = [1] }
extern "C" __global__ void count_positive(int M, int N, int K, const float* A, const float* B, float* C) {
  __shared__ int count;
  const int t = threadIdx.x;
  if (t == 0) count = 0;
  __syncthreads();
  if (A[t] > 0.0f) atomicAdd(&count, 1);
  __syncthreads();
  C[t] = count;
}
