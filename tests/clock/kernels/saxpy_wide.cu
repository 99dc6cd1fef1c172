__global__ void saxpy_wide(const float4 *x, float4 *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (4 * i < n) {
    float4 a = x[i], b = y[i];
    y[i] = make_float4(2.0f * a.x + b.x, 2.0f * a.y + b.y, 2.0f * a.z + b.z, 2.0f * a.w + b.w);
  }
}
