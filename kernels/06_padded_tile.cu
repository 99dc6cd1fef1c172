// C = A * B, all row-major: A is Mp x Kp, B is Kp x Np, C is Mp x Np.
// As 04, for matrices of any size: whoever launches it has padded them with zeros to Mp, Np and Kp, whole tiles.
// So there is nothing to guard here; compare 05.

#ifndef TILE
#define TILE 32
#endif

__global__ void sgemm_padded_tile(const float *A, const float *B, float *C, int Mp, int Np, int Kp) {
  __shared__ float As[TILE][TILE];
  __shared__ float Bs[TILE][TILE];

  const int threadRow = threadIdx.y;
  const int threadCol = threadIdx.x;
  const int row = blockIdx.y * TILE + threadRow;
  const int col = blockIdx.x * TILE + threadCol;

  float sum = 0.0f;
  for (int tile = 0; tile < Kp; tile += TILE) {
    As[threadRow][threadCol] = A[row * Kp + tile + threadCol];    // [load A]
    Bs[threadRow][threadCol] = B[(tile + threadRow) * Np + col];  // [load B]
    __syncthreads();  // [tiles ready]

    for (int k = 0; k < TILE; ++k) {
      const float a = As[threadRow][k];  // [read As]
      const float b = Bs[k][threadCol];  // [read Bs]
      sum += a * b;
    }
    __syncthreads();  // [tiles used]
  }
  C[row * Np + col] = sum;  // [store C]
}
