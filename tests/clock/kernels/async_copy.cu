#include <cuda_pipeline.h>
__global__ void async_copy(const float4 *x, float4 *y, int n) {
  __shared__ float4 s[2][128];
  int base = blockIdx.x * 2048, t = threadIdx.x;
  __pipeline_memcpy_async(&s[0][t], &x[base + t], 16);
  __pipeline_commit();
  for (int j = 0; j < 16; ++j) {
    if (j < 15) __pipeline_memcpy_async(&s[(j + 1) % 2][t], &x[base + (j + 1) * 128 + t], 16);
    __pipeline_commit();
    __pipeline_wait_prior(1);
    __syncthreads();
    float4 v = s[j % 2][127 - t];
    y[base + j * 128 + t] = make_float4(v.x * 2.0f, v.y * 2.0f, v.z * 2.0f, v.w * 2.0f);
    __syncthreads();
  }
}
