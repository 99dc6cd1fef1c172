// The tile is cleared once the product has ended.
//: architecture = "sm_90a"
//: arguments = ["A", "B", "C"]
//: launch.block = 128
//: launch.grid = 1
//: arrays.A = { element = "bf16", shape = ["64", "16"], role = "input" }
//: arrays.B = { element = "bf16", shape = ["16", "8"], role = "input" }
//: arrays.As = { space = "shared", element = "bf16", shape = ["2", "64", "8"] }
//: arrays.Bs = { space = "shared", element = "bf16", shape = ["2", "8", "8"] }
__device__ unsigned long long descriptor(const void* tile, unsigned leading, unsigned stride) {
  return (static_cast<unsigned>(__cvta_generic_to_shared(tile)) >> 4) | static_cast<unsigned long long>(leading >> 4) << 16 |
         static_cast<unsigned long long>(stride >> 4) << 32;
}
extern "C" __global__ void multiply(const unsigned short* A, const unsigned short* B, float* C) {
  __shared__ __align__(128) unsigned short As[2][64][8];  // rows of eight k, one half of k after the other
  __shared__ __align__(128) unsigned short Bs[2][8][8];
  for (int i = threadIdx.x; i < 1024; i += 128) As[i % 16 / 8][i / 16][i % 8] = A[i];
  Bs[threadIdx.x / 64][threadIdx.x % 8][threadIdx.x / 8 % 8] = B[threadIdx.x];
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  __syncthreads();
  float d[4];
  asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
  asm volatile("{ .reg .pred p; setp.ne.b32 p, 0, 0; wgmma.mma_async.sync.aligned.m64n8k16.f32.bf16.bf16 {%0, %1, %2, %3}, %4, %5, p, 1, 1, 0, 0; }" : "=f"(d[0]), "=f"(d[1]), "=f"(d[2]), "=f"(d[3]) : "l"(descriptor(As, 1024, 128)), "l"(descriptor(Bs, 128, 128)) : "memory");
  asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
  asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
  __syncthreads();
  if (threadIdx.x < 64) Bs[0][threadIdx.x % 8][threadIdx.x / 8 % 8] = 0;
  const int lane = threadIdx.x % 32, row = threadIdx.x / 32 * 16 + lane / 4;
  for (int i = 0; i < 4; ++i) C[(row + i / 2 * 8) * 8 + lane % 4 * 2 + i % 2] = d[i];
}
