// Rows of 30 floats do not start on 16 bytes.
//: size = "M=8,N=32,K=30"
//: launch.block = [4, 8]
//: launch.grid = 1
extern "C" __global__ void load_rows(int M, int N, int K, const float* A, const float* B, float* C) {
  const int row = threadIdx.y, quad = threadIdx.x;
  const float4 v = *reinterpret_cast<const float4*>(A + row * K + quad * 4);  // expect: misaligned
  C[row * N + quad] = v.x + v.y + v.z + v.w;
}
