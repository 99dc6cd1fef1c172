// A row of 17 floats is not a multiple of 16 bytes; 20 would be.
//: launch.block = [4, 16]
//: launch.grid = 1
extern "C" __global__ void stage(int M, int N, int K, const float* A, const float* B, float* C) {
  constexpr int kStride = 17;
  __shared__ __align__(16) float s[16 * kStride];
  const int row = threadIdx.y, quad = threadIdx.x;
  const float4 v = *reinterpret_cast<const float4*>(A + row * K + quad * 4);
  *reinterpret_cast<float4*>(s + row * kStride + quad * 4) = v;  // expect: misaligned
  __syncthreads();
  C[row * N + quad] = s[(15 - row) * kStride + quad];
}
