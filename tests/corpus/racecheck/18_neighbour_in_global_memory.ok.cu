//: launch.block = 64
//: launch.grid = 1
//: arguments = ["M", "N", "K", "A", "T", "C"]
//: arrays.T = { role = "output", shape = [64] }
extern "C" __global__ void smooth(int M, int N, int K, const float* A, float* T, float* C) {
  const int t = threadIdx.x;
  T[t] = A[t] * 2.0f;
  __syncthreads();
  C[t] = T[t] + T[(t + 1) % 64];
}
