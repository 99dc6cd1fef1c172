// What main() does wrong around its launches, each on the line that says why; the kernels are right.
#include <cstdio>

__constant__ float weights[32];
__constant__ float shifts[32];
__constant__ float given[2] = {1, 2};

__global__ void twice(float* values) { values[threadIdx.x] *= 2; }
__global__ void copy(const float* from, float* to) { to[threadIdx.x] = from[threadIdx.x] * given[1]; }
__global__ void weigh(float* values) { values[threadIdx.x] *= weights[threadIdx.x] + shifts[threadIdx.x]; }

int main() {
  float *a, *b, *c;
  cudaMallocManaged(&a, 32 * sizeof(float));
  cudaMallocManaged(&b, 32 * sizeof(float));
  cudaMallocHost(&c, 32 * sizeof(float));
  for (int i = 0; i < 32; ++i) a[i] = c[i] = static_cast<float>(i);
  twice<<<1, 32>>>(a);
  std::printf("%g\n", a[3]);                     // expect: a kernel launched before may still be using
  cudaDeviceSynchronize();
  copy<<<1, 32>>>(a, b);
  std::printf("%g\n", a[3]);
  a[3] = 5;                                      // expect: a kernel launched before may still be using
  cudaStreamSynchronize(nullptr);
  std::printf("%g\n", b[3]);
  twice<<<1, 32>>>(c);
  c[1] = 7;                                      // expect: a kernel launched before may still be using
  twice<<<1, 32>>>(a);
  cudaMemcpy(b, a, 32 * sizeof(float), cudaMemcpyDefault);
  std::printf("%g\n", a[3]);
  const float shift[32] = {};
  cudaMemcpyToSymbol(shifts, shift, sizeof shift);
  weigh<<<1, 32>>>(a);                           // expect: weigh reads it, and nobody copied to it before
  cudaDeviceSynchronize();
  cudaFree(a);
  cudaFree(b);
  cudaFreeHost(c);
}
