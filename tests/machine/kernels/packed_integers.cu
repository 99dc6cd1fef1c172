// Two or four small integers in a word, differences, the extremes of three, and functions of packed halves.
#include <cuda_fp16.h>
#include <cuda_bf16.h>

struct Put {
  unsigned *out;
  __device__ void operator()(unsigned value) { *out = value, out += 64; }
  __device__ void operator()(__half2 value) { operator()(*(unsigned *)&value); }
  __device__ void operator()(__nv_bfloat162 value) { operator()(*(unsigned *)&value); }
  __device__ void operator()(__half value) { operator()((unsigned)__half_as_ushort(value)); }
};

__global__ void packed_integers(const unsigned *x, unsigned *y, int n) {
  Put put{y + threadIdx.x};
  const unsigned a = x[threadIdx.x] * 2654435761u, b = x[threadIdx.x + 64 - n % 2] * 40503u * 65537u, c = a ^ b << 3;
  bool high, low;
  put(__vabsdiffu4(a, b)), put(__vsadu4(a, b)), put(__vabsdiffs4(a, b)), put(__vsads4(a, b)), put(__vabs4(c));
  put(__vsadu2(a, b)), put(__vabsdiffu2(a, b)), put(__vmins2(a, b)), put(__vmaxs2(a, b)), put(__vminu2(a, b));
  put(__vmaxu2(a, b)), put(__vadd2(a, b)), put(__vsub2(a, b)), put(__vneg2(c)), put(__vavgu4(a, b));
  put(__vaddss2(a, b)), put(__vsubus2(a, b)), put(__vmaxs4(a, b)), put(__vcmpgtu2(a, b)), put(__vsetleu4(b, c));
  put(__vimax_s16x2_relu(a, b)), put(__vimin_s16x2_relu(a, c)), put(__viaddmax_s16x2(a, b, c));
  put(__viaddmin_u16x2(a, b, c)), put(__viaddmin_s16x2_relu(a, b, c)), put(__vimax3_s16x2(a, b, c));
  put(__vimin3_u16x2(a, b, c)), put(__vimax3_s32(a, b, c)), put(__vimin3_u32(a, b, c)), put(__vimax3_s32_relu(a, b, c));
  put(__vibmax_s16x2(a, b, &high, &low)), put(high * 2 + low);
  put(__vibmin_u16x2(a, b, &high, &low)), put(high * 2 + low);
  put(__vibmax_s32(a, b, &low)), put(low), put(__vibmin_u32(a, c, &low)), put(low);
  put(__sad((int)a, (int)b, c)), put(__usad(a, b, c)), put(abs((int)(a >> 2) - (int)(b >> 2)) + 7);
  const __half2 h = __floats2half2_rn((int)a * 1e-9f, (int)b * 1e-8f), k = __floats2half2_rn((int)c * 2e-9f, 0.5f);
  const __nv_bfloat162 p = __floats2bfloat162_rn((int)a * 1e-9f, (int)c * 1e-8f), q = __float2bfloat162_rn(0.25f);
  put(__hmax2(__hmax2(h, k), __hneg2(h))), put(__hmin2(__hmin2(p, q), __hneg2(p)));
  put(h2tanh_approx(h)), put(htanh_approx(__high2half(k))), put(h2exp2(h)), put(h2exp2(q)), put(htanh_approx(__low2half(h)));
  const float f = (int)a * 1e-6f, g = (int)b * 2e-7f;
  short first, second;
  asm("cvt.rni.u8.f32 %0, %1;" : "=h"(first) : "f"(f));
  asm("cvt.rni.u8.f32 %0, %1;" : "=h"(second) : "f"(g));
  put((unsigned)(first & 255) | (unsigned)(second & 255) << 8);
  put(f != f || f > g ? 1 : 0), put(__float_as_uint(nextafterf(f, g)));
}
