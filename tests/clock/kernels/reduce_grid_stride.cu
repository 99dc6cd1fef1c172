__global__ void reduce_grid_stride(const float4 *x, float *y, int n) {
  __shared__ float s[8];
  float v = 0.0f;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; 4 * i < n; i += gridDim.x * blockDim.x) {
    float4 q = x[i];
    v += (q.x + q.y) + (q.z + q.w);
  }
  for (int d = 16; d > 0; d /= 2) v += __shfl_down_sync(0xffffffff, v, d);
  if (threadIdx.x % 32 == 0) s[threadIdx.x / 32] = v;
  __syncthreads();
  if (threadIdx.x < 32) {
    v = threadIdx.x < 8 ? s[threadIdx.x] : 0.0f;
    for (int d = 4; d > 0; d /= 2) v += __shfl_down_sync(0xffffffff, v, d);
    if (threadIdx.x == 0) atomicAdd(y, v);
  }
}
