// The same with the loop of the CUDA C++ Programming Guide: what was read may be old, atomicCAS() finds out.
//: launch.block = 64
//: launch.grid = 1
//: arrays.total = { space = "shared", shape = [1], element = "u32" }
extern "C" __global__ void count(int M, int N, int K, const float* A, const float* B, float* C) {
  __shared__ unsigned total;
  const int t = threadIdx.x;
  if (t == 0) total = 0;
  __syncthreads();
  unsigned old = total, assumed;
  do {
    assumed = old;
    old = atomicCAS(&total, assumed, assumed + static_cast<unsigned>(t));
  } while (assumed != old);
  __syncthreads();
  if (t == 0) C[0] = static_cast<float>(total);
}
