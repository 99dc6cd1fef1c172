// The index of the last rows does not fit its type.
//: size = "M=256,N=256,K=16"
//: launch.block = [32, 8]
//: launch.grid = ["N / 32", "M / 8"]
extern "C" __global__ void fill(int M, int N, int K, const float* A, const float* B, float* C) {
  const short i = (blockIdx.y * 8 + threadIdx.y) * N + blockIdx.x * 32 + threadIdx.x;
  C[i] = static_cast<float>(threadIdx.x);  // expect: out-of-bounds
}
