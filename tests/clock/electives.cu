// Electives of students and beginners: small kernels on many fields, each launched once with data of its own.
#include <cooperative_groups.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_pipeline.h>
#include <cuda_runtime.h>
#include <mma.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "course_data.h"

namespace cg = cooperative_groups;

using u64 = unsigned long long;

// ---------------------------------------------------------------- streams

__device__ short alaw_value(unsigned char c) {
    c ^= 0x55;
    int e = (c >> 4) & 7, v = (c & 15) << 4;
    v = e == 0 ? v + 8 : (v + 0x108) << (e - 1);
    return (short)(c & 0x80 ? v : -v);
}

// Bytes of a telephone line to 16 bits, four at a time.
__global__ void alaw_decode_uchar4(const uchar4 *in, short4 *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    uchar4 c = in[i];
    out[i] = make_short4(alaw_value(c.x), alaw_value(c.y), alaw_value(c.z), alaw_value(c.w));
}

// One word in, a byte to each of four planes.
__global__ void rgba_into_four_planes(const uchar4 *in, unsigned char *r, unsigned char *g, unsigned char *b,
                                      unsigned char *a, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        uchar4 p = in[i];
        r[i] = p.x;
        g[i] = p.y;
        b[i] = p.z;
        a[i] = p.w;
    }
}

// Lays one image over another, colours multiplied by alpha already.
__global__ void alpha_over_premultiplied(const uchar4 *top, uchar4 *below, int w, int h) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w || y >= h) return;
    uchar4 t = top[y * w + x], u = below[y * w + x];
    int k = 255 - t.w;
    u.x = (unsigned char)min(t.x + (u.x * k + 127) / 255, 255);
    u.y = (unsigned char)min(t.y + (u.y * k + 127) / 255, 255);
    u.z = (unsigned char)min(t.z + (u.z * k + 127) / 255, 255);
    u.w = (unsigned char)min(t.w + (u.w * k + 127) / 255, 255);
    below[y * w + x] = u;
}

struct Tick {
    float price, volume, bid, ask;
};

struct Candle {
    float open, high, low, close, volume;
};

// Each thread goes through ticks of its own, one after the other.
__global__ void candles_from_ticks(const Tick *tick, Candle *candle, int candles, int each) {
    int c = blockIdx.x * blockDim.x + threadIdx.x;
    if (c >= candles) return;
    const Tick *t = tick + c * each;
    Candle k;
    k.open = k.high = k.low = t[0].price;
    k.volume = 0;
    for (int i = 0; i < each; i++) {
        k.high = fmaxf(k.high, t[i].price);
        k.low = fminf(k.low, t[i].price);
        k.volume += t[i].volume;
    }
    k.close = t[each - 1].price;
    candle[c] = k;
}

// Swaps the rows of an image from top to bottom, 16 bytes per thread.
__global__ void flip_rows_in_place_uint4(uint4 *image, int words, int h) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < words && y < h / 2) {
        uint4 a = image[y * words + x], b = image[(h - 1 - y) * words + x];
        image[y * words + x] = b;
        image[(h - 1 - y) * words + x] = a;
    }
}

// Axes z y x become x z y, no shared memory.
__global__ void volume_axes_rotated_naive(const float *in, float *out, int nx, int ny, int nz) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    int z = blockIdx.z * blockDim.z + threadIdx.z;
    if (x < nx && y < ny && z < nz) out[(x * nz + z) * ny + y] = in[(z * ny + y) * nx + x];
}

// Camera frame less the dark frame, times the gain of each pixel.
__global__ void flat_field_ushort2(const ushort2 *raw, const ushort2 *dark, const float2 *gain, ushort2 *out, int n) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        ushort2 r = raw[i], d = dark[i];
        float2 g = gain[i];
        float a = fmaxf((float)r.x - d.x, 0.0f) * g.x, b = fmaxf((float)r.y - d.y, 0.0f) * g.y;
        out[i] = make_ushort2((unsigned short)fminf(a, 65535.0f), (unsigned short)fminf(b, 65535.0f));
    }
}

// Few threads, each down one column of prices.
__global__ void exponential_average_down_columns(const float *price, float *average, int rows, int cols, float a) {
    int c = blockIdx.x * blockDim.x + threadIdx.x;
    if (c >= cols) return;
    float e = price[c];
    average[c] = e;
    for (int r = 1; r < rows; r++) {
        e += a * (price[r * cols + c] - e);
        average[r * cols + c] = e;
    }
}

__device__ unsigned gf_double_bytes(unsigned v) {
    return ((v << 1) & 0xfefefefeu) ^ (((v >> 7) & 0x01010101u) * 0x1du);
}

// Two check disks for six disks of data.
__global__ void raid6_parity_p_and_q(const uint4 *disk, uint4 *p, uint4 *q, int words) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= words) return;
    uint4 s = make_uint4(0, 0, 0, 0), t = s;
    for (int d = 5; d >= 0; d--) {
        uint4 v = disk[d * words + i];
        s.x ^= v.x, s.y ^= v.y, s.z ^= v.z, s.w ^= v.w;
        t.x = gf_double_bytes(t.x) ^ v.x;
        t.y = gf_double_bytes(t.y) ^ v.y;
        t.z = gf_double_bytes(t.z) ^ v.z;
        t.w = gf_double_bytes(t.w) ^ v.w;
    }
    p[i] = s;
    q[i] = t;
}

// Samples of three bytes, left and right in turn, to two planes.
__global__ void pcm24_stereo_to_planes(const unsigned char *in, float *left, float *right, int frames) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= frames) return;
    const unsigned char *p = in + 6 * i;
    int l = (p[0] << 8 | p[1] << 16 | p[2] << 24) >> 8, r = (p[3] << 8 | p[4] << 16 | p[5] << 24) >> 8;
    left[i] = l * (1.0f / 8388608.0f);
    right[i] = r * (1.0f / 8388608.0f);
}

// Index of 64 bits taken apart by divisions, a mask for rows and a vector for columns.
__global__ void where_broadcast_long_index(const unsigned char *mask, const float *a, const float *b, float *out,
                                           long long d0, long long d1, long long d2) {
    long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= d0 * d1 * d2) return;
    long long k = i % d2, j = i / d2 % d1, h = i / (d1 * d2);
    out[i] = mask[h * d1 + j] > 127 ? a[i] : b[k];
}

// Eight weights of four bits in a word, a scale for each 32.
__global__ void dequantise_four_bit_groups(const unsigned *packed, const half *scale, uint4 *out, int words) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= words) return;
    unsigned v = packed[i];
    half2 s = __half2half2(scale[i / 4]);
    union {
        half2 pair[4];
        uint4 all;
    } u;
#pragma unroll
    for (int k = 0; k < 4; k++) {
        int lo = (int)(v >> (8 * k) & 15) - 8, hi = (int)(v >> (8 * k + 4) & 15) - 8;
        u.pair[k] = __hmul2(__halves2half2(__int2half_rn(lo), __int2half_rn(hi)), s);
    }
    out[i] = u.all;
}

// ---------------------------------------------------------------- arithmetic

// Which root of z^3 = 1 each pixel comes to, and how fast.
__global__ void __launch_bounds__(256, 4) newton_fractal_cubic(uchar2 *out, int w, int h, int limit) {
    int px = blockIdx.x * 32 + threadIdx.x, py = blockIdx.y * 8 + threadIdx.y;
    if (px >= w || py >= h) return;
    float x = 3.0f * px / w - 1.5f, y = 2.0f * py / h - 1.0f;
    int it = 0;
    for (; it < limit; it++) {
        float x2 = x * x - y * y, y2 = 2 * x * y;
        float fx = x2 * x - y2 * y - 1, fy = x2 * y + y2 * x;
        float d = 3 * (x2 * x2 + y2 * y2) + 1e-12f;
        float sx = (fx * x2 + fy * y2) / d, sy = (fy * x2 - fx * y2) / d;
        x -= sx;
        y -= sy;
        if (sx * sx + sy * sy < 1e-9f) break;
    }
    int root = x > 0 ? 0 : y > 0 ? 1 : 2;
    out[py * w + px] = make_uchar2((unsigned char)root, (unsigned char)it);
}

// Where a planet is: Newton for E - e sin E = M.
__global__ void kepler_anomaly_double(const double *mean, const double *ecc, double2 *place, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    double m = 6.283185307179586 * mean[i], e = 0.9 * ecc[i], x = m + e * 0.5, s, c;
    for (int k = 0; k < 6; k++) {
        sincos(x, &s, &c);
        x -= (x - e * s - m) / (1 - e * c);
    }
    sincos(x, &s, &c);
    place[i] = make_double2(c - e, sqrt(1 - e * e) * s);
}

__device__ u64 montgomery(u64 a, u64 b, u64 n, u64 inverse) {
    u64 hi = __umul64hi(a, b), m = a * b * inverse, sub = __umul64hi(m, n);
    return hi >= sub ? hi - sub : hi - sub + n;
}

// Steps of the hare and the tortoise, differences multiplied together.
__global__ void pollard_rho_products(const u64 *number, u64 *product, int n, int steps) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    u64 m = (number[i] >> 1) | 1, inv = m;
    for (int k = 0; k < 5; k++) inv *= 2 - m * inv;
    u64 slow = 2 % m, fast = slow, all = 1 % m, c = (u64)(i + 1) % m;
    for (int s = 0; s < steps; s++) {
        slow = montgomery(slow, slow, m, inv) + c;
        if (slow >= m) slow -= m;
        for (int twice = 0; twice < 2; twice++) {
            fast = montgomery(fast, fast, m, inv) + c;
            if (fast >= m) fast -= m;
        }
        all = montgomery(all, slow > fast ? slow - fast : fast - slow, m, inv);
    }
    product[i] = all;
}

__constant__ unsigned xtea_key[4];

// A counter for each block is enciphered and laid over the text.
__global__ void xtea_counter_mode(uint2 *text, int n, unsigned nonce) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned a = i, b = nonce, sum = 0;
    for (int r = 0; r < 32; r++) {
        a += (((b << 4) ^ (b >> 5)) + b) ^ (sum + xtea_key[sum & 3]);
        sum += 0x9e3779b9u;
        b += (((a << 4) ^ (a >> 5)) + a) ^ (sum + xtea_key[(sum >> 11) & 3]);
    }
    uint2 t = text[i];
    text[i] = make_uint2(t.x ^ a, t.y ^ b);
}

// One nerve cell per thread, three gates and a voltage.
__global__ void hodgkin_huxley_euler(const float *current, float *volts, int *spikes, int n, int steps, float dt) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float in = current[i], v = -65.0f, m = 0.05f, h = 0.6f, g = 0.32f;
    int count = 0;
    for (int s = 0; s < steps; s++) {
        float am = 0.1f * (v + 40.001f) / (1 - expf(-(v + 40.001f) / 10)), bm = 4 * expf(-(v + 65) / 18);
        float ah = 0.07f * expf(-(v + 65) / 20), bh = 1 / (1 + expf(-(v + 35) / 10));
        float an = 0.01f * (v + 55.001f) / (1 - expf(-(v + 55.001f) / 10)), bn = 0.125f * expf(-(v + 65) / 80);
        m += dt * (am * (1 - m) - bm * m);
        h += dt * (ah * (1 - h) - bh * h);
        g += dt * (an * (1 - g) - bn * g);
        float before = v;
        v += dt * (in - 120 * m * m * m * h * (v - 50) - 36 * g * g * g * g * (v + 77) - 0.3f * (v + 54.4f));
        if (before < 0 && v >= 0) count++;
    }
    volts[i] = v;
    spikes[i] = count;
}

// Only shifts and subtractions, as long as each pair takes.
__global__ void binary_gcd_long(const u64 *a, const u64 *b, u64 *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    u64 u = a[i] | 1, v = b[i];
    if (v != 0) {
        v >>= __ffsll((long long)v) - 1;
        while (u != v) {
            if (u > v) {
                u64 t = u;
                u = v;
                v = t;
            }
            v -= u;
            v >>= __ffsll((long long)v) - 1;
        }
    }
    out[i] = u;
}

__device__ float distance_to_scene(float x, float y, float z) {
    float rx = x - 4 * floorf(x * 0.25f + 0.5f), rz = z - 4 * floorf(z * 0.25f + 0.5f);
    float ball = sqrtf(rx * rx + y * y + rz * rz) - 1.1f;
    float bx = fmaxf(fabsf(rx) - 0.8f, 0.0f), by = fmaxf(fabsf(y + 1) - 0.5f, 0.0f),
          bz = fmaxf(fabsf(rz) - 0.8f, 0.0f);
    return fminf(fminf(ball, sqrtf(bx * bx + by * by + bz * bz) - 0.1f), y + 1.6f);
}

// Goes along the ray by the distance to the nearest thing.
__global__ void sphere_tracing_distance_field(float *shade, int w, int h, int limit) {
    int px = blockIdx.x * blockDim.x + threadIdx.x, py = blockIdx.y * blockDim.y + threadIdx.y;
    if (px >= w || py >= h) return;
    float dx = (2.0f * px - w) / h, dy = (h - 2.0f * py) / h - 0.3f, dz = 1.5f;
    float f = rsqrtf(dx * dx + dy * dy + dz * dz), t = 0;
    dx *= f, dy *= f, dz *= f;
    int s = 0;
    while (s < limit && t < 60) {
        float d = distance_to_scene(2 + t * dx, 2.5f + t * dy, t * dz);
        if (d < 0.002f) break;
        t += d;
        s++;
    }
    shade[py * w + px] = t < 60 ? 1 / (1 + 0.1f * t) + 0.01f * s : 0.0f;
}

// Numbers that their own sum of digits divides.
__global__ void harshad_numbers_long(long long first, int each, int *found) {
    long long from = first + ((long long)blockIdx.x * blockDim.x + threadIdx.x) * each;
    int count = 0;
    for (int k = 0; k < each; k++) {
        long long v = from + k, rest = v, sum = 0;
        while (rest > 0) {
            sum += rest % 10;
            rest /= 10;
        }
        if (v % sum == 0) count++;
    }
    found[blockIdx.x * blockDim.x + threadIdx.x] = count;
}

// ---------------------------------------------------------------- shared memory

// Many rows times a matrix of 24 columns, 12 rows in a block.
__global__ void matmul_tall_by_24_columns(const float *a, const float *b, float *c, int m, int k) {
    __shared__ float as[12][24], bs[24][24];
    int tx = threadIdx.x, ty = threadIdx.y, row = blockIdx.x * 12 + ty;
    float s = 0;
    for (int k0 = 0; k0 < k; k0 += 24) {
        as[ty][tx] = row < m && k0 + tx < k ? a[row * k + k0 + tx] : 0.0f;
        for (int r = ty; r < 24; r += 12) bs[r][tx] = k0 + r < k ? b[(k0 + r) * 24 + tx] : 0.0f;
        __syncthreads();
        for (int i = 0; i < 24; i++) s += as[ty][i] * bs[i][tx];
        __syncthreads();
    }
    if (row < m) c[row * 24 + tx] = s;
}

// Shortest two-step ways: sums in place of products and the least in place of the sum.
__global__ void min_plus_product_tile_32(const float *a, const float *b, float *c, int n) {
    __shared__ float ta[32][32], tb[32][32];
    int tx = threadIdx.x, ty = threadIdx.y, x = blockIdx.x * 32 + tx, y = blockIdx.y * 32 + ty;
    float best = 1e30f;
    for (int t = 0; t < n; t += 32) {
        ta[ty][tx] = y < n && t + tx < n ? a[y * n + t + tx] : 1e30f;
        tb[ty][tx] = x < n && t + ty < n ? b[(t + ty) * n + x] : 1e30f;
        __syncthreads();
#pragma unroll 8
        for (int k = 0; k < 32; k++) best = fminf(best, ta[ty][k] + tb[k][tx]);
        __syncthreads();
    }
    if (x < n && y < n) c[y * n + x] = best;
}

// Bytes come and go in fours, turned round in a tile of 64 x 64.
__global__ void transpose_bytes_tile_64(const unsigned char *in, unsigned char *out, int w, int h) {
    __shared__ __align__(16) unsigned char t[64][68];
    int x0 = blockIdx.x * 64, y0 = blockIdx.y * 64, tx = threadIdx.x;
    for (int r = threadIdx.y; r < 64; r += 16)
        *(uchar4 *)&t[r][4 * tx] = *(const uchar4 *)&in[(y0 + r) * w + x0 + 4 * tx];
    __syncthreads();
    for (int r = threadIdx.y; r < 64; r += 16) {
        uchar4 v = make_uchar4(t[4 * tx][r], t[4 * tx + 1][r], t[4 * tx + 2][r], t[4 * tx + 3][r]);
        *(uchar4 *)&out[(x0 + r) * h + y0 + 4 * tx] = v;
    }
}

// Weights by the number of axes on which a neighbour is off, a tile with a border all round.
__global__ void stencil_27_points_tile(const float *in, float *out, int nx, int ny, int nz) {
    __shared__ float t[6][6][18];
    int x0 = blockIdx.x * 16 - 1, y0 = blockIdx.y * 4 - 1, z0 = blockIdx.z * 4 - 1;
    int id = (threadIdx.z * 4 + threadIdx.y) * 16 + threadIdx.x;
    for (int i = id; i < 6 * 6 * 18; i += 256) {
        int x = min(max(x0 + i % 18, 0), nx - 1), y = min(max(y0 + i / 18 % 6, 0), ny - 1),
            z = min(max(z0 + i / 108, 0), nz - 1);
        t[i / 108][i / 18 % 6][i % 18] = in[(z * ny + y) * nx + x];
    }
    __syncthreads();
    int x = x0 + 1 + threadIdx.x, y = y0 + 1 + threadIdx.y, z = z0 + 1 + threadIdx.z;
    if (x >= nx || y >= ny || z >= nz) return;
    const float weight[4] = {0.4f, 0.06f, 0.015f, 0.0075f};
    float s = 0;
#pragma unroll
    for (int k = 0; k < 3; k++)
#pragma unroll
        for (int j = 0; j < 3; j++)
#pragma unroll
            for (int i = 0; i < 3; i++)
                s += weight[(k != 1) + (j != 1) + (i != 1)] * t[threadIdx.z + k][threadIdx.y + j][threadIdx.x + i];
    out[(z * ny + y) * nx + x] = s;
}

// x = a x + b from element to element, maps put together in nine rounds.
__global__ void scan_affine_maps_block(const float2 *map, float *x) {
    __shared__ float2 s[512];
    int t = threadIdx.x, i = blockIdx.x * 512 + t;
    s[t] = map[i];
    __syncthreads();
    for (int o = 1; o < 512; o *= 2) {
        float2 me = s[t], before = make_float2(1, 0);
        if (t >= o) before = s[t - o];
        __syncthreads();
        s[t] = make_float2(me.x * before.x, me.x * before.y + me.y);
        __syncthreads();
    }
    x[i] = s[t].x + s[t].y;
}

// A piece of sound in shared memory, a thread for each lag.
__global__ void autocorrelation_lags_block(const float *sound, float *corr, int length) {
    extern __shared__ float piece[];
    const float *from = sound + (size_t)blockIdx.x * length;
    for (int i = threadIdx.x; i < length; i += blockDim.x) piece[i] = from[i];
    __syncthreads();
    int lag = threadIdx.x;
    float s = 0;
    for (int i = 0; i < length - lag; i++) s += piece[i] * piece[i + lag];
    corr[blockIdx.x * blockDim.x + lag] = s / (length - lag);
}

// A system of 256 equations per block, half of the equations gone with each round.
__global__ void tridiagonal_cyclic_reduction(const float *rhs, float *x) {
    __shared__ float a[256], b[256], c[256], d[256];
    int t = threadIdx.x, base = blockIdx.x * 256;
    for (int i = t; i < 256; i += 128) {
        d[i] = rhs[base + i];
        a[i] = i > 0 ? -1.0f : 0.0f;
        c[i] = i < 255 ? -1.0f : 0.0f;
        b[i] = 2.5f + 0.001f * i;
    }
    __syncthreads();
    for (int step = 1; step < 256; step *= 2) {
        int i = 2 * step * (t + 1) - 1;
        if (i < 256) {
            int l = i - step, r = i + step;
            float f = a[i] / b[l], nb = b[i] - c[l] * f, nc = 0, nd = d[i] - d[l] * f;
            if (r < 256) {
                float g = c[i] / b[r];
                nb -= a[r] * g;
                nc = -c[r] * g;
                nd -= d[r] * g;
            }
            a[i] = -a[l] * f;
            b[i] = nb;
            c[i] = nc;
            d[i] = nd;
        }
        __syncthreads();
    }
    if (t == 0) d[255] /= b[255];
    __syncthreads();
    for (int step = 128; step >= 1; step /= 2) {
        int i = 2 * step * t + step - 1;
        if (i < 256 - step) {
            float left = i - step >= 0 ? d[i - step] : 0.0f;
            d[i] = (d[i] - a[i] * left - c[i] * d[i + step]) / b[i];
        }
        __syncthreads();
    }
    for (int i = t; i < 256; i += 128) x[base + i] = d[i];
}

// 243 points, five rounds of three, 81 threads.
__global__ void fft_243_points_radix_3(float2 *data) {
    __shared__ float2 s[2][243];
    int j = threadIdx.x, now = 0;
    float2 *p = data + blockIdx.x * 243;
    for (int r = 0; r < 3; r++) s[0][j + 81 * r] = p[j + 81 * r];
    __syncthreads();
    for (int len = 1; len < 243; len *= 3) {
        int k = j % len, to = j / len * len * 3 + k;
        float2 v[3];
        for (int r = 0; r < 3; r++) {
            float sn, cs;
            __sincosf(-6.2831853f * k * r / (3 * len), &sn, &cs);
            float2 u = s[now][j + 81 * r];
            v[r] = make_float2(u.x * cs - u.y * sn, u.x * sn + u.y * cs);
        }
        float2 sum = make_float2(v[1].x + v[2].x, v[1].y + v[2].y);
        float2 dif = make_float2(0.8660254f * (v[1].x - v[2].x), 0.8660254f * (v[1].y - v[2].y));
        float2 mid = make_float2(v[0].x - 0.5f * sum.x, v[0].y - 0.5f * sum.y);
        s[1 - now][to] = make_float2(v[0].x + sum.x, v[0].y + sum.y);
        s[1 - now][to + len] = make_float2(mid.x + dif.y, mid.y - dif.x);
        s[1 - now][to + 2 * len] = make_float2(mid.x - dif.y, mid.y + dif.x);
        now = 1 - now;
        __syncthreads();
    }
    for (int r = 0; r < 3; r++) p[j + 81 * r] = s[now][j + 81 * r];
}

// ---------------------------------------------------------------- warps

// Each warp turns a square of 32 x 32 bits, halves exchanged five times.
__global__ void bit_square_transpose_shuffles(const unsigned *in, unsigned *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x & 31;
    if (i >= n) return;
    unsigned v = in[i], mask = 0xffffu;
#pragma unroll
    for (int o = 16; o > 0; o >>= 1) {
        unsigned other = __shfl_xor_sync(~0u, v, o);
        if (lane & o) v = (v & ~mask) | ((other >> o) & mask);
        else v = (v & mask) | ((other & mask) << o);
        mask ^= mask << (o / 2);
    }
    out[i] = v;
}

// Runs of equal bytes, at most 32 long; the first of a run writes how long it is.
__global__ void run_lengths_by_ballot(const unsigned char *in, unsigned char *length, int *runs, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32;
    int v = i < n ? in[i] : 256 + lane;
    int before = __shfl_up_sync(~0u, v, 1);
    bool head = lane == 0 || v != before;
    unsigned heads = __ballot_sync(~0u, head), later = heads & ~(~0u >> (31 - lane));
    if (i < n) length[i] = (unsigned char)(head ? (later ? __ffs(later) - 1 : 32) - lane : 0);
    if (lane == 0 && i < n) runs[i / 32] = __popc(heads);
}

// A patch of 8 x 4 pixels per warp: is it of one colour only?
__global__ void init_patches(int *p, int w, int h) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
    if (x < w && y < h) p[y * w + x] = (int)(mix(x / 21 * 4099 + y / 13 + 1029) & 0xffffff);
}
__global__ void flat_patches_match_all(const int *image, int *colour, int w, int patches_x, int patches) {
    int patch = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32, flat;
    if (patch >= patches) return;
    int x = patch % patches_x * 8 + lane % 8, y = patch / patches_x * 4 + lane / 8;
    int v = image[y * w + x];
    __match_all_sync(~0u, v, &flat);
    if (lane == 0) colour[patch] = flat ? v : -1;
}

// Two matrices per warp, a row in the registers of each lane.
__global__ void gauss_jordan_16_half_warp(const float *in, float *out, int matrices) {
    int id = (blockIdx.x * blockDim.x + threadIdx.x) / 16, lane = threadIdx.x % 16;
    if (id >= matrices) return;
    const float *p = in + id * 256 + lane * 16;
    float a[16], b[16];
#pragma unroll
    for (int j = 0; j < 16; j++) {
        a[j] = p[j] + (j == lane ? 9.0f : 0.0f);
        b[j] = j == lane ? 1.0f : 0.0f;
    }
#pragma unroll
    for (int k = 0; k < 16; k++) {
        float scale = 1 / __shfl_sync(~0u, a[k], k, 16), f = a[k];
#pragma unroll
        for (int j = 0; j < 16; j++) {
            float pa = __shfl_sync(~0u, a[j], k, 16) * scale, pb = __shfl_sync(~0u, b[j], k, 16) * scale;
            a[j] = lane == k ? pa : a[j] - f * pa;
            b[j] = lane == k ? pb : b[j] - f * pb;
        }
    }
#pragma unroll
    for (int j = 0; j < 16; j++) out[id * 256 + lane * 16 + j] = b[j];
}

// A graph of 32 nodes per warp; the nearest open node by a reduction.
__global__ void dijkstra_32_nodes_warp(const int *weight, int *distance, int graphs) {
    int g = (blockIdx.x * blockDim.x + threadIdx.x) >> 5, lane = threadIdx.x & 31;
    if (g >= graphs) return;
    const int *w = weight + g * 1024;
    int d = lane == 0 ? 0 : 0x3fffffff;
    bool closed = false;
    for (int k = 0; k < 32; k++) {
        int open = closed ? 0x7fffffff : d, least = __reduce_min_sync(~0u, open);
        int u = __ffs(__ballot_sync(~0u, open == least)) - 1;
        if (lane == u) closed = true;
        d = min(d, least + w[u * 32 + lane] + 1);
    }
    distance[g * 32 + lane] = d;
}

// Smooths over seven points; a warp reads 32 and writes 26.
__global__ void savitzky_golay_7_shuffles(const float *in, float *out, int n) {
    int warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32, i = warp * 26 + lane - 3;
    float v = in[min(max(i, 0), n - 1)];
    float s = 7 * v;
    s += 6 * (__shfl_up_sync(~0u, v, 1) + __shfl_down_sync(~0u, v, 1));
    s += 3 * (__shfl_up_sync(~0u, v, 2) + __shfl_down_sync(~0u, v, 2));
    s -= 2 * (__shfl_up_sync(~0u, v, 3) + __shfl_down_sync(~0u, v, 3));
    if (lane >= 3 && lane < 29 && i < n) out[i] = s / 21;
}

// ---------------------------------------------------------------- atomics

// How often a brightness in one image meets one in another, 32 x 32 counters.
__global__ void joint_histogram_two_images(const unsigned char *a, const unsigned char *b, unsigned *count, int n) {
    __shared__ unsigned c[1024];
    for (int k = threadIdx.x; k < 1024; k += blockDim.x) c[k] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        atomicAdd(&c[(a[i] >> 3) * 32 + (b[i] >> 3)], 1u);
    __syncthreads();
    for (int k = threadIdx.x; k < 1024; k += blockDim.x)
        if (c[k] > 0) atomicAdd(&count[k], c[k]);
}

// Points of a scan are added up in boxes.
__global__ void voxel_sums_float_atomics(const float3 *point, float4 *voxel, int n, int side) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float3 p = point[i];
    int x = min((int)(p.x * side), side - 1), y = min((int)(p.y * side), side - 1),
        z = min((int)(p.z * side), side - 1);
    float *v = (float *)&voxel[(z * side + y) * side + x];
    atomicAdd(v, p.x);
    atomicAdd(v + 1, p.y);
    atomicAdd(v + 2, p.z);
    atomicAdd(v + 3, 1.0f);
}

// Depth above, colour below: the nearest point wins each pixel.
__global__ void splat_points_depth_min(const float4 *point, u64 *screen, int n, int w, int h) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float4 p = point[i];
    float z = p.z + 2.5f;
    int x = (int)((p.x / z + 0.7f) * w / 1.4f), y = (int)((p.y / z + 0.7f) * h / 1.4f);
    if (x < 0 || y < 0 || x >= w || y >= h) return;
    u64 key = (u64)__float_as_uint(z) << 32 | __float_as_uint(p.w);
    atomicMin(&screen[y * w + x], key);
}

// Each charge goes to the eight corners of its cell.
__global__ void charge_to_grid_corners_double(const double *place, double *grid, int n, int side) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    double x = place[i] * (side - 1.001), y = place[n + i] * (side - 1.001), z = place[2 * n + i] * (side - 1.001);
    int ix = (int)x, iy = (int)y, iz = (int)z;
    double fx = x - ix, fy = y - iy, fz = z - iz;
    for (int c = 0; c < 8; c++) {
        double f = (c & 1 ? fx : 1 - fx) * (c & 2 ? fy : 1 - fy) * (c & 4 ? fz : 1 - fz);
        atomicAdd(&grid[((iz + (c >> 2)) * side + iy + (c >> 1 & 1)) * side + ix + (c & 1)], f);
    }
}

// Each particle puts itself in front of the list of its cell.
__global__ void linked_cells_by_exchange(const float2 *place, int *head, int *next, int n, int cells) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float2 p = place[i];
        int c = min((int)(p.y * cells), cells - 1) * cells + min((int)(p.x * cells), cells - 1);
        next[i] = atomicExch(&head[c], i);
    }
}

// ---------------------------------------------------------------- here and there

// The order that a Fourier transform wants, read straight and written anywhere.
__global__ void bit_reversed_order_float2(const float2 *in, float2 *out, int bits) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    out[__brev(i) >> (32 - bits)] = in[i];
}

// Boxes of a full binary tree, node k above 2k and 2k + 1; a stack per thread.
__global__ void init_interval_tree(float2 *node, int leaves) {
    int k = blockIdx.x * blockDim.x + threadIdx.x;
    if (k < 1 || k >= 2 * leaves) return;
    int depth = 31 - __clz(k);
    float wide = 1.0f / (1 << depth), lo = (k - (1 << depth)) * wide;
    node[k] = make_float2(lo - 0.00004f * (mix(k) % 16), lo + wide);
}
__global__ void interval_tree_stack_queries(const float2 *node, const float *query, int *hits, int n, int leaves) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int stack[32], top = 0, found = 0;
    float q = query[i], reach = 0.0004f;
    stack[top++] = 1;
    while (top > 0) {
        int k = stack[--top];
        float2 b = node[k];
        if (b.x > q + reach || b.y < q - reach) continue;
        if (k >= leaves) {
            found += k;
        } else {
            stack[top++] = 2 * k;
            stack[top++] = 2 * k + 1;
        }
    }
    hits[i] = found;
}

// Addresses of a network: a table for 16 bits, then tables for 8 bits where need be.
__global__ void init_routes(int *p, int n, int tables, unsigned seed) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned r = mix(i + seed);
    p[i] = r % 3 == 0 ? -1 - (int)(r / 3 % (unsigned)tables) : (int)(r % 500);
}
__global__ void route_lookup_three_levels(const unsigned *address, const int *first, const int *second,
                                          const int *third, unsigned short *hop, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned a = address[i];
    int r = first[a >> 16];
    if (r < 0) {
        r = second[(-1 - r) * 256 + (a >> 8 & 255)];
        if (r < 0) r = third[(-1 - r) * 256 + (a & 255)];
    }
    hop[i] = (unsigned short)r;
}

// Each vertex takes the label that most of its neighbours have, counted in a local table.
__global__ void label_propagation_local_table(const int *start, const int *adj, const int *label, int *next, int n) {
    int v = blockIdx.x * blockDim.x + threadIdx.x;
    if (v >= n) return;
    unsigned char count[64];
    for (int k = 0; k < 64; k++) count[k] = 0;
    int best = label[v];
    for (int e = start[v]; e < start[v + 1]; e++) {
        int l = label[adj[e]];
        count[l]++;
        if (count[l] > count[best] || (count[l] == count[best] && l < best)) best = l;
    }
    next[v] = best;
}

__constant__ int code_first[12], code_count[12], code_symbol[16];

// A chunk of bits per thread, one bit after the other until a code is whole.
__global__ void huffman_decode_chunk_per_thread(const unsigned *bits, unsigned char *out, int chunks, int words,
                                                int symbols) {
    int c = blockIdx.x * blockDim.x + threadIdx.x;
    if (c >= chunks) return;
    const unsigned *p = bits + c * words;
    int at = 0, limit = words * 32;
    for (int s = 0; s < symbols; s++) {
        int code = 0, index = 0, symbol = 0;
        for (int len = 1; len < 12 && at < limit; len++) {
            code = code << 1 | (p[at >> 5] >> (at & 31) & 1);
            at++;
            int off = code - code_first[len];
            if (off < code_count[len]) {
                symbol = code_symbol[index + off];
                break;
            }
            index += code_count[len];
        }
        out[c * symbols + s] = (unsigned char)symbol;
    }
}

// ---------------------------------------------------------------- out of tutorials

// Tiles of 32 x 8 from halves, a warp each, bias and relu in shared memory.
__global__ void wmma_32x8x16_bias_relu(const half *a, const half *b, const float *bias, float *c, int m, int n, int k) {
    using namespace nvcuda;
    __shared__ __align__(32) float tile[4][32 * 8];
    int warp = threadIdx.x / 32, lane = threadIdx.x % 32, row = blockIdx.y * 32, col = (blockIdx.x * 4 + warp) * 8;
    wmma::fragment<wmma::matrix_a, 32, 8, 16, half, wmma::row_major> fa;
    wmma::fragment<wmma::matrix_b, 32, 8, 16, half, wmma::col_major> fb;
    wmma::fragment<wmma::accumulator, 32, 8, 16, float> acc;
    wmma::fill_fragment(acc, 0.0f);
    for (int i = 0; i < k; i += 16) {
        wmma::load_matrix_sync(fa, a + row * k + i, k);
        wmma::load_matrix_sync(fb, b + col * k + i, k);
        wmma::mma_sync(acc, fa, fb, acc);
    }
    wmma::store_matrix_sync(tile[warp], acc, 8, wmma::mem_row_major);
    __syncwarp();
    for (int i = lane; i < 256; i += 32)
        c[(row + i / 8) * n + col + i % 8] = fmaxf(tile[warp][i] + bias[col + i % 8], 0.0f);
}

// Three pieces of a row under way while one is used; energy in windows of 128 samples.
__global__ void window_energy_cp_async_ring(const float4 *signal, float *energy, int pieces) {
    __shared__ float4 ring[4][128];
    int t = threadIdx.x;
    const float4 *from = signal + (size_t)blockIdx.x * pieces * 128;
    for (int p = 0; p < 3; p++) {
        if (p < pieces) __pipeline_memcpy_async(&ring[p][t], &from[p * 128 + t], sizeof(float4));
        __pipeline_commit();
    }
    for (int p = 0; p < pieces; p++) {
        if (p + 3 < pieces) __pipeline_memcpy_async(&ring[(p + 3) % 4][t], &from[(p + 3) * 128 + t], sizeof(float4));
        __pipeline_commit();
        __pipeline_wait_prior(3);
        __syncthreads();
        float4 v = ring[p % 4][t], o = ring[p % 4][t ^ 1];
        float s = v.x * v.x + v.y * v.y + v.z * v.z + v.w * v.w + 0.5f * (v.x * o.x + v.w * o.w);
        for (int k = 16; k > 0; k /= 2) s += __shfl_xor_sync(~0u, s, k);
        if (t % 32 == 0) energy[(blockIdx.x * pieces + p) * 4 + t / 32] = s;
        __syncthreads();
    }
}

// A curve by pieces of third degree, read through the cache for constants.
__global__ void cubic_spline_resample_ldg(const float *__restrict__ at, const float4 *__restrict__ piece,
                                          float *__restrict__ out, int n, int pieces) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float x = __ldg(&at[i]) * pieces;
    int k = min((int)x, pieces - 1);
    float4 c = __ldg(&piece[k]);
    x -= k;
    out[i] = c.x + x * (c.y + x * (c.z + x * c.w));
}

// Sixteen threads for each row of scores, the place of the largest by shuffles in the group.
__global__ void row_argmax_tiles_of_16(const float *score, int *where, float *most, int rows, int cols) {
    cg::thread_block block = cg::this_thread_block();
    cg::thread_block_tile<16> tile = cg::tiled_partition<16>(block);
    int row = blockIdx.x * (blockDim.x / 16) + threadIdx.x / 16;
    if (row >= rows) return;
    float best = -1e30f;
    int place = 0;
    for (int c = tile.thread_rank(); c < cols; c += 16) {
        float v = score[row * cols + c];
        if (v > best) best = v, place = c;
    }
    for (int o = 8; o > 0; o /= 2) {
        float v = tile.shfl_down(best, o);
        int p = tile.shfl_down(place, o);
        if (v > best || (v == best && p < place)) best = v, place = p;
    }
    if (tile.thread_rank() == 0) {
        where[row] = place;
        most[row] = best;
    }
}

// ---------------------------------------------------------------- main

int main() {
    {
        const int n = 1000003;
        alaw_decode_uchar4<<<up(n, 128), 128>>>((const uchar4 *)bytes(4 * n, 1000), room<short4>(n), n);
        done();
    }
    {
        const int n = 1920 * 1080;
        unsigned char *planes = room<unsigned char>(4 * n);
        rgba_into_four_planes<<<up(n, 512), 512>>>((const uchar4 *)bytes(4 * n, 1001), planes, planes + n,
                                                   planes + 2 * n, planes + 3 * n, n);
        done();
    }
    {
        const int w = 1366, h = 768;
        unsigned char *top = bytes(4 * w * h, 1002), *below = bytes(4 * w * h, 1003);
        alpha_over_premultiplied<<<dim3(up(w, 64), up(h, 4)), dim3(64, 4)>>>((const uchar4 *)top, (uchar4 *)below, w,
                                                                             h);
        done();
    }
    {
        const int candles = 52001, each = 15;
        float *ticks = floats(4 * candles * each, 1004, 0, 1);
        candles_from_ticks<<<up(candles, 128), 128>>>((const Tick *)ticks, room<Candle>(candles), candles, each);
        done();
    }
    {
        const int words = 213, h = 1601;
        int *image = ints(4 * words * h, 1005, 0x7fffffff);
        flip_rows_in_place_uint4<<<dim3(up(words, 64), up(h / 2, 3)), dim3(64, 3)>>>((uint4 *)image, words, h);
        done();
    }
    {
        const int nx = 130, ny = 117, nz = 95;
        volume_axes_rotated_naive<<<dim3(up(nx, 8), up(ny, 8), up(nz, 8)), dim3(8, 8, 8)>>>(
            floats(nx * ny * nz, 1006), room<float>(nx * ny * nz), nx, ny, nz);
        done();
    }
    {
        const int n = 1300000;
        unsigned char *raw = bytes(4 * n, 1007), *dark = bytes(4 * n, 1008);
        float *gain = floats(2 * n, 1009, 0.9f, 1.1f);
        flat_field_ushort2<<<264, 1024>>>((const ushort2 *)raw, (const ushort2 *)dark, (const float2 *)gain,
                                          room<ushort2>(n), n);
        done();
    }
    {
        const int rows = 120, cols = 2000;
        exponential_average_down_columns<<<up(cols, 128), 128>>>(floats(rows * cols, 1010, 50, 60),
                                                                 room<float>(rows * cols), rows, cols, 0.1f);
        done();
    }
    {
        const int words = 140000;
        unsigned char *disk = bytes(6 * 16 * words, 1011);
        raid6_parity_p_and_q<<<up(words, 192), 192>>>((const uint4 *)disk, room<uint4>(words), room<uint4>(words),
                                                      words);
        done();
    }
    {
        const int frames = 1100000;
        pcm24_stereo_to_planes<<<up(frames, 96), 96>>>(bytes(6 * frames, 1012), room<float>(frames),
                                                       room<float>(frames), frames);
        done();
    }
    {
        const int a = 37, b = 411, c = 121, n = a * b * c;
        where_broadcast_long_index<<<up(n, 256), 256>>>(bytes(a * b, 1013), floats(n, 1014), floats(c, 1015),
                                                        room<float>(n), a, b, c);
        done();
    }
    {
        const int words = 500003;
        int *packed = (int *)bytes(4 * words, 1016);
        dequantise_four_bit_groups<<<up(words, 320), 320>>>((const unsigned *)packed, halves(up(words, 4), 1017),
                                                            room<uint4>(words), words);
        done();
    }
    {
        const int w = 811, h = 601;
        newton_fractal_cubic<<<dim3(up(w, 32), up(h, 8)), dim3(32, 8)>>>(room<uchar2>(w * h), w, h, 24);
        done();
    }
    {
        const int n = 61000;
        kepler_anomaly_double<<<up(n, 128), 128>>>(doubles(n, 1018), doubles(n, 1019), room<double2>(n), n);
        done();
    }
    {
        const int n = 40000;
        unsigned char *number = bytes(8 * n, 1020);
        pollard_rho_products<<<up(n, 64), 64>>>((const u64 *)number, room<u64>(n), n, 40);
        done();
    }
    {
        const int n = 310000;
        unsigned key[4] = {0x1234567, 0x89abcdef, 0xfedcba98, 0x76543210};
        CHECK(cudaMemcpyToSymbol(xtea_key, key, sizeof key));
        xtea_counter_mode<<<up(n, 256), 256>>>((uint2 *)bytes(8 * n, 1021), n, 20261201);
        done();
    }
    {
        const int n = 20000;
        hodgkin_huxley_euler<<<up(n, 96), 96>>>(floats(n, 1022, 0, 20), room<float>(n), room<int>(n), n, 40, 0.02f);
        done();
    }
    {
        const int n = 170000;
        unsigned char *a = bytes(8 * n, 1023), *b = bytes(8 * n, 1024);
        binary_gcd_long<<<up(n, 160), 160>>>((const u64 *)a, (const u64 *)b, room<u64>(n), n);
        done();
    }
    {
        const int w = 500, h = 320;
        sphere_tracing_distance_field<<<dim3(up(w, 8), up(h, 8)), dim3(8, 8)>>>(room<float>(w * h), w, h, 60);
        done();
    }
    {
        const int blocks = 640, each = 3;
        harshad_numbers_long<<<blocks, 128>>>(123456789012ll, each, room<int>(blocks * 128));
        done();
    }
    {
        const int m = 7003, k = 150;
        float *a = floats(m * k, 1025), *b = floats(k * 24, 1026);
        matmul_tall_by_24_columns<<<up(m, 12), dim3(24, 12)>>>(a, b, room<float>(m * 24), m, k);
        done();
    }
    {
        const int n = 370;
        float *a = floats(n * n, 1027, 0, 100), *b = floats(n * n, 1028, 0, 100);
        min_plus_product_tile_32<<<dim3(up(n, 32), up(n, 32)), dim3(32, 32)>>>(a, b, room<float>(n * n), n);
        done();
    }
    {
        const int w = 2560, h = 1984;
        transpose_bytes_tile_64<<<dim3(w / 64, h / 64), dim3(16, 16)>>>(bytes(w * h, 1030), room<unsigned char>(w * h),
                                                                       w, h);
        done();
    }
    {
        const int nx = 150, ny = 90, nz = 71;
        stencil_27_points_tile<<<dim3(up(nx, 16), up(ny, 4), up(nz, 4)), dim3(16, 4, 4)>>>(
            floats(nx * ny * nz, 1031), room<float>(nx * ny * nz), nx, ny, nz);
        done();
    }
    {
        const int blocks = 1700;
        scan_affine_maps_block<<<blocks, 512>>>((const float2 *)floats(blocks * 1024, 1032), room<float>(blocks * 512));
        done();
    }
    {
        const int pieces = 400, length = 900;
        autocorrelation_lags_block<<<pieces, 192, length * sizeof(float)>>>(floats(pieces * length, 1033),
                                                                            room<float>(pieces * 192), length);
        done();
    }
    {
        const int systems = 2100;
        tridiagonal_cyclic_reduction<<<systems, 128>>>(floats(systems * 256, 1034), room<float>(systems * 256));
        done();
    }
    {
        const int blocks = 3100;
        fft_243_points_radix_3<<<blocks, 81>>>((float2 *)floats(blocks * 486, 1035));
        done();
    }
    {
        const int n = 32 * 50003;
        bit_square_transpose_shuffles<<<up(n, 256), 256>>>((const unsigned *)bytes(4 * n, 1036), room<unsigned>(n), n);
        done();
    }
    {
        const int n = 2100011;
        run_lengths_by_ballot<<<up(n, 224), 224>>>(bytes(n, 1037, 3), room<unsigned char>(n), room<int>(up(n, 32)), n);
        done();
    }
    {
        const int w = 1608, h = 1204, px = w / 8, patches = px * (h / 4);
        int *image = room<int>(w * h);
        init_patches<<<dim3(up(w, 256), h), 256>>>(image, w, h);
        flat_patches_match_all<<<up(patches, 32), 1024>>>(image, room<int>(patches), w, px, patches);
        done();
    }
    {
        const int matrices = 9000;
        gauss_jordan_16_half_warp<<<up(matrices, 8), 128>>>(floats(matrices * 256, 1038), room<float>(matrices * 256),
                                                            matrices);
        done();
    }
    {
        const int graphs = 1501;
        dijkstra_32_nodes_warp<<<up(graphs * 32, 64), 64>>>(ints(graphs * 1024, 1039, 1000), room<int>(graphs * 32),
                                                            graphs);
        done();
    }
    {
        const int n = 700001, warps = up(n, 26);
        savitzky_golay_7_shuffles<<<warps, 32>>>(floats(n, 1040), room<float>(n), n);
        done();
    }
    {
        const int n = 3000000;
        unsigned char *a = bytes(n, 1041), *b = bytes(n, 1042);
        joint_histogram_two_images<<<264, 384>>>(a, b, zeros<unsigned>(1024), n);
        done();
    }
    {
        const int n = 180000, side = 40;
        float *point = floats(3 * n, 1043, 0, 1);
        voxel_sums_float_atomics<<<up(n, 256), 256>>>((const float3 *)point, zeros<float4>(side * side * side), n,
                                                      side);
        done();
    }
    {
        const int n = 600000, w = 640, h = 360;
        splat_points_depth_min<<<up(n, 256), 256>>>((const float4 *)floats(4 * n, 1044), zeros<u64>(w * h, 0xff), n, w,
                                                    h);
        done();
    }
    {
        const int n = 70000, side = 50;
        charge_to_grid_corners_double<<<up(n, 128), 128>>>(doubles(3 * n, 1045), zeros<double>(side * side * side), n,
                                                           side);
        done();
    }
    {
        const int n = 750000, cells = 300;
        float *place = floats(2 * n, 1046, 0, 1);
        linked_cells_by_exchange<<<up(n, 512), 512>>>((const float2 *)place, zeros<int>(cells * cells, 0xff),
                                                      room<int>(n), n, cells);
        done();
    }
    {
        const int bits = 20, n = 1 << bits;
        bit_reversed_order_float2<<<n / 256, 256>>>((const float2 *)floats(2 * n, 1047), room<float2>(n), bits);
        done();
    }
    {
        const int n = 100000, leaves = 8192;
        float2 *node = room<float2>(2 * leaves);
        init_interval_tree<<<2 * leaves / 256, 256>>>(node, leaves);
        interval_tree_stack_queries<<<up(n, 128), 128>>>(node, floats(n, 1048, 0, 1), room<int>(n), n, leaves);
        done();
    }
    {
        const int n = 900000, tables = 2000;
        int *first = room<int>(65536), *second = room<int>(tables * 256);
        init_routes<<<256, 256>>>(first, 65536, tables, 1049);
        init_routes<<<tables, 256>>>(second, tables * 256, tables, 1050);
        route_lookup_three_levels<<<up(n, 256), 256>>>((const unsigned *)bytes(4 * n, 1051), first, second,
                                                       ints(tables * 256, 1052, 500), room<unsigned short>(n), n);
        done();
    }
    {
        const int n = 80000, each = 11;
        int *start = rising(n + 1, 1053, each), *adj = ints((n + 1) * each, 1054, n), *label = ints(n, 1055, 64);
        label_propagation_local_table<<<up(n, 192), 192>>>(start, adj, label, room<int>(n), n);
        done();
    }
    {
        const int chunks = 30000, words = 12, symbols = 64;
        // Codes of 2 to 6 bits that use up all there are.
        int count[12] = {0, 0, 2, 2, 1, 2, 8}, first[12] = {}, symbol[16];
        for (int len = 1, code = 0; len < 12; len++) {
            code *= 2;
            first[len] = code;
            code += count[len];
        }
        for (int i = 0; i < 16; i++) symbol[i] = 'a' + (i * 7) % 16;
        CHECK(cudaMemcpyToSymbol(code_first, first, sizeof first));
        CHECK(cudaMemcpyToSymbol(code_count, count, sizeof count));
        CHECK(cudaMemcpyToSymbol(code_symbol, symbol, sizeof symbol));
        huffman_decode_chunk_per_thread<<<up(chunks, 96), 96>>>((const unsigned *)bytes(4 * chunks * words, 1056),
                                                                room<unsigned char>(chunks * symbols), chunks, words,
                                                                symbols);
        done();
    }
    {
        const int m = 512, n = 640, k = 480;
        half *a = halves(m * k, 1057), *b = halves(k * n, 1058);
        wmma_32x8x16_bias_relu<<<dim3(n / 32, m / 32), 128>>>(a, b, floats(n, 1059), room<float>(m * n), m, n, k);
        done();
    }
    {
        const int blocks = 600, pieces = 11;
        window_energy_cp_async_ring<<<blocks, 128>>>((const float4 *)floats(blocks * pieces * 512, 1060),
                                                     room<float>(blocks * pieces * 4), pieces);
        done();
    }
    {
        const int n = 1400000, pieces = 20000;
        float *at = floats(n, 1061, 0, 1), *piece = floats(4 * pieces, 1062);
        cubic_spline_resample_ldg<<<up(n, 640), 640>>>(at, (const float4 *)piece, room<float>(n), n, pieces);
        done();
    }
    {
        const int rows = 9001, cols = 203;
        row_argmax_tiles_of_16<<<up(rows, 16), 256>>>(floats(rows * cols, 1063), room<int>(rows), room<float>(rows),
                                                      rows, cols);
        done();
    }
    return 0;
}
