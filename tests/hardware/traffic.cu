// What an SM's share of L2 and DRAM carries while all SMs read, write or copy 4, 16 and 64 MB:
//   ncu --csv --page raw --metrics
//   gpu__time_duration.sum,sm__cycles_active.avg,dram__bytes_read.sum,dram__bytes_write.sum
//     ./traffic                         # L2 flushed before each kernel; with --cache-control none: L2 as it was left
// Each kernel runs twice in a row. each: one word or four words a thread; grid: a loop over the grid's stride. half_:
// rows of 64 bytes. sector_gather: single sectors anywhere.
#include "check.h"

__global__ void read_each(const float* a, float* s, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float v = a[i];
  if (v == 12345.f) s[i] = v;
}
__global__ void read4_each(const float4* a, float* s, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float4 v = a[i];
  if (v.x + v.y + v.z + v.w == 12345.f) s[i] = v.x;
}
__global__ void read4_grid(const float4* a, float* s, int n) {
  float t = 0;
#pragma unroll 4
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    float4 v = a[i];
    t += v.x + v.y + v.z + v.w;
  }
  if (t == 12345.f) s[0] = t;
}
__global__ void write_each(float* s, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  s[i] = i;
}
__global__ void write4_each(float4* s, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  s[i] = make_float4(i, i, i, i);
}
__global__ void write4_grid(float4* s, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    s[i] = make_float4(i, i, i, i);
}
__global__ void copy_each(const float* a, float* s, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  s[i] = a[i];
}
__global__ void copy4_each(const float4* a, float4* s, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  s[i] = a[i];
}
__global__ void add_each(const float* a, const float* b, float* s, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  s[i] = a[i] + b[i];
}
__global__ void add4_each(const float4* a, const float4* b, float4* s, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float4 u = a[i], v = b[i];
  s[i] = make_float4(u.x + v.x, u.y + v.y, u.z + v.z, u.w + v.w);
}
__global__ void inplace4_each(float4* s, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float4 u = s[i];
  s[i] = make_float4(u.x + 1, u.y, u.z, u.w);
}
__global__ void half_lines(const float* a, float* s, int n) {
  int x = threadIdx.x % 16 + blockIdx.x * 16, y = threadIdx.x / 16 + blockIdx.y * 16;
  s[y * n + x] = a[y * n + x];
}
__global__ void half_reads(const float* a, float* s, int n) {
  int x = threadIdx.x % 16 + blockIdx.x * 16, y = threadIdx.x / 16 + blockIdx.y * 16;
  float v = a[y * n + x];
  if (v == 12345.f) s[y * n + x] = v;
}
__global__ void sector_gather(const float* a, float* s, unsigned mask) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned h = (i * 2654435761u >> 7) & mask;
  float v = a[h * 8];
  if (v == 12345.f) s[i] = v;
}
int main() {
  float *a, *b, *s;
  size_t B = size_t{64} << 20;
  for (float** array : {&a, &b, &s}) {
    CHECK(cudaMalloc(array, B));
    CHECK(cudaMemset(*array, 0, B));
  }
  for (int mb : {4, 16, 64}) {
    int n = mb << 18, m = n / 4;
    for (int twice = 0; twice < 2; ++twice) read4_each<<<m / 256, 256>>>((float4*)a, s, m);
    for (int twice = 0; twice < 2; ++twice) read4_grid<<<264, 512>>>((float4*)a, s, m);
    for (int twice = 0; twice < 2; ++twice) write4_each<<<m / 256, 256>>>((float4*)s, m);
    for (int twice = 0; twice < 2; ++twice) write4_grid<<<264, 512>>>((float4*)s, m);
    for (int twice = 0; twice < 2; ++twice) copy4_each<<<m / 256, 256>>>((float4*)a, (float4*)s, m);
    for (int twice = 0; twice < 2; ++twice) add4_each<<<m / 256, 256>>>((float4*)a, (float4*)b, (float4*)s, m);
    for (int twice = 0; twice < 2; ++twice) inplace4_each<<<m / 256, 256>>>((float4*)s, m);
    if (mb == 64) continue;
    for (int twice = 0; twice < 2; ++twice) read_each<<<n / 256, 256>>>(a, s, n);
    for (int twice = 0; twice < 2; ++twice) write_each<<<n / 256, 256>>>(s, n);
    for (int twice = 0; twice < 2; ++twice) copy_each<<<n / 256, 256>>>(a, s, n);
    for (int twice = 0; twice < 2; ++twice) add_each<<<n / 256, 256>>>(a, b, s, n);
    int w = mb == 4 ? 1024 : 2048;
    for (int twice = 0; twice < 2; ++twice) half_lines<<<dim3(w / 16, w / 16), 256>>>(a, s, w);
    for (int twice = 0; twice < 2; ++twice) half_reads<<<dim3(w / 16, w / 16), 256>>>(a, s, w);
    for (int twice = 0; twice < 2; ++twice) sector_gather<<<1024, 256>>>(a, s, n / 8 - 1);
  }
  CHECK(cudaDeviceSynchronize());
}
