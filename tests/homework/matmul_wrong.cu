#include <iostream>
using namespace std;

#define BLOCK_SIZE 16

// C = A * B for square matrices
__global__ void matmul(float *A, float *B, float *C, int N) {
  int row = blockIdx.y * blockDim.y + threadIdx.y;
  int col = blockIdx.x * blockDim.x + threadIdx.x;
  if (row < N && col < N) {
    float sum = 0;
    for (int k = 0; k < N; k++) sum += A[row * N + k] * B[col * N + k];
    C[row * N + col] = sum;
  }
}

int main(int argc, char **argv) {
  int N = 1 << 10;
  float *d_A, *d_B, *d_C;
  cudaMalloc((void **)&d_A, N * N * sizeof(float));
  cudaMalloc((void **)&d_B, N * N * sizeof(float));
  cudaMalloc((void **)&d_C, N * N * sizeof(float));
  dim3 threads(BLOCK_SIZE, BLOCK_SIZE);
  dim3 blocks(ceil((float)N / BLOCK_SIZE), ceil((float)N / BLOCK_SIZE));
  matmul<<<blocks, threads>>>(d_A, d_B, d_C, N);
  cudaDeviceSynchronize();
  cout << "done" << endl;
  return 0;
}
