//: architecture = "sm_90a"
//: arguments = ["A", "C"]
//: launch.block = 128
//: launch.grid = 1
extern "C" __global__ void __launch_bounds__(128) give_back(const float* A, float* C) {
  asm volatile("setmaxnreg.dec.sync.aligned.u32 40;");
  C[threadIdx.x] = A[threadIdx.x];
}
