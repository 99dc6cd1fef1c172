__global__ void shared_conflicts(const float *x, float *y, int n) {
  __shared__ float s[4096];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  for (int j = threadIdx.x; j < 4096; j += 256) s[j] = x[(blockIdx.x * 4096 + j) % n];
  __syncthreads();
  float sum = 0.0f;
#pragma unroll 8
  for (int j = 0; j < 64; ++j) sum += s[(threadIdx.x * 8 + j * 33) % 4096];
  y[i % n] = sum;
}
