//: launch.block = 32
//: launch.grid = 2
//: arguments = ["M", "N", "K", "A", "X", "C"]
//: arrays.X = { role = "inout", shape = [96] }
extern "C" __global__ void smooth(int M, int N, int K, const float* A, float* X, float* C) {
  const int i = blockIdx.x * 32 + threadIdx.x;
  const float next = A[i + 1];
  __syncthreads();
  X[i] = 0.5f * next;
}
