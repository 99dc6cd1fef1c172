//: size = "M=32,N=16,K=8"
//: launch.block = [16, 16]
//: launch.grid = ["N / 16", "M / 16"]
//: arguments = ["M", "N", "K", "bias", "C"]
//: arrays.bias = { role = "input", shape = ["N"] }
extern "C" __global__ void add_bias(int M, int N, int K, const float* bias, float* C) {
  const int row = blockIdx.y * 16 + threadIdx.y, col = blockIdx.x * 16 + threadIdx.x;
  C[row * N + col] = bias[col];
}
