//: architecture = "sm_90a"
//: arguments = ["A", "C"]
//: launch.block = 64
//: launch.grid = 1
//: arrays.tile = { space = "shared", shape = ["1024"] }
//: arrays.bar = { space = "shared", element = "u64", shape = [1] }
__device__ unsigned shared(const void* p) { return static_cast<unsigned>(__cvta_generic_to_shared(p)); }
__device__ void init(unsigned long long* bar, unsigned arrivals) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(shared(bar)), "r"(arrivals) : "memory");
}
__device__ void expect(unsigned long long* bar, unsigned bytes) {
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared(bar)), "r"(bytes) : "memory");
}
__device__ void wait(unsigned long long* bar, unsigned phase) {
  asm volatile("{ .reg .pred p; again: mbarrier.try_wait.parity.shared::cta.b64 p, [%0], %1; @!p bra again; }" ::"r"(shared(bar)), "r"(phase) : "memory");
}
extern "C" __global__ void copy_row(const float* A, float* C) {
  __shared__ __align__(128) float tile[1024];
  __shared__ unsigned long long bar;
  if (threadIdx.x == 0) init(&bar, 1);
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  __syncthreads();
  if (threadIdx.x == 0) {
    expect(&bar, 128);
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(shared(tile)), "l"(A + 31 * 32), "r"(128), "r"(shared(&bar)) : "memory");
  }
  wait(&bar, 0);
  if (threadIdx.x < 32) C[threadIdx.x] = tile[threadIdx.x];
}
