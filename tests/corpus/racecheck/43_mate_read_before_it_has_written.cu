// __syncthreads() keeps the block together, and not the cluster: the other block may not have written yet.
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
__device__ float readFrom(unsigned address) {
  float value;
  asm volatile("ld.shared::cluster.f32 %0, [%1];" : "=f"(value) : "r"(address) : "memory");  // expect: read-write-race
  return value;
}
__device__ void meetCluster() { asm volatile("barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;" ::: "memory"); }
extern "C" __global__ void __cluster_dims__(2) exchange(const float* A, float* C) {
  __shared__ float tile[32];
  const int t = threadIdx.x, other = 1 - blockIdx.x;
  tile[t] = A[blockIdx.x * 32 + t];  // expect: read-write-race
  __syncthreads();
  C[blockIdx.x * 32 + t] = readFrom(addressIn(sharedAddress(&tile[t]), other));
  meetCluster();
}
