// Both blocks write the same elements of the first one's tile.
//: architecture = "sm_90a"
//: arguments = ["A", "C"]
//: launch.block = 32
//: launch.grid = 2
//: arrays.A = { element = "f32", shape = ["64"], role = "input" }
//: arrays.C = { element = "f32", shape = ["64"], role = "output" }
//: arrays.tile = { space = "shared", shape = ["64"] }
__device__ unsigned sharedAddress(const void* pointer) { return static_cast<unsigned>(__cvta_generic_to_shared(pointer)); }
__device__ unsigned addressIn(unsigned address, unsigned block) {
  unsigned there;
  asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(there) : "r"(address), "r"(block));
  return there;
}
__device__ void writeTo(unsigned address, float value) {
  asm volatile("st.shared::cluster.f32 [%0], %1;" ::"r"(address), "f"(value) : "memory");  // expect: write-write-race
}
__device__ void meetCluster() { asm volatile("barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;" ::: "memory"); }
extern "C" __global__ void __cluster_dims__(2) collect(const float* A, float* C) {
  __shared__ float tile[64];
  const int t = threadIdx.x;
  writeTo(addressIn(sharedAddress(&tile[t]), 0), A[blockIdx.x * 32 + t]);
  meetCluster();
  if (blockIdx.x == 0) C[t] = tile[t];
}
