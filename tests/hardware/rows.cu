// Loops that load from rows and store to them, with what they store aligned to sectors or not, to the rows themselves or
// to others, or nothing:
//   ncu --clock-control none --csv --metrics gpu__time_duration.sum,sm__cycles_active.avg ./rows
// What the program prints says what each launch is.
#include "check.h"

enum Store { kNothing, kToOthers, kInPlace };

/// Loads from one or two rows, `from` words further; stores `to` words further.
template <int kLoads, Store kStore>
__global__ void rows(float* a, float* b, int rounds, int from, int to) {
  const int width = rounds * 256 + 32;
  float* row = a + size_t(blockIdx.x) * width * 2;
  float* other = kStore == kInPlace ? row : b + size_t(blockIdx.x) * width * 2;
  float all = 0;
  for (int r = 0; r < rounds; ++r) {
    const int j = r * 256 + threadIdx.x;
    float sum = 1 + row[j + from];
    if (kLoads > 1) sum += row[width + j + from];
    if (kStore == kNothing)
      all += sum;
    else
      other[j + to] = sum;
  }
  if (kStore == kNothing && all == 12345.f) other[0] = all;
}

constexpr const char* kNames[] = {"nothing", "to others", "in place"};
float *a, *b;
template <int kLoads, Store kStore>
void launch() {
  for (const int rounds : {4, 16})
    for (const int from : {0, 3})
      for (const int to : {0, 3}) {
        if (kStore == kNothing && to) continue;
        rows<kLoads, kStore><<<700, 256>>>(a, b, rounds, from, to);
        std::printf("%d,%s,%d,%d,%d\n", kLoads, kNames[kStore], rounds, from, to);
        CHECK(cudaDeviceSynchronize());
      }
}

int main() {
  CHECK(cudaMalloc(&a, size_t{64} << 20));
  CHECK(cudaMalloc(&b, size_t{64} << 20));
  CHECK(cudaMemset(a, 0, size_t{64} << 20));
  CHECK(cudaMemset(b, 0, size_t{64} << 20));
  std::printf("loads,stores,rounds,from,to\n");
  launch<1, kNothing>();
  launch<2, kNothing>();
  launch<1, kToOthers>();
  launch<1, kInPlace>();
  launch<2, kToOthers>();
  launch<2, kInPlace>();
}
