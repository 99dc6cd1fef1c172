// The next half of the tile is written into the buffer that TMA still stores.
//: architecture = "sm_90a"
//: arguments = [{ name = "mapC", tensor = "C", box = ["16", "32"] }, "A"]
//: launch.block = 64
//: launch.grid = 1
//: arrays.tile = { space = "shared", shape = ["16", "32"] }
struct __align__(64) CUtensorMap {
  unsigned long long opaque[16];
};
__device__ unsigned shared(const void* p) { return static_cast<unsigned>(__cvta_generic_to_shared(p)); }
extern "C" __global__ void store_tile(const __grid_constant__ CUtensorMap mapC, const float* A) {
  __shared__ __align__(128) float tile[16][32];
  for (int half = 0; half < 2; ++half) {
    for (int i = threadIdx.x; i < 512; i += 64) tile[i / 32][i % 32] = A[half * 512 + i];  // expect: async-copy-race
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    __syncthreads();
    if (threadIdx.x == 0) {
      asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%0, {%1, %2}], [%3];" ::"l"(&mapC), "r"(0), "r"(half * 16), "r"(shared(tile)) : "memory");  // expect: async-copy-race
      asm volatile("cp.async.bulk.commit_group;" ::: "memory");
    }
    __syncthreads();
  }
  if (threadIdx.x == 0) asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
}
