#include <cuda_fp16.h>
#include <cuda_bf16.h>
#include <cstdint>
__global__ void halves(const __half* a, const __half2* b, __half2* c, __half* d, int n) {
  int i = threadIdx.x;
  d[i] = __hfma(a[i], a[i + 1], a[i + 2]); d[i+1] = a[i] / a[i + 1]; d[i + 2] = hsqrt(a[i]); d[i+3] = hexp(a[i]);
  c[i] = __hfma2(b[i], b[i + 1], b[i + 2]); c[i + 1] = __hmul2(b[i], b[i]); c[i + 2] = __hmax2(b[i], b[i + 1]);
  c[i + 3] = __hmin2_nan(b[i], b[i+1]); c[i+4] = __habs2(b[i]); c[i + 5] = __hneg2(b[i]); c[i+6] = __hfma2_relu(b[i], b[i+1], b[i+2]);
  d[i + 4] = __float2half_rz(float(n)); d[i + 5] = __int2half_rn(n); d[i + 6] = __hgt(a[i], a[i+1]) ? a[i] : a[i+2];
  d[i + 7] = htanh(a[i]); d[i+8] = __ushort_as_half(__half_as_ushort(a[i]) ^ 1); d[i+9] = __double2half(double(n) * 0.5);
  c[i + 7] = __floats2half2_rn(float(n), 2.f); d[i+10] = __float2half(__low2float(b[i]) + __high2float(b[i]));
  c[i + 8] = __heq2(b[i], b[i+1]); d[i+11] = __hbeq2(b[i], b[i+1]) ? a[i] : a[i+4]; d[i+12] = hlog2(a[i]); d[i+13] = hrcp(a[i]);
  d[i+14] = __half(__half2int_rn(a[i])); d[i+15] = __half(__half2uint_rz(a[i])); d[i+16]=__half(__half2ll_rd(a[i])); d[i+17]=hrint(a[i]);
  atomicAdd(&c[0], b[i]); atomicAdd(&d[0], a[i]);
}
#if __CUDA_ARCH__ >= 800 || !defined(__CUDA_ARCH__)
__global__ void bfloats(const __nv_bfloat16* a, const __nv_bfloat162* b, __nv_bfloat162* c, __nv_bfloat16* d, float* f) {
  int i = threadIdx.x;
  d[i] = __hfma(a[i], a[i + 1], a[i + 2]); d[i+1] = a[i] / a[i+1]; d[i+2] = a[i] * a[i+1]; d[i+3] = a[i] + a[i + 1];
  c[i] = __hfma2(b[i], b[i+1], b[i+2]); c[i+1] = __hmax2(b[i], b[i+1]); f[i] = __bfloat162float(a[i]);
  d[i+4] = __float2bfloat16(f[i]); c[i+2] = __floats2bfloat162_rn(f[i], f[i+1]); d[i+5] = hexp(a[i]); d[i+6]=__float2bfloat16_rz(f[i]);
  d[i+7] = __int2bfloat16_rn(i); c[i+3] = __habs2(b[i]); d[i+8] = __hlt(a[i], a[i+1]) ? a[i] : a[i+2]; f[i+1] = __bfloat162int_rn(a[i]);
  atomicAdd(&c[0], b[i]);
}
#endif
__global__ void doubles(const double* a, double* b, int n) {
  int i = threadIdx.x;
  b[i] = fma(a[i], a[i+1], a[i+2]); b[i+1] = a[i] / a[i+1]; b[i+2] = sqrt(a[i]); b[i+3] = exp(a[i]); b[i+4] = sin(a[i]);
  b[i+5] = floor(a[i]); b[i+6] = (double)(long long)a[i]; b[i+7] = fmod(a[i], a[i+1]); b[i+8] = __ddiv_rz(a[i], a[i+1]); b[i+9]=pow(a[i],a[i+1]);
  b[i+10] = rsqrt(a[i]); b[i+11] = __hiloint2double(n, n); b[i+12] = (float)a[i]; b[i+13] = (unsigned)a[i]; b[i+14]=copysign(a[i],a[i+1]); b[i+15]=isnan(a[i]);
  b[i+16]=lgamma(a[i]); b[i+17]=rint(a[i]); b[i+18]=ceil(a[i]); b[i+19]=trunc(a[i]); b[i+20] = __fma_rd(a[i],a[i+1],a[i+2]); b[i+21]=log(a[i]);
}
__global__ void floats(const float* a, float* b, int n) {
  int i = threadIdx.x;
  b[i] = a[i] / a[i+1]; b[i+1] = __fdividef(a[i], a[i+1]); b[i+2] = sqrtf(a[i]); b[i+3] = rsqrtf(a[i]); b[i+4] = __expf(a[i]); b[i+5] = expf(a[i]);
  b[i+6] = logf(a[i]); b[i+7] = sinf(a[i]); b[i+8] = cosf(a[i]); b[i+9] = tanhf(a[i]); b[i+10] = powf(a[i], a[i+1]); b[i+11] = fmodf(a[i], a[i+1]);
  b[i+12] = fminf(a[i], a[i+1]); b[i+13] = fmaxf(a[i], a[i+1]); b[i+14] = fabsf(a[i]); b[i+15] = floorf(a[i]); b[i+16] = rintf(a[i]); b[i+17] = __frcp_rn(a[i]);
  b[i+18] = __fmaf_rz(a[i], a[i+1], a[i+2]); b[i+19] = __fadd_ru(a[i], a[i+1]); b[i+20] = isfinite(a[i]); b[i+21] = __saturatef(a[i]); b[i+22] = cbrtf(a[i]);
  b[i+23] = __int_as_float(__float_as_int(a[i]) & n); b[i+24] = __sinf(a[i]); b[i+25] = __log2f(a[i]); b[i+26] = erff(a[i]); b[i+27] = atan2f(a[i], a[i+1]);
  b[i+28] = (unsigned char)a[i]; b[i+29] = (long long)a[i]; b[i+30] = (short)n; b[i+31] = copysignf(a[i], a[i+1]); b[i+32] = fdimf(a[i],a[i+1]); b[i+33]=hypotf(a[i],a[i+1]);
  b[i+34] = ldexpf(a[i],n); int e; b[i+35]=frexpf(a[i],&e)+e; b[i+36]=roundf(a[i]); b[i+37]=ceilf(a[i]); b[i+38]=(float)(uint64_t)n; b[i+39]=signbit(a[i]); b[i+40]=nearbyintf(a[i]);
}
__global__ void integers(const int* a, int* b, const unsigned* u, long long* l, const short* s, const signed char* c, unsigned long long* ul) {
  int i = threadIdx.x;
  b[i] = a[i] / a[i+1]; b[i+1] = a[i] % a[i+1]; b[i+2] = u[i] / u[i+1]; b[i+3] = u[i] % u[i+1]; l[i] = l[i+1] / l[i+2]; l[i+3] = l[i+4] % l[i+5];
  ul[i]=ul[i+1]/ul[i+2]; ul[i+3] = ul[i+4] % 7;
  b[i+4] = a[i] / 7; b[i+5] = u[i] % 10; b[i+6] = __popc(u[i]); b[i+7] = __clz(a[i]); b[i+8] = __ffs(a[i]); b[i+9] = __brev(u[i]); b[i+10] = __byte_perm(u[i], u[i+1], 0x1234);
  b[i+11] = __mul24(a[i], a[i+1]); b[i+12] = __umulhi(u[i], u[i+1]); b[i+13] = __mulhi(a[i], a[i+1]); l[i+6] = __mul64hi(l[i], l[i+1]); b[i+14] = __sad(a[i], a[i+1], u[i]);
  b[i+15] = __funnelshift_l(u[i], u[i+1], u[i+2]); b[i+16] = __funnelshift_rc(u[i], u[i+1], u[i+2]); b[i+17] = __dp4a(a[i], a[i+1], a[i+2]); b[i+18] = __dp2a_lo(a[i], a[i+1], a[i+2]);
  b[i+19] = min(a[i], a[i+1]); b[i+20] = max(u[i], u[i+1]); b[i+21] = abs(a[i]); b[i+22] = s[i] * s[i+1]; b[i+23] = c[i] + c[i+1]; l[i+7] = __popcll(l[i]); l[i+8] = __clzll(l[i]); l[i+9] = __brevll(l[i]);
  b[i+24] = (a[i] << a[i+1]) | (u[i] >> a[i+2]); l[i+10] = l[i] << a[i]; l[i+11] = (long long)a[i] * a[i+1]; b[i+25] = __viaddmax_s32(a[i], a[i+1], a[i+2]); b[i+26] = __vimax3_s32(a[i],a[i+1],a[i+2]);
  b[i+27] = __rhadd(a[i], a[i+1]); l[i+12] = min(l[i], l[i+1]); b[i+28]=__fns(u[i],0,3); b[i+29]= a[i]==3 ? 5 : a[i]; b[i+30]=(a[i]>>3)&0x1f; b[i+31]=__usad(u[i],u[i+1],u[i+2]); b[i+32]= (u[i]&u[i+1])^(u[i+2]|~u[i+3]);
  l[i+13] = __umul64hi(ul[i],ul[i+1]); b[i+33]=__uhadd(u[i],u[i+1]); b[i+34]=__dp2a_hi(u[i],u[i+1],u[i+2]);
}
