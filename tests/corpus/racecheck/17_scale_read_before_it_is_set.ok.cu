//: launch.block = 64
//: launch.grid = 1
//: arrays.scale = { space = "shared", shape = [1] }
extern "C" __global__ void scale_row(int M, int N, int K, const float* A, const float* B, float* C) {
  __shared__ float scale;
  const int t = threadIdx.x;
  if (t == 0) scale = 1.0f / A[0];
  __syncthreads();
  C[t] = A[t] * scale;
}
