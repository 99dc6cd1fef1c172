// Three of four floats are written, and all four are read at once.
//: launch.block = 32
//: launch.grid = 1
//: arrays.s = { space = "shared", shape = [32, 4] }
extern "C" __global__ void stage(int M, int N, int K, const float* A, const float* B, float* C) {
  __shared__ __align__(16) float s[32 * 4];
  const int t = threadIdx.x;
  for (int i = 0; i < 3; ++i) s[4 * t + i] = A[i * K + t];
  __syncthreads();
  const float4 v = *reinterpret_cast<float4*>(s + 4 * (31 - t));  // expect: uninitialised-memory
  C[t] = v.x + v.y + v.z + v.w;
}
