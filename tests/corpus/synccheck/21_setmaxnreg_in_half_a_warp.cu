// Half of each warp gives registers back; it is for all of its lanes to do so.
//: architecture = "sm_90a"
//: arguments = ["A", "C"]
//: launch.block = 128
//: launch.grid = 1
extern "C" __global__ void __launch_bounds__(128) give_back(const float* A, float* C) {
  if (threadIdx.x % 32 < 16)
    asm volatile("setmaxnreg.dec.sync.aligned.u32 40;");  // expect: bad-register-count
  C[threadIdx.x] = A[threadIdx.x];
}
