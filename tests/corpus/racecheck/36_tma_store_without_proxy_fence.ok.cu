//: architecture = "sm_90a"
//: arguments = [{ name = "mapC", tensor = "C", box = ["32", "32"] }, "A"]
//: launch.block = 64
//: launch.grid = 1
//: arrays.tile = { space = "shared", shape = ["32", "32"] }
struct __align__(64) CUtensorMap {
  unsigned long long opaque[16];
};
__device__ unsigned shared(const void* p) { return static_cast<unsigned>(__cvta_generic_to_shared(p)); }
extern "C" __global__ void store_tile(const __grid_constant__ CUtensorMap mapC, const float* A) {
  __shared__ __align__(128) float tile[32][32];
  for (int i = threadIdx.x; i < 1024; i += 64) tile[i / 32][i % 32] = A[i];
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  __syncthreads();
  if (threadIdx.x == 0) {
    asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%0, {%1, %2}], [%3];" ::"l"(&mapC), "r"(0), "r"(0), "r"(shared(tile)) : "memory");
    asm volatile("cp.async.bulk.commit_group;" ::: "memory");
    asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
  }
}
