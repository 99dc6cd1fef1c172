// Lanes whose column is odd never set their factor.
//: launch.block = 32
//: launch.grid = 1
extern "C" __global__ void scale(int M, int N, int K, const float* A, const float* B, float* C) {
  const int t = threadIdx.x;
  float factor;
  asm volatile("{ .reg .pred even; .reg .b32 bit; and.b32 bit, %1, 1; setp.eq.s32 even, bit, 0; @even mov.f32 %0, 0f40000000; }" : "=f"(factor) : "r"(t));
  C[t] = A[t] * factor;  // expect: uninitialised-register
}
