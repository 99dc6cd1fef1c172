// The writer stores, then arrives at the mbarrier of the other block, which waits for it.
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
__device__ void writeTo(unsigned address, float value) {
  asm volatile("st.shared::cluster.f32 [%0], %1;" ::"r"(address), "f"(value) : "memory");
}
__device__ void meetCluster() { asm volatile("barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;" ::: "memory"); }
extern "C" __global__ void __cluster_dims__(2) send(const float* A, float* C) {
  __shared__ float tile[32];
  __shared__ unsigned long long full;
  const int t = threadIdx.x;
  if (t == 0) asm volatile("mbarrier.init.shared::cta.b64 [%0], 32;" ::"r"(sharedAddress(&full)) : "memory");
  meetCluster();
  if (blockIdx.x == 1) {
    const unsigned barrier = addressIn(sharedAddress(&full), 0), there = addressIn(sharedAddress(&tile[31 - t]), 0);
    writeTo(there, A[t]);
    asm volatile("mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%0];" ::"r"(barrier) : "memory");
  } else {
    unsigned done = 0;
    while (!done)
      asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], 0; selp.u32 %0, 1, 0, p; }"
                   : "=r"(done) : "r"(sharedAddress(&full)) : "memory");
    C[t] = tile[t];
  }
  meetCluster();
}
