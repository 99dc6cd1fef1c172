// What stores cost that follow loads: in place or not, of whole sectors or of parts, by rows that each warp reads whole
// before it stores, and stores alone.
//   ncu --clock-control none --csv
//     --metrics gpu__time_duration.sum,sm__cycles_active.avg,sm__cycles_active.max ./in_place
// What the program prints says what each launch is. A median of five runs is a row of the results.
#include "check.h"

template <int Mode>
__global__ void each(const float* in, float* out, int n, int odd) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  if (Mode == 0) out[i] = in[i] * 2;
  if (Mode == 1) out[i + odd] = in[i] * 2;
  if (Mode == 2) out[i] = out[i] * 2;
  if (Mode == 3) out[i + odd] = out[i + odd] * 2;
  if (Mode == 4) out[2 * i] = in[2 * i] * 2;
  if (Mode == 5) out[2 * i] = out[2 * i] * 2;
  if (Mode == 6) out[2 * n - 1 - i + odd] = in[i] * 2;
  if (Mode == 7) {
    const float t = out[i];
    out[i] = out[2 * n - 1 - i + odd];
    out[2 * n - 1 - i + odd] = t;
  }
  if (Mode == 8) out[i] = 2;
  if (Mode == 9) out[i + odd] = 2;
  if (Mode == 10) out[2 * i] = 2;
  if (Mode == 11) out[8 * i] = out[8 * i] * 2;
  if (Mode == 12) out[8 * i] = in[8 * i] * 2;
  if (Mode == 13) out[8 * i] = 2;
  if (Mode == 14) reinterpret_cast<float4*>(out)[i] = make_float4(1, 2, 3, 4);
  if (Mode == 15) out[(i * 17ll) % n] = in[(i * 17ll) % n] + out[(i * 17ll) % n];
  if (Mode == 16) out[(i * 17ll) % n] = 2;
}

// Every warp has one row of K lines.
template <int K, bool kPlace>
__global__ void row(const float* in, float* out, int rows, int pitch) {
  const int r = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
  if (r >= rows) return;
  float v[K], s = 0;
  const float* from = kPlace ? out : in;
#pragma unroll
  for (int k = 0; k < K; ++k) s += v[k] = from[r * pitch + k * 32 + lane];
  for (int d = 16; d; d /= 2) s += __shfl_xor_sync(~0u, s, d);
#pragma unroll
  for (int k = 0; k < K; ++k) out[r * pitch + k * 32 + lane] = v[k] - s;
}

float *in, *out;
int main() {
  const size_t bytes = 64 << 20;
  CHECK(cudaMalloc(&in, bytes));
  CHECK(cudaMalloc(&out, bytes));
  CHECK(cudaMemset(in, 0, bytes));
  CHECK(cudaMemset(out, 0, bytes));
  const int sizes[] = {1 << 19, 3 << 19, 3 << 20, 6 << 20};
  for (int n : sizes)
    for (int odd = 0; odd <= 3; odd += 3) {
#define EACH(M, N) each<M><<<(N + 255) / 256, 256>>>(in, out, N, odd); std::printf("each,%d,%d,%d\n", M, N, odd)
      EACH(0, n); EACH(1, n); EACH(2, n); EACH(3, n);
      EACH(6, n / 2); EACH(7, n / 2); EACH(8, n); EACH(9, n);
      if (odd) continue;
      EACH(4, n / 2); EACH(5, n / 2); EACH(10, n / 2); EACH(11, n / 8); EACH(12, n / 8); EACH(13, n / 8);
      EACH(14, n / 4); EACH(15, n); EACH(16, n);
    }
  const int odd = 0;
  EACH(14, (10 << 20) / 4);
  EACH(14, (16 << 20) / 4);
  for (int per_sm = 8; per_sm <= 64; per_sm *= 2)
    for (int odd = 0; odd <= 3; odd += 3) {
#define ROW(K, P)                                                            \
  row<K, P><<<132 * per_sm / 4, 128>>>(in, out, 132 * per_sm, K * 32 + odd); \
  std::printf("row,%d,%d,%d,%d\n", K, P, per_sm, odd)
      ROW(1, false); ROW(4, false); ROW(8, false); ROW(16, false);
      ROW(1, true); ROW(4, true); ROW(8, true); ROW(16, true);
    }
  CHECK(cudaDeviceSynchronize());
}
