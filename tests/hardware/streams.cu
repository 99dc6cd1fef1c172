// How long warps wait for lines when many are under way: warps that load N lines at a time, wait for all of them, and
// go on. Arrays side by side or apart, from DRAM or from L2, with and without stores.
//   ncu --clock-control none --csv --metrics sm__cycles_active.avg,sm__cycles_active.max,dram__bytes_read.sum,
//     dram__bytes_write.sum,lts__t_sectors_srcunit_tex_op_read.sum ./streams
// What the program prints says what each launch is.
#include "check.h"

constexpr int kSms = 132;
constexpr unsigned kLines = 1u << 18;  // 32 MB

template <int N, bool kApart, bool kStores>
__global__ void stream(const float* in, float* out, unsigned rounds, unsigned mask) {
  const unsigned warps = gridDim.x * blockDim.x / 32, warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
  unsigned other = 0;
  for (unsigned r = 0; r < rounds; ++r) {
    const unsigned line = r * warps + warp + other;
    float value[N], sum = 0;
#pragma unroll
    for (int i = 0; i < N; ++i)
      value[i] = in[((kApart ? line + (kLines / N) * i : line * N + i) & mask) * 32 + threadIdx.x % 32];
#pragma unroll
    for (int i = 0; i < N; ++i) sum += value[i];
    other = sum != 0;
    if (kStores)
#pragma unroll
      for (int i = 0; i < N; ++i)
        out[((kApart ? line + (kLines / N) * i : line * N + i) & mask) * 32 + threadIdx.x % 32] = sum;
  }
  if (other) out[warp] = 1;
}

float *in, *out;
template <int N, bool kApart, bool kStores>
void launch(unsigned mask) {
  for (unsigned warps = 4; warps <= 64; warps *= 2) {
    unsigned rounds = kLines / (kSms * warps * N);
    if (rounds > 64) rounds = 64;
    stream<N, kApart, kStores><<<kSms * warps / 4, 128>>>(in, out, rounds, mask);
    std::printf("%d,%d,%d,%u,%u,%u\n", N, kApart, kStores, mask + 1, warps, rounds);
    CHECK(cudaDeviceSynchronize());
  }
}

int main() {
  CHECK(cudaMalloc(&in, size_t{kLines} * 128));
  CHECK(cudaMalloc(&out, size_t{kLines} * 128));
  CHECK(cudaMemset(in, 0, size_t{kLines} * 128));
  std::printf("lines,apart,stores,of_lines,warps,rounds\n");
  const unsigned dram = kLines - 1, l2 = (1u << 15) - 1;  // 4 MB
  launch<1, false, false>(dram);
  launch<2, false, false>(dram);
  launch<4, false, false>(dram);
  launch<8, false, false>(dram);
  launch<2, true, false>(dram);
  launch<4, true, false>(dram);
  launch<8, true, false>(dram);
  launch<1, false, true>(dram);
  launch<2, true, true>(dram);
  launch<4, true, true>(dram);
  launch<1, false, false>(l2);
  launch<2, false, false>(l2);
  launch<4, false, false>(l2);
  launch<8, false, false>(l2);
  launch<2, true, false>(l2);
  launch<4, true, false>(l2);
}
