// Each thread lets the mbarrier know when its cp.async has landed, and nobody asks it.
//: architecture = "sm_80"
//: arguments = ["A", "C"]
//: launch.block = 64
//: launch.grid = 1
//: arrays.tile = { space = "shared", shape = ["1024"] }
//: arrays.bar = { space = "shared", element = "u64", shape = [1] }
__device__ unsigned shared(const void* p) { return static_cast<unsigned>(__cvta_generic_to_shared(p)); }
__device__ void init(unsigned long long* bar, unsigned arrivals) {
  asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(shared(bar)), "r"(arrivals) : "memory");
}
__device__ void wait(unsigned long long* bar, unsigned phase) {
  asm volatile("{ .reg .pred p; again: mbarrier.test_wait.parity.shared.b64 p, [%0], %1; @!p bra again; }" ::"r"(shared(bar)), "r"(phase) : "memory");
}
extern "C" __global__ void copy_row(const float* A, float* C) {
  __shared__ __align__(128) float tile[1024];
  __shared__ unsigned long long bar;
  if (threadIdx.x == 0) init(&bar, 64);
  __syncthreads();
  for (int i = threadIdx.x; i < 1024; i += 64)
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(shared(&tile[i])), "l"(A + i) : "memory");  // expect: async-copy-race
  asm volatile("cp.async.mbarrier.arrive.noinc.shared.b64 [%0];" ::"r"(shared(&bar)) : "memory");
  for (int i = threadIdx.x; i < 1024; i += 64) C[i] = tile[i];  // expect: async-copy-race
}
