#include <cassert>
#include <random>

const int TILE_DIM = 32, BLOCK_ROWS = 8;

__global__ void transpose(float *odata, const float *idata, int width, int height) {
  __shared__ float tile[TILE_DIM][TILE_DIM + 1];
  int x = blockIdx.x * TILE_DIM + threadIdx.x;
  int y = blockIdx.y * TILE_DIM + threadIdx.y;
  for (int j = 0; j < TILE_DIM; j += BLOCK_ROWS)
    if (x < width && y + j < height) tile[threadIdx.y + j][threadIdx.x] = idata[(y + j) * width + x];
  __syncthreads();
  x = blockIdx.y * TILE_DIM + threadIdx.x;
  y = blockIdx.x * TILE_DIM + threadIdx.y;
  for (int j = 0; j < TILE_DIM; j += BLOCK_ROWS)
    if (x < height) odata[(y + j) * height + x] = tile[threadIdx.x][threadIdx.y + j];
}

struct Matrix {
  std::vector<float> values;
  int rows, cols;
};

int main() {
  Matrix m;
  dim3 dimGrid((m.cols + TILE_DIM - 1) / TILE_DIM, (m.rows + TILE_DIM - 1) / TILE_DIM, 1);
  dim3 dimBlock(TILE_DIM, BLOCK_ROWS, 1);
  transpose<<<dimGrid, dimBlock>>>(nullptr, nullptr, m.cols, m.rows);
}
