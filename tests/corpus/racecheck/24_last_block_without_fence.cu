// The last block adds up what the others left, but they did not fence before they counted themselves done.
//: launch.block = 32
//: launch.grid = 4
//: arguments = ["M", "N", "K", "A", "partial", "done", "C"]
//: arrays.partial = { role = "output", shape = [4] }
//: arrays.done = { role = "inout", element = "i32", shape = [2], logical = [1] }
extern "C" __global__ void sum_blocks(int M, int N, int K, const float* A, volatile float* partial, int* done, float* C) {
  if (threadIdx.x != 0) return;
  partial[blockIdx.x] = A[blockIdx.x];  // expect: read-write-race
  const int before = atomicAdd(done + 1, 1);  // done[1] starts at 0
  if (before == 3) {
    float sum = 0.0f;
#pragma unroll 1
    for (int b = 0; b < 4; ++b)
      sum += partial[b];  // expect: read-write-race
    C[0] = sum;
  }
}
