//: launch.block = [16, 16]
//: launch.grid = ["N / 16", "M / 16"]
//: arrays.tile = { space = "shared", shape = [16, 17] }
extern "C" __global__ void transpose(int M, int N, int K, const float* A, const float* B, float* C) {
  __shared__ float tile[16][17];
  const int tx = threadIdx.x, ty = threadIdx.y;
  tile[ty][tx] = A[(blockIdx.y * 16 + ty) * K + blockIdx.x * 16 + tx];
  __syncthreads();
  C[(blockIdx.x * 16 + ty) * M + blockIdx.y * 16 + tx] = tile[tx][ty];
}
