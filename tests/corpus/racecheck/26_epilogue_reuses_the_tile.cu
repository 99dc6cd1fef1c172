// The epilogue stages C in the tile that other warps may still be reading.
//: launch.block = [16, 16]
//: launch.grid = [1, 1]
//: size = "M=16,N=16,K=16"
//: arrays.Bs = { space = "shared", shape = [16, 16] }
extern "C" __global__ void sgemm(int M, int N, int K, const float* A, const float* B, float* C) {
  __shared__ float Bs[16][16];
  const int tx = threadIdx.x, ty = threadIdx.y;
  Bs[ty][tx] = B[ty * N + tx];
  __syncthreads();
  float sum = 0.0f;
#pragma unroll 1
  for (int k = 0; k < 16; ++k)
    sum += A[ty * K + k] * Bs[k][tx];  // expect: read-write-race
  Bs[ty][tx] = sum;  // expect: read-write-race
  __syncthreads();
  C[tx * N + ty] = Bs[ty][tx];
}
