// Every thread reads a shared counter and writes it one larger.
//: launch.block = 64
//: launch.grid = 1
//: arrays.total = { space = "shared", shape = [1], element = "u32" }
extern "C" __global__ void count(int M, int N, int K, const float* A, const float* B, float* C) {
  __shared__ unsigned total;
  const int t = threadIdx.x;
  if (t == 0) total = 0;
  __syncthreads();
  const unsigned old = total;
  total = old + static_cast<unsigned>(t);  // expect: write-write-race
  __syncthreads();
  if (t == 0) C[0] = static_cast<float>(total);
}
