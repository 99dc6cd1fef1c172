// Both blocks have read their tiles before the second copy.
//: architecture = "sm_90a"
//: arguments = ["A", "C"]
//: launch.block = 32
//: launch.grid = 2
//: arrays.A = { element = "f32", shape = ["64"], role = "input" }
//: arrays.C = { element = "f32", shape = ["64"], role = "output" }
//: arrays.tile = { space = "shared", shape = ["32"] }
__device__ unsigned sharedAddress(const void* pointer) { return static_cast<unsigned>(__cvta_generic_to_shared(pointer)); }
__device__ unsigned addressIn(unsigned address, unsigned block) {
  unsigned there;
  asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(there) : "r"(address), "r"(block));
  return there;
}
__device__ void meetCluster() { asm volatile("barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;" ::: "memory"); }
__device__ void waitFor(unsigned barrier, unsigned phase) {
  unsigned done = 0;
  while (!done)
    asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
                 : "=r"(done) : "r"(barrier), "r"(phase) : "memory");
}
extern "C" __global__ void __cluster_dims__(2) share(const float* A, float* C) {
  __shared__ alignas(128) float tile[32];
  __shared__ unsigned long long full;
  const int t = threadIdx.x;
  const unsigned barrier = sharedAddress(&full);
  if (t == 0) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(barrier) : "memory");
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
  }
  meetCluster();
  float sum = 0.0f;
#pragma unroll 1
  for (int step = 0; step < 2; ++step) {
    if (t == 0) asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], 128;" ::"r"(barrier) : "memory");
    if (blockIdx.x == 0 && t == 0)
      asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%0], [%1], 128, [%2], %3;" ::"r"(sharedAddress(tile)), "l"(A + step * 32), "r"(barrier), "h"(static_cast<unsigned short>(3)) : "memory");
    waitFor(barrier, step);
    sum += tile[t];
    meetCluster();
  }
  C[blockIdx.x * 32 + t] = sum;
  meetCluster();
}
