#include <cstdio>
#include <cassert>
struct Big { float v[9]; double w; char c; };
__constant__ float coefficients[16]; __constant__ int table[4] = {1, -2, 3, -4}; __device__ float4 quad = {1, 2, 3, 4}; __device__ const double pi[2][2] = {{3.14, 2.7}, {1.4, 1.7}};
__device__ int* pointer; __device__ int target[5] = {9}; __device__ int* where = &target[2]; __device__ const char* text = "text";
__device__ __noinline__ float scale(float a, Big b, int n) { for (int i = 0; i < n; ++i) a += b.v[i % 9] * b.c; return a; }
__device__ __noinline__ Big make(float a, int n) { Big b; for (int i = 0; i < 9; ++i) b.v[i] = a * i + n; b.w = a; b.c = n; return b; }
__device__ __noinline__ void store(float* p, float4 v) { if (v.x > 0) { *p = v.y; return; } *p = v.z + v.w; }
__device__ __noinline__ bool test(short a, unsigned char b) { return a > b; }
__device__ __noinline__ int nested(int n) { return n + (test(n, 3) ? 5 : table[n & 3]); }
__global__ void calls(float* out, int n) { Big b = make(out[0], n); out[threadIdx.x] = scale(out[1], b, n) + nested(n); store(out + 5, make_float4(n, 1, 2, 3)); if (threadIdx.x > 3) out[3] = nested(n + 1); out[4] = quad.z + pi[n & 1][n & 1] + coefficients[n & 15] + *where + text[n&3]; }
template <int N> __global__ void switches(int* a, int n) {
  switch (n) { case 0: a[0] = 7; break; case 1: a[1] = a[3] * 3; break; case 2: a[2] = a[1] / 5; case 3: a[3] = 1; break; case 4: for (int i = 0; i < N; ++i) a[i] = i; break; case 5: a[5]++; break; case 6: a[6] = n; break; case 7: return; case 8: __syncthreads(); break; default: a[9] = 3; }
  int local[64]; for (int i = 0; i < 64; ++i) local[i] = a[i]; a[n] = local[n]; extern __shared__ int dynamic[]; dynamic[threadIdx.x] = a[n+1]; __syncthreads(); a[n+2] = dynamic[n];
  while (a[n] > 0) { if (a[n + 1] == 3) continue; if (a[n+2] == 4) break; a[n]--; do { a[n+1]++; } while (a[n+1] < 5); }
}
template __global__ void switches<8>(int*, int); template __global__ void switches<100>(int*, int);
__global__ void prints(int n, float f) { printf("%d %f %s\n", n, f, "x"); assert(n > 3); if (n == 4) __trap(); if (n == 5) asm("exit;"); int* p = (int*)malloc(40); p[3] = n; free(p); __brkpt(); }
__global__ void __launch_bounds__(256, 2) bounded(volatile float* v, const float* __restrict__ r, float* w) { w[0] = v[0] + __ldg(r + 1) + __ldcs(r + 2) + __ldcg(r + 3); v[2] = 4; __stcs(w + 3, 5.f); __stwt(w + 4, 6.f); float4 q = *(const float4*)(r + 4); *(float4*)(w + 8) = q; *(float2*)(w + 12) = *(const float2*)(r + 8); int2 t = *(int2*)(w+16); w[20] = t.x * t.y; char4 c = *(char4*)(w + 24); w[25] = c.x + c.w; w[7]=__ldlu(r+9); }
__global__ void fixed(float* a) { a[threadIdx.x] = 1; }
__global__ void grids(int* a) { a[0] = gridDim.x * blockIdx.y + blockDim.z * threadIdx.z + warpSize; __builtin_assume(a[1] > 0); a[2] = __isGlobal(a) + __isShared(a); a[3] = (int)__cvta_generic_to_shared(a); if (__builtin_expect(a[5], 0)) a[6] = 1; }
__device__ __noinline__ int factorial(int n) { return n < 2 ? 1 : n * factorial(n - 1); }
__global__ void recursive(int* a) { a[0] = factorial(a[1]); }
