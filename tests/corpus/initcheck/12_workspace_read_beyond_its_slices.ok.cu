//: launch.block = 32
//: launch.grid = 1
//: arguments = ["M", "N", "K", "A", "W", "C"]
//: arrays.W = { role = "output", shape = [4, 32] }
extern "C" __global__ void add_slices(int M, int N, int K, const float* A, float* W, float* C) {
  const int t = threadIdx.x;
#pragma unroll 1
  for (int slice = 0; slice < 4; ++slice) W[slice * 32 + t] = A[slice * K + t];
  float sum = 0.0f;
#pragma unroll 1
  for (int slice = 0; slice < 4; ++slice)
    sum += W[slice * 32 + t];
  C[t] = sum;
}
