//: launch.block = 32
//: launch.grid = 1
extern "C" __global__ void scale(int M, int N, int K, const float* A, const float* B, float* C) {
  const int t = threadIdx.x;
  float factor;
  asm volatile("{ .reg .pred even; .reg .b32 bit; and.b32 bit, %1, 1; setp.eq.s32 even, bit, 0; selp.f32 %0, 0f40000000, 0f3f800000, even; }" : "=f"(factor) : "r"(t));
  C[t] = A[t] * factor;
}
