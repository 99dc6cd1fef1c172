// Loops of integers, divisions, roots and the like that need no memory: what they take is issue, pipes and latencies.
// Each by a block of four warps for an SM of an H200, and by two, four and eight.
#include <cuda_fp16.h>

#include "course.h"

typedef unsigned long long u64;

#define LOOP(name, rounds, result, step, ...)                           \
    __global__ void name(const int *in, float *out) {                   \
        const int i = blockIdx.x * blockDim.x + threadIdx.x;            \
        const int x = in[threadIdx.x] + i;                              \
        const float f = x * 1e-6f + 0.5f;                               \
        (void)f;                                                        \
        __VA_ARGS__;                                                    \
        _Pragma("unroll 4") for (int j = 1; j <= rounds; j++) { step; } \
        out[i] = result;                                                \
    }

LOOP(u64_products, 768, (float)r, r = r * b + i, u64 r = x * 77ull + i, b = r | 1)
LOOP(u64_carry, 768, (float)(lo ^ hi), u64 p = (u64)(unsigned)(x + j) * (unsigned)(lo + j); lo += p;
     hi += lo < p, u64 lo = x, hi = 0)
LOOP(mulhi, 768, (float)r, r = __umulhi(r, 0x9e3779b9u + j) + r, unsigned r = x | 1)
LOOP(int_div, 192, (float)r, r = r / b + 1000000 + j, int r = x | 1000000, b = (x & 15) + 3)
LOOP(u64_mod, 64, (float)r, r = r * r % m, u64 m = x | 0x80000001u, r = 3)
LOOP(mod_const, 768, (float)r, r = r % 1009u * 7919u + j, unsigned r = x)
LOOP(float_div, 256, r, r = 1.5f + r / (2.f + j), float r = f)
LOOP(float_div2, 256, r, r = 1.5f + (2.f + j) / (r + 1.f), float r = f)
LOOP(square_root, 256, r, r = sqrtf(r + j), float r = f)
LOOP(expf_sum, 384, s, s += expf(r * j - s), float r = f, s = 0)
LOOP(expf_indep, 384, s, s += expf(f * j), float s = 0)
LOOP(fast_exp, 768, s, s += __expf(f * j), float s = 0)
LOOP(sinf_sum, 256, s, s += sinf(f + j), float s = 0)
LOOP(logf_sum, 384, s, s += logf(f + j), float s = 0)
LOOP(powf_sum, 128, s, s += powf(f + j, 1.7f), float s = 0)
LOOP(erff_sum, 256, s, s += erff(f * j), float s = 0)
LOOP(tanhf_sum, 256, s, s += tanhf(f * j), float s = 0)
LOOP(double_fma, 384, (float)r, r = r * 1.0001 + 0.5, double r = f)
LOOP(double_div, 96, (float)r, r = 3.0 / (r + j), double r = f + 1)
LOOP(convert, 768, r, q += (int)(r * j); r = q * 0.5f, float r = f; int q = x)
LOOP(bits, 768, (float)r, r = __popc(r) + __clz(r + j) * 77 + r, unsigned r = x)
LOOP(xorshift, 768, (float)r, r ^= r << 13; r ^= r >> 17; r ^= r << 5, unsigned r = x | 1)
LOOP(lcg, 768, (float)r, r = r * 1664525u + 1013904223u, unsigned r = x)
LOOP(rotates, 768, (float)(a + b + c + d), unsigned t = ((a << 5) | (a >> 27)) + ((b & c) | (~b & d)) + j; d = c;
     c = (b << 30) | (b >> 2); b = a; a = t, unsigned a = x, b = x * 3, c = x * 5, d = x * 7)
LOOP(min_max, 768, (float)(r + q), r = max(min(r + j, q), r - j); q = min(q, r ^ j), int r = x, q = x * 3)
LOOP(select, 768, (float)(r + q), if (r > j * 5) r -= j; else r += 3; q += r & 1 ? r : -r, int r = x, q = 0)
LOOP(collatz, 768, (float)r, r = r & 1 ? 3 * r + 1 : r / 2, unsigned r = x | 1)
LOOP(
    collatz_div, 128, (float)(r + n),
    while (r > 1 && n < j * 2) {
        r = r & 1 ? 3 * r + 1 : r / 2;
        n++;
    } r = x + j | 1,
    unsigned r = x | 1;
    int n = 0)
LOOP(shuffle, 96, r, for (int o = 16; o; o /= 2) r += __shfl_xor_sync(~0u, r, o); r *= 0.01f, float r = f)
LOOP(ballot, 384, (float)r, r += __popc(__ballot_sync(~0u, (r >> j % 7) & 1)), unsigned r = x)
LOOP(lds_chain, 384, (float)r, r = t[(r + j) & 255], __shared__ int t[256];
     for (int q = threadIdx.x; q < 256; q += blockDim.x) t[q] = (q * 37 + 11) & 255; __syncthreads(); int r = x & 255)
LOOP(lds_fma, 512, r + q, r += t[(threadIdx.x & 31) + 32 * (j & 31)] * f; q += t[j] * r, __shared__ float t[1024];
     for (int q = threadIdx.x; q < 1024; q += blockDim.x) t[q] = q * 0.001f; __syncthreads(); float r = f, q = 0)
LOOP(lds_float4, 384, r + q, float4 v = t[j & 255]; float4 w = t[(threadIdx.x + j) & 255]; r += v.x * w.x + v.y * w.y;
     q += v.z * w.z + v.w * w.w, __shared__ float4 t[256];
     for (int q = threadIdx.x; q < 256; q += blockDim.x) t[q] = make_float4(q, 1, 2, 3); __syncthreads();
     float r = f, q = 0)
LOOP(shared_atomics, 192, (float)t[x & 255], atomicAdd(&t[(x * 7 + j * 13) & 255], 1), __shared__ int t[256];
     for (int q = threadIdx.x; q < 256; q += blockDim.x) t[q] = 0; __syncthreads())
LOOP(sync_loop, 192, r, t[threadIdx.x] = r; __syncthreads(); r += t[(threadIdx.x + j) & 127] * 0.5f;
     __syncthreads(), __shared__ float t[128]; float r = f)
LOOP(half_fma, 768, __low2float(r), r = __hfma2(r, r, __float2half2_rn(0.25f)), half2 r = __float2half2_rn(f))
LOOP(mandelbrot_steps, 768, (float)n + a, float t = a * a - b * b + c; b = 2 * a * b + c; a = t;
     if (a * a + b * b < 4.f) n++, float a = 0, b = 0, c = f * 0.001f; int n = 0)
LOOP(gravity, 768, a, float d = f - j * 0.1f; float q = d * d + 0.01f; float w = rsqrtf(q);
     a += d * w * w * w, float a = 0)
LOOP(four_fma_chains, 768, a + b + c + d, a = a * f + 1; b = b * f + 2; c = c * f + 3;
     d = d * f + 4, float a = f, b = f, c = f, d = f)
LOOP(one_fma_chain, 768, a, a = a * f + 1, float a = f)
LOOP(dp4a, 768, (float)r, r = __dp4a(r, x + j, r), int r = x)
LOOP(u64_shift, 768, (float)r, r = (r << (j & 7)) ^ (r >> 3), u64 r = x * 77ull)
LOOP(horner, 256, r, r = r * f + 0.3f; r = r * f + 0.7f; r = r * f - 0.2f; r = r * f + j, float r = 0)
LOOP(int_poly, 384, (float)r, r = r * x + j; r = r * x + 7, int r = 0)
LOOP(
    switch8, 128, (float)r,
    switch ((r + j) & 7) {
        case 0:
            r += 3;
            break;
        case 1:
            r *= 5;
            break;
        case 2:
            r -= 7;
            break;
        case 3:
            r ^= j;
            break;
        case 4:
            r = r * r;
            break;
        case 5:
            r = ~r;
            break;
        case 6:
            r += r >> 3;
            break;
        default:
            r -= j;
    },
    int r = x)
LOOP(address, 192, (float)r, r += *(const int *)((const char *)in + ((long long)(r & 7) * 4 + (x & 31) * 4)), int r = 0)
LOOP(bytes, 768, (float)r, unsigned char q = (unsigned char)(r + j);
     r = r * 3 + (unsigned char)(q * q) + ((r >> 8) & 255), unsigned r = x)
LOOP(minmaxf, 768, a + b, a = fmaxf(a * 0.9f, b); b = fminf(b + 0.1f, a), float a = f, b = 1)
LOOP(isolated, 768, a + q, a = a * 1.1f + 0.5f; q = q * 3 + j; a += q & 1 ? 1.f : 2.f, float a = f; int q = x)
// clang-format on

#define RUN(name) \
    for (int blocks = 132; blocks <= 8 * 132; blocks *= 2) name<<<blocks, 128>>>(in, out)

int main() {
    const int *in = zeros<int>(128);
    float *out = room<float>(8 * 132 * 128);
    RUN(u64_products);
    RUN(u64_carry);
    RUN(mulhi);
    RUN(int_div);
    RUN(u64_mod);
    RUN(mod_const);
    RUN(float_div);
    RUN(float_div2);
    RUN(square_root);
    RUN(expf_sum);
    RUN(expf_indep);
    RUN(fast_exp);
    RUN(sinf_sum);
    RUN(logf_sum);
    RUN(powf_sum);
    RUN(erff_sum);
    RUN(tanhf_sum);
    RUN(double_fma);
    RUN(double_div);
    RUN(convert);
    RUN(bits);
    RUN(xorshift);
    RUN(lcg);
    RUN(rotates);
    RUN(min_max);
    RUN(select);
    RUN(collatz);
    RUN(collatz_div);
    RUN(shuffle);
    RUN(ballot);
    RUN(lds_chain);
    RUN(lds_fma);
    RUN(lds_float4);
    RUN(shared_atomics);
    RUN(sync_loop);
    RUN(half_fma);
    RUN(mandelbrot_steps);
    RUN(gravity);
    RUN(four_fma_chains);
    RUN(one_fma_chain);
    RUN(dp4a);
    RUN(u64_shift);
    RUN(horner);
    RUN(int_poly);
    RUN(switch8);
    RUN(address);
    RUN(bytes);
    RUN(minmaxf);
    RUN(isolated);
    done();
    return 0;
}
