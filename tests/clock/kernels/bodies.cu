__global__ void bodies(const float4 *x, float4 *y, int n) {
  __shared__ float4 s[128];
  int i = (blockIdx.x * blockDim.x + threadIdx.x) % n;
  float4 me = x[i];
  float fx = 0.0f, fy = 0.0f, fz = 0.0f;
  for (int start = 0; start < n; start += 128) {
    s[threadIdx.x] = x[start + threadIdx.x];
    __syncthreads();
#pragma unroll 4
    for (int j = 0; j < 128; ++j) {
      float dx = s[j].x - me.x, dy = s[j].y - me.y, dz = s[j].z - me.z;
      float r = rsqrtf(dx * dx + dy * dy + dz * dz + 0.01f), f = s[j].w * r * r * r;
      fx += f * dx;
      fy += f * dy;
      fz += f * dz;
    }
    __syncthreads();
  }
  if (blockIdx.x * blockDim.x + threadIdx.x < n) y[i] = make_float4(fx, fy, fz, 0.0f);
}
