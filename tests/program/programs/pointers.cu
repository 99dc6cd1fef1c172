// Virtual functions and pointers to functions, in a table, in a variable and passed by the host.
#include <cstdio>
struct Shape { __device__ virtual float area() const = 0; __device__ virtual ~Shape() {} };
struct Square : Shape { float s; __device__ Square(float s) : s(s) {} __device__ float area() const override { return s * s; } };
struct Circle : Shape { float r; __device__ Circle(float r) : r(r) {} __device__ float area() const override { return 3.f * r * r; } };
__global__ void make(Shape** shapes, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) { if (i % 2) shapes[i] = new Square(i); else shapes[i] = new Circle(i); }
}
__global__ void areas(Shape** shapes, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) { out[i] = shapes[i]->area(); }
}
__global__ void drop(Shape** shapes, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) delete shapes[i];
}
typedef int (*Operation)(int, int);
__device__ int add(int a, int b) { return a + b; }
__device__ int mul(int a, int b) { return a * b; }
__device__ Operation table[2] = {add, mul};
__device__ Operation one = mul;
__global__ void apply(const int* which, int* out, int n) {
  int i = threadIdx.x;
  if (i < n) out[i] = table[which[i]](i, 3);
}
__global__ void given(Operation f, int* out) { out[threadIdx.x] = f(threadIdx.x, 5); }
int main() {
  const int n = 64;
  Shape** shapes; float* out; int *which, *res;
  cudaMalloc(&shapes, n * sizeof(*shapes)); cudaMalloc(&out, n * 4); cudaMalloc(&which, n * 4); cudaMalloc(&res, n * 4);
  make<<<2, 32>>>(shapes, n); areas<<<2, 32>>>(shapes, out, n); drop<<<2, 32>>>(shapes, n);
  float h[n]; cudaMemcpy(h, out, n * 4, cudaMemcpyDeviceToHost);
  int w[n], r[n]; for (int i = 0; i < n; ++i) w[i] = i % 2;
  cudaMemcpy(which, w, n * 4, cudaMemcpyHostToDevice);
  apply<<<1, n>>>(which, res, n); cudaMemcpy(r, res, n * 4, cudaMemcpyDeviceToHost);
  int wrong = 0;
  for (int i = 0; i < n; ++i) { wrong += h[i] != (i % 2 ? 1.f : 3.f) * i * i; wrong += r[i] != (i % 2 ? i * 3 : i + 3); }
  Operation f; cudaMemcpyFromSymbol(&f, one, sizeof f);
  given<<<1, n>>>(f, res); cudaMemcpy(r, res, n * 4, cudaMemcpyDeviceToHost);
  for (int i = 0; i < n; ++i) wrong += r[i] != i * 5;
  std::printf("%s\n", wrong ? "FAILED" : "PASSED");
  cudaFree(shapes); cudaFree(out); cudaFree(which); cudaFree(res);
  return wrong != 0;
}
