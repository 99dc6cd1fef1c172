// Variables of the module: constants, an array in global memory, and the tables that a double's sine reads.
__constant__ float coefficients[4] = {0.5f, 1.5f, 2.5f, 3.5f};
__constant__ int offset = 3;
__device__ float table[8] = {1, 2, 3, 4, 5, 6, 7, 8};
__device__ int visits;

__global__ void variables(const float *x, float *y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  table[(i + offset) & 7] += 0.0f;
  atomicAdd(&visits, 0);
  y[i] = coefficients[i & 3] * table[i & 7] + (float)sin(1e6 * x[i]) + visits;
}
