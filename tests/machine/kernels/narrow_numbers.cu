// Conversions from and to bytes and numbers of 16 bits in every rounding, and their arithmetic and comparisons.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#define ROUNDED(round)                                                                                          \
  put(__float2half_##round(f)), put(__int2half_##round(i)), put(__ull2half_##round(u)), put(__short2half_##round(s)), \
      put(__half2int_##round(h)), put(__half2ushort_##round(h)), put((int)__half2ll_##round(h)),                \
      put(__float2bfloat16_##round(f)), put(__uint2bfloat16_##round(i)), put(__ll2bfloat16_##round(u)),         \
      put(__bfloat162int_##round(b)), put((int)__bfloat162ull_##round(b)), put(__float2int_##round(f)),         \
      put(__double2float_##round(d)), put(__ushort2half_##round(s)), put(__bfloat162short_##round(b))

struct Put {
  int *out;
  template <class T>
  __device__ void operator()(T value) {
    int bits = 0;
    memcpy(&bits, &value, sizeof value < 4 ? sizeof value : 4);
    *out = bits, out += 256;
  }
};

__global__ void narrow_numbers(const int *x, int *y, int n) {
  Put put{y + threadIdx.x};
  const int i = x[threadIdx.x], j = x[threadIdx.x + 1];
  const unsigned long long u = (unsigned long long)i * 77777;
  const short s = i;
  const float f = i % 4096 * 0.37f, g = __int_as_float(j);
  const double d = (double)f * j;
  const __half h = __float2half(f), k = __ushort_as_half(j), l = __ushort_as_half(j >> 16);
  const __nv_bfloat16 b = __float2bfloat16(g), c = __float2bfloat16(f);
  const __half2 hh = __halves2half2(h, k), ll = __halves2half2(l, h);
  const __nv_bfloat162 bb = __halves2bfloat162(b, c), cc = __halves2bfloat162(c, b);
  const uchar4 bytes = *(const uchar4 *)&x[threadIdx.x];
  const char4 signs = *(const char4 *)&x[threadIdx.x];
  put((float)bytes.x * 3 + (float)bytes.y * 5 + (float)bytes.z * 7 + (float)bytes.w);
  put((float)signs.x * 3 + (float)signs.y * 5 + (float)signs.z * 7 + (float)signs.w);
  put((float)((double)bytes.w / ((double)signs.z + 0.5)));
  put((float)(short)(j >> 16) + (float)(short)j);
  ROUNDED(rn);
  ROUNDED(rz);
  ROUNDED(ru);
  ROUNDED(rd);
  put(__double2half(d)), put(__double2bfloat16(d)), put((int)(signed char)(float)h), put((double)l > d);
  put(h2rint(ll)), put(h2floor(hh)), put(hceil(l)), put(htrunc(h)), put(h2trunc(bb)), put(hrint(c)), put((float)(__half)b);
  put(__high2float(ll) * __low2float(hh)), put(__half2int_rz(__high2half(ll)));
  put(__hfma(h, k, l)), put(__hfma(h, l, __hneg(h))), put(__hfma2(hh, ll, __hneg2(ll))), put(__hfma(c, c, c));
  put(__hfma_sat(h, k, h)), put(__hfma_relu(h, k, h)), put(__hfma2_relu(bb, cc, cc)), put(__hadd_sat(h, l));
  put(__habs(b)), put(__hneg(c)), put(__habs(h)), put(__hsub(b, c)), put(__hmul2_sat(hh, ll)), put(__hsub2(bb, cc));
  put(__hmax(h, k)), put(__hmin(h, l)), put(__hmax2(hh, ll)), put(__hmin2(bb, cc)), put(__hmax_nan(k, l)), put(__hmin2_nan(bb, cc));
  put(__hlt(h, k)), put(__hgeu(k, l)), put(__heq(h, h)), put(__hne(b, c)), put(__hleu(b, c)), put(__hisnan(k));
  put(__hgt2(hh, ll)), put(__heq2(bb, bb)), put(__hltu2(hh, ll)), put(__hlt2_mask(hh, ll)), put(__hgtu2_mask(bb, cc));
  put((float)fmin(d, (double)g)), put((float)fmax(d, (double)g)), put((float)fmax((double)g, d)), put(n);
}
