// The programs of a first course in one: each checks itself against the CPU.
#include <cmath>
#include <cstdio>
#include <vector>

#define CHECK(call)                                                                    \
  do {                                                                                 \
    if (const cudaError_t error = (call)) {                                            \
      std::printf("%s: %s\n", #call, cudaGetErrorString(error));                       \
      std::exit(1);                                                                    \
    }                                                                                  \
  } while (false)

template <class T>
struct Device {
  T* data = nullptr;
  size_t count;
  explicit Device(size_t n) : count(n) { CHECK(cudaMalloc(&data, n * sizeof(T))); }
  explicit Device(const std::vector<T>& values) : Device(values.size()) {
    CHECK(cudaMemcpy(data, values.data(), count * sizeof(T), cudaMemcpyHostToDevice));
  }
  ~Device() { cudaFree(data); }
  std::vector<T> host() const {
    std::vector<T> values(count);
    CHECK(cudaMemcpy(values.data(), data, count * sizeof(T), cudaMemcpyDeviceToHost));
    return values;
  }
};

void report(const char* name, bool right) { std::printf("%s: %s\n", name, right ? "right" : "wrong"); }

__global__ void add(const float* a, const float* b, float* c, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) c[i] = a[i] + b[i];
}

constexpr int kTile = 16;
__global__ void multiply(const float* a, const float* b, float* c, int n) {
  __shared__ float as[kTile][kTile], bs[kTile][kTile];
  const int row = blockIdx.y * kTile + threadIdx.y, column = blockIdx.x * kTile + threadIdx.x;
  float sum = 0;
  for (int k = 0; k < n; k += kTile) {
    as[threadIdx.y][threadIdx.x] = a[row * n + k + threadIdx.x];
    bs[threadIdx.y][threadIdx.x] = b[(k + threadIdx.y) * n + column];
    __syncthreads();
    for (int i = 0; i < kTile; ++i) sum += as[threadIdx.y][i] * bs[i][threadIdx.x];
    __syncthreads();
  }
  c[row * n + column] = sum;
}

__global__ void transpose(const float* in, float* out, int width, int height) {
  __shared__ float tile[32][33];
  int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
  for (int i = 0; i < 32; i += blockDim.y)
    if (x < width && y + i < height) tile[threadIdx.y + i][threadIdx.x] = in[(y + i) * width + x];
  __syncthreads();
  x = blockIdx.y * 32 + threadIdx.x;
  y = blockIdx.x * 32 + threadIdx.y;
  for (int i = 0; i < 32; i += blockDim.y)
    if (x < height && y + i < width) out[(y + i) * height + x] = tile[threadIdx.x][threadIdx.y + i];
}

template <int kThreads>
__global__ void reduce(const int* in, int* out, int n) {
  extern __shared__ int sums[];
  int sum = 0;
  for (int i = blockIdx.x * kThreads + threadIdx.x; i < n; i += gridDim.x * kThreads) sum += in[i];
  sums[threadIdx.x] = sum;
  __syncthreads();
  for (int half = kThreads / 2; half >= 32; half /= 2) {
    if (threadIdx.x < half) sums[threadIdx.x] += sums[threadIdx.x + half];
    __syncthreads();
  }
  if (threadIdx.x < 32) {
    sum = sums[threadIdx.x];
    for (int offset = 16; offset > 0; offset /= 2) sum += __shfl_down_sync(0xffffffff, sum, offset);
    if (threadIdx.x == 0) atomicAdd(out, sum);
  }
}

__global__ void scan(const int* in, int* out) {
  __shared__ int values[2][256];
  int from = 0;
  values[0][threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  for (int step = 1; step < 256; step *= 2) {
    const int i = threadIdx.x;
    values[1 - from][i] = values[from][i] + (i >= step ? values[from][i - step] : 0);
    from = 1 - from;
    __syncthreads();
  }
  out[threadIdx.x] = values[from][threadIdx.x];
}

__global__ void histogram(const unsigned char* data, unsigned* bins, int n) {
  __shared__ unsigned mine[256];
  mine[threadIdx.x] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) atomicAdd(&mine[data[i]], 1u);
  __syncthreads();
  atomicAdd(&bins[threadIdx.x], mine[threadIdx.x]);
}

std::vector<float> numbers(size_t n) {
  std::vector<float> values(n);
  for (size_t i = 0; i < n; ++i) values[i] = static_cast<float>(i * 7 % 13) - 6;
  return values;
}

void try_add() {
  const std::vector<float> a = numbers(1000), b = numbers(1000);
  Device<float> da(a), db(b), dc(1000);
  add<<<4, 256>>>(da.data, db.data, dc.data, 1000);
  bool right = true;
  const std::vector<float> c = dc.host();
  for (int i = 0; i < 1000; ++i) right &= c[i] == a[i] + b[i];
  report("vector add", right);
}

void try_multiply() {
  constexpr int n = 48;
  const std::vector<float> a = numbers(n * n), b = numbers(n * n);
  Device<float> da(a), db(b), dc(n * n);
  multiply<<<dim3(n / kTile, n / kTile), dim3(kTile, kTile)>>>(da.data, db.data, dc.data, n);
  const std::vector<float> c = dc.host();
  bool right = true;
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) {
      float sum = 0;
      for (int k = 0; k < n; ++k) sum += a[i * n + k] * b[k * n + j];
      right &= std::fabs(sum - c[i * n + j]) < 1e-3f;
    }
  report("matrix product", right);
}

void try_transpose() {
  constexpr int width = 70, height = 45;
  const std::vector<float> in = numbers(width * height);
  Device<float> from(in), to(width * height);
  transpose<<<dim3(3, 2), dim3(32, 8)>>>(from.data, to.data, width, height);
  const std::vector<float> out = to.host();
  bool right = true;
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x) right &= out[x * height + y] == in[y * width + x];
  report("transpose", right);
}

void try_reduce() {
  std::vector<int> in(5000);
  int sum = 0;
  for (int i = 0; i < 5000; ++i) sum += in[i] = i % 17;
  Device<int> from(in), to(1);
  CHECK(cudaMemset(to.data, 0, sizeof(int)));
  reduce<128><<<6, 128, 128 * sizeof(int)>>>(from.data, to.data, 5000);
  report("reduction", to.host()[0] == sum);
}

void try_scan() {
  std::vector<int> in(256);
  for (int i = 0; i < 256; ++i) in[i] = i % 5;
  Device<int> from(in), to(256);
  scan<<<1, 256>>>(from.data, to.data);
  const std::vector<int> out = to.host();
  bool right = true;
  for (int i = 0, sum = 0; i < 256; ++i) right &= out[i] == (sum += in[i]);
  report("scan", right);
}

void try_histogram() {
  std::vector<unsigned char> data(4000);
  std::vector<unsigned> expected(256);
  for (int i = 0; i < 4000; ++i) ++expected[data[i] = static_cast<unsigned char>(i * i % 251)];
  Device<unsigned char> from(data);
  Device<unsigned> bins(256);
  CHECK(cudaMemset(bins.data, 0, 256 * sizeof(unsigned)));
  histogram<<<4, 256>>>(from.data, bins.data, 4000);
  report("histogram", bins.host() == expected);
}

int main() {
  try_add();
  try_multiply();
  try_transpose();
  try_reduce();
  try_scan();
  try_histogram();
  CHECK(cudaDeviceSynchronize());
}
