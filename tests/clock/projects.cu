// Projects of many students: small kernels on many fields, each launched once with data of its own.
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

// ---------------------------------------------------------------- projects

// Black and white by a table of thresholds.
__constant__ unsigned char bayer_matrix[64];
__global__ void ordered_dither_bayer(const unsigned char *in, unsigned char *out, int w, int h) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w || y >= h) return;
    int limit = bayer_matrix[(y & 7) * 8 + (x & 7)] * 4 + 2;
    out[y * w + x] = in[y * w + x] > limit ? 255 : 0;
}

// Rows of three bytes per pixel, each row at an odd address.
__global__ void emboss_rgb_interleaved(const unsigned char *in, unsigned char *out, int w, int h) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
    int row = 3 * w;
    if (i >= row) return;
    int v = 128;
    if (y > 0 && y < h - 1 && i >= 3 && i < row - 3) {
        const unsigned char *p = in + y * row + i;
        v += 2 * p[row + 3] + p[row] + p[3] - p[-3] - p[-row] - 2 * p[-row - 3];
    }
    out[y * row + i] = (unsigned char)min(max(v, 0), 255);
}

__device__ float catmull_rom(float a, float b, float c, float d, float t) {
    return b + 0.5f * t * (c - a + t * (2 * a - 5 * b + 4 * c - d + t * (3 * (b - c) + d - a)));
}

// Sixteen pixels for each new one.
__global__ void bicubic_resize_catmull(const float *in, float *out, int w, int h, int new_w, int new_h) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= new_w || y >= new_h) return;
    float fx = (x + 0.5f) * w / new_w - 0.5f, fy = (y + 0.5f) * h / new_h - 0.5f;
    int ix = (int)floorf(fx), iy = (int)floorf(fy);
    float line[4];
    for (int j = 0; j < 4; j++) {
        const float *row = in + min(max(iy - 1 + j, 0), h - 1) * w;
        line[j] = catmull_rom(row[min(max(ix - 1, 0), w - 1)], row[min(max(ix, 0), w - 1)],
                              row[min(max(ix + 1, 0), w - 1)], row[min(max(ix + 2, 0), w - 1)], fx - ix);
    }
    out[y * new_w + x] = catmull_rom(line[0], line[1], line[2], line[3], fy - iy);
}

// Raw sensor to colour; a tile with a border of one.
__global__ void bayer_demosaic_tile(const unsigned char *raw, uchar3 *out, int w, int h) {
    __shared__ unsigned char t[18][20];
    int x0 = blockIdx.x * 16, y0 = blockIdx.y * 16, tx = threadIdx.x, ty = threadIdx.y;
    for (int i = ty * 16 + tx; i < 18 * 18; i += 256) {
        int x = min(max(x0 + i % 18 - 1, 0), w - 1), y = min(max(y0 + i / 18 - 1, 0), h - 1);
        t[i / 18][i % 18] = raw[y * w + x];
    }
    __syncthreads();
    int x = x0 + tx, y = y0 + ty;
    if (x >= w || y >= h) return;
    int i = tx + 1, j = ty + 1, c = t[j][i];
    int side = (t[j][i - 1] + t[j][i + 1]) / 2, upright = (t[j - 1][i] + t[j + 1][i]) / 2;
    int cross = (side + upright) / 2;
    int corner = (t[j - 1][i - 1] + t[j - 1][i + 1] + t[j + 1][i - 1] + t[j + 1][i + 1]) / 4;
    uchar3 v;
    if (y % 2 == 0 && x % 2 == 0) v = make_uchar3(c, cross, corner);
    else if (y % 2 == 0) v = make_uchar3(side, c, upright);
    else if (x % 2 == 0) v = make_uchar3(upright, c, side);
    else v = make_uchar3(corner, cross, c);
    out[y * w + x] = v;
}

// All five levels of a tile of 32 x 32, rows from a to b, columns back from b to a.
__global__ void haar_wavelet_tile_in_place(float *image, int w) {
    __shared__ float a[32][33], b[32][33];
    float *tile = image + blockIdx.y * 32 * w + blockIdx.x * 32;
    int t = threadIdx.y * 32 + threadIdx.x;
    for (int r = threadIdx.y; r < 32; r += 8) a[r][threadIdx.x] = tile[r * w + threadIdx.x];
    __syncthreads();
    for (int size = 32; size > 1; size /= 2) {
        int half = size / 2;
        for (int i = t; i < size * half; i += 256) {
            int r = i / half, p = i % half;
            b[r][p] = 0.5f * (a[r][2 * p] + a[r][2 * p + 1]);
            b[r][half + p] = 0.5f * (a[r][2 * p] - a[r][2 * p + 1]);
        }
        __syncthreads();
        for (int i = t; i < size * half; i += 256) {
            int c = i % size, p = i / size;
            a[p][c] = 0.5f * (b[2 * p][c] + b[2 * p + 1][c]);
            a[half + p][c] = 0.5f * (b[2 * p][c] - b[2 * p + 1][c]);
        }
        __syncthreads();
    }
    for (int r = threadIdx.y; r < 32; r += 8) tile[r * w + threadIdx.x] = a[r][threadIdx.x];
}

// Cheapest way down an image, one block going from row to row.
__global__ void seam_costs_one_block(const float *energy, float *last, int w, int h) {
    extern __shared__ float cost[];
    float *now = cost, *next = cost + w;
    for (int x = threadIdx.x; x < w; x += blockDim.x) now[x] = energy[x];
    __syncthreads();
    for (int y = 1; y < h; y++) {
        for (int x = threadIdx.x; x < w; x += blockDim.x) {
            float best = now[x];
            if (x > 0) best = fminf(best, now[x - 1]);
            if (x + 1 < w) best = fminf(best, now[x + 1]);
            next[x] = best + energy[y * w + x];
        }
        __syncthreads();
        float *t = now;
        now = next;
        next = t;
    }
    for (int x = threadIdx.x; x < w; x += blockDim.x) last[x] = now[x];
}

// A thread per coefficient, four blocks of 8 x 8 in a thread block.
__constant__ unsigned char zigzag_place[64];
__constant__ float quant_step[64];
__global__ void zigzag_quantise_blocks(const float *coefficient, short *out, int *nonzero, int blocks) {
    int b = blockIdx.x * blockDim.y + threadIdx.y, t = threadIdx.x;
    if (b >= blocks) return;
    int q = __float2int_rn(coefficient[b * 64 + zigzag_place[t]] / quant_step[t]);
    out[b * 64 + t] = (short)q;
    unsigned set = __ballot_sync(~0u, q != 0);
    if (t % 32 == 0) atomicAdd(&nonzero[b], __popc(set));
}

// Bytes that each difference to the number before takes.
__global__ void varint_sizes_of_deltas(const long long *v, unsigned char *size, unsigned *total, int n) {
    __shared__ unsigned sum;
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (threadIdx.x == 0) sum = 0;
    __syncthreads();
    if (i < n) {
        long long d = (i % 64 ? v[i] - v[i - 1] : v[i]) >> 9;
        u64 z = ((u64)d << 1) ^ (u64)(d >> 63);
        int bytes = (64 - __clzll((long long)(z | 1)) + 6) / 7;
        size[i] = (unsigned char)bytes;
        atomicAdd(&sum, bytes);
    }
    __syncthreads();
    if (threadIdx.x == 0) total[blockIdx.x] = sum;
}

// Numbers of eleven bits, many of them across two words.
__global__ void unpack_eleven_bits(const unsigned *packed, unsigned short *out, int n) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        int bit = i * 11, word = bit / 32, off = bit % 32;
        unsigned v = packed[word] >> off;
        if (off > 21) v |= packed[word + 1] << (32 - off);
        out[i] = (unsigned short)(v & 0x7ff);
    }
}

// One round of Luby: a vertex enters the set when it beats all neighbours that are still undecided.
__global__ void luby_independent_set_round(const int *start, const int *adj, const int *state, int *next, int n,
                                           unsigned round) {
    int v = blockIdx.x * blockDim.x + threadIdx.x;
    if (v >= n) return;
    if (state[v] != 0) return;
    unsigned mine = mix(v ^ round);
    for (int e = start[v]; e < start[v + 1]; e++) {
        int u = adj[e];
        if (state[u] == 0 && mix(u ^ round) > mine) return;
    }
    next[v] = 1;
}

// Takes vertices of low degree away, a warp per vertex.
__global__ void k_core_peel_warp(const int *start, const int *adj, const int *degree, int *left, int *removed, int n,
                                 int k) {
    int v = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    if (v >= n || degree[v] >= k) return;
    for (int e = start[v] + lane; e < start[v + 1]; e += 32) atomicSub(&left[adj[e]], 1);
    if (lane == 0) atomicAdd(removed, 1);
}

// Weight and edge in one word of 64 bits.
__global__ void boruvka_cheapest_edges(const int *from, const int *to, const int *weight, const int *tree, u64 *best,
                                       int edges) {
    int e = blockIdx.x * blockDim.x + threadIdx.x;
    if (e >= edges) return;
    int a = tree[from[e]], b = tree[to[e]];
    if (a == b) return;
    u64 key = (u64)weight[e] << 32 | (unsigned)e;
    atomicMin(&best[a], key);
    atomicMin(&best[b], key);
}

// Rows of an adjacency matrix of bits, a warp per pair.
__global__ void common_neighbours_bit_rows(const u64 *bits, const int2 *pair, int *common, int pairs, int words) {
    int p = (blockIdx.x * blockDim.x + threadIdx.x) >> 5, lane = threadIdx.x & 31;
    if (p >= pairs) return;
    const u64 *a = bits + pair[p].x * words, *b = bits + pair[p].y * words;
    int s = 0;
    for (int i = lane; i < words; i += 32) s += __popcll(a[i] & b[i]);
    for (int o = 16; o > 0; o >>= 1) s += __shfl_down_sync(~0u, s, o);
    if (lane == 0) common[p] = s;
}

// Each thread reads its own number until something comes that is not a digit.
__global__ void parse_decimal_fields(const unsigned char *text, const int *start, long long *value, int fields) {
    int f = blockIdx.x * blockDim.x + threadIdx.x;
    if (f >= fields) return;
    int p = start[f], end = start[f + 1];
    bool minus = false;
    if (p < end && text[p] == 10) minus = true, p++;
    long long v = 0;
    while (p < end && text[p] < 10) v = v * 10 + text[p++];
    value[f] = minus ? -v : v;
}

// Eight bytes at a time: all bytes count but those that go on with a character.
__global__ void utf8_characters_in_words(const u64 *text, u64 *characters, int words) {
    unsigned s = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < words; i += gridDim.x * blockDim.x) {
        u64 w = text[i];
        s += 8 - __popcll((w >> 7) & ~(w >> 6) & 0x0101010101010101ull);
    }
    s = __reduce_add_sync(~0u, s);
    if (threadIdx.x % 32 == 0) atomicAdd(characters, (u64)s);
}

// Grows from every centre, odd and even.
__global__ void longest_palindrome_centres(const unsigned char *s, int n, int *longest) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, best = 0;
    if (i < n) {
        for (int even = 0; even < 2; even++) {
            int l = i - 1 + even, r = i + 1;
            if (even) l = i;
            while (l >= 0 && r < n && s[l] == s[r]) l--, r++;
            best = max(best, r - l - 1);
        }
    }
    best = __reduce_max_sync(~0u, best);
    if (threadIdx.x % 32 == 0) atomicMax(longest, best);
}

// Sums of four powers, one tree for each.
__global__ void moments_to_the_fourth_double(const double *v, double *moment, int n, double centre) {
    __shared__ double sum[4][256];
    double s[4] = {0, 0, 0, 0};
    for (int i = blockIdx.x * 256 + threadIdx.x; i < n; i += gridDim.x * 256) {
        double d = v[i] - centre, d2 = d * d;
        s[0] += d, s[1] += d2, s[2] += d2 * d, s[3] += d2 * d2;
    }
    for (int k = 0; k < 4; k++) sum[k][threadIdx.x] = s[k];
    __syncthreads();
    for (int o = 128; o > 0; o /= 2) {
        if ((int)threadIdx.x < o)
            for (int k = 0; k < 4; k++) sum[k][threadIdx.x] += sum[k][threadIdx.x + o];
        __syncthreads();
    }
    if (threadIdx.x < 4) atomicAdd(&moment[threadIdx.x], sum[threadIdx.x][0]);
}

// Draws with putting back from a sample in shared memory.
__global__ void bootstrap_means_shared(const float *sample, float *mean, int size, int draws, unsigned seed) {
    extern __shared__ float bag[];
    for (int i = threadIdx.x; i < size; i += blockDim.x) bag[i] = sample[i];
    __syncthreads();
    int id = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned r = mix(id + seed);
    float s = 0;
    for (int k = 0; k < draws; k++) {
        r = r * 1664525u + 1013904223u;
        s += bag[__umulhi(r, size)];
    }
    mean[id] = s / draws;
}

// Halves the interval until half of the row lies below.
__global__ void row_median_by_bisection(const float *in, float *median, int cols) {
    __shared__ int below;
    const float *row = in + blockIdx.x * cols;
    float lo = 0, hi = 1;
    for (int round = 0; round < 16; round++) {
        float mid = 0.5f * (lo + hi);
        if (threadIdx.x == 0) below = 0;
        __syncthreads();
        int c = 0;
        for (int i = threadIdx.x; i < cols; i += blockDim.x) c += row[i] < mid;
        c = __reduce_add_sync(~0u, c);
        if (threadIdx.x % 32 == 0) atomicAdd(&below, c);
        __syncthreads();
        if (below * 2 < cols) lo = mid;
        else hi = mid;
        __syncthreads();
    }
    if (threadIdx.x == 0) median[blockIdx.x] = 0.5f * (lo + hi);
}

// Springs to eight neighbours on a cloth, the upper edge held.
__global__ void cloth_springs_step(const float4 *pos, const float4 *vel, float4 *new_pos, float4 *new_vel, int w,
                                   int h, float stiff, float dt) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w || y >= h) return;
    float4 p = pos[y * w + x], v = vel[y * w + x];
    float fx = 0, fy = -9.81f, fz = 0;
    for (int j = -1; j <= 1; j++)
        for (int i = -1; i <= 1; i++) {
            int u = x + i, q = y + j;
            if ((i == 0 && j == 0) || u < 0 || q < 0 || u >= w || q >= h) continue;
            float4 o = pos[q * w + u];
            float rest = i != 0 && j != 0 ? 1.41421f : 1.0f;
            float dx = o.x - p.x, dy = o.y - p.y, dz = o.z - p.z, len = sqrtf(dx * dx + dy * dy + dz * dz + 1e-6f);
            float f = stiff * (len - rest) / len;
            fx += f * dx, fy += f * dy, fz += f * dz;
        }
    if (y > 0) {
        v.x = 0.99f * (v.x + dt * fx), v.y = 0.99f * (v.y + dt * fy), v.z = 0.99f * (v.z + dt * fz);
        p.x += dt * v.x, p.y += dt * v.y, p.z += dt * v.z;
    }
    new_pos[y * w + x] = p;
    new_vel[y * w + x] = v;
}

__device__ void pendulum_slope(const double *s, double *d) {
    double sn, cs, delta = s[0] - s[1];
    sincos(delta, &sn, &cs);
    double den = 2 - cs * cs, g = 9.81;
    d[0] = s[2];
    d[1] = s[3];
    double a = sin(s[0]), b = sin(s[1]);
    d[2] = (-s[2] * s[2] * sn * cs + g * b * cs - s[3] * s[3] * sn - 2 * g * a) / den;
    d[3] = (s[3] * s[3] * sn * cs + 2 * (g * a * cs + s[2] * s[2] * sn - g * b)) / den;
}

// Runge and Kutta for many starts of two rods.
__global__ void double_pendulum_rk4(double *angle1, double *angle2, int n, int steps, double dt) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    double s[4] = {angle1[i], angle2[i], 0, 0}, k[4], t[4], sum[4];
    for (int step = 0; step < steps; step++) {
        pendulum_slope(s, k);
        for (int j = 0; j < 4; j++) sum[j] = k[j], t[j] = s[j] + 0.5 * dt * k[j];
        pendulum_slope(t, k);
        for (int j = 0; j < 4; j++) sum[j] += 2 * k[j], t[j] = s[j] + 0.5 * dt * k[j];
        pendulum_slope(t, k);
        for (int j = 0; j < 4; j++) sum[j] += 2 * k[j], t[j] = s[j] + dt * k[j];
        pendulum_slope(t, k);
        for (int j = 0; j < 4; j++) s[j] += dt / 6 * (sum[j] + k[j]);
    }
    angle1[i] = s[0];
    angle2[i] = s[1];
}

struct Water {
    float h, hu, hv;
};

// Lax and Friedrichs on cells of twelve bytes.
__global__ void shallow_water_lax_step(const Water *in, Water *out, int w, int h, float k) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w || y >= h) return;
    Water l = in[y * w + max(x - 1, 0)], r = in[y * w + min(x + 1, w - 1)];
    Water d = in[max(y - 1, 0) * w + x], u = in[min(y + 1, h - 1) * w + x], o;
    const float g = 4.905f;
    o.h = 0.25f * (l.h + r.h + d.h + u.h) - k * (r.hu - l.hu + u.hv - d.hv);
    o.hu = 0.25f * (l.hu + r.hu + d.hu + u.hu) -
           k * (r.hu * r.hu / r.h + g * r.h * r.h - l.hu * l.hu / l.h - g * l.h * l.h + u.hu * u.hv / u.h -
                d.hu * d.hv / d.h);
    o.hv = 0.25f * (l.hv + r.hv + d.hv + u.hv) -
           k * (u.hv * u.hv / u.h + g * u.h * u.h - d.hv * d.hv / d.h - g * d.h * d.h + r.hu * r.hv / r.h -
                l.hu * l.hv / l.h);
    out[y * w + x] = o;
}

// Nagel and Schreckenberg: one ring road per block, one thread per car.
__global__ void traffic_ring_roads(int *place, int *speed_sum, int length, int steps) {
    __shared__ int pos[90];
    int car = threadIdx.x, cars = blockDim.x, v = 0, moved = 0;
    pos[car] = place[blockIdx.x * cars + car] % 5 + car * 5;
    __syncthreads();
    for (int s = 0; s < steps; s++) {
        int here = pos[car], gap = (pos[(car + 1) % cars] - here - 1 + length) % length;
        v = min(min(v + 1, 5), gap);
        if (v > 0 && mix((blockIdx.x * steps + s) * cars + car) % 4 == 0) v--;
        __syncthreads();
        pos[car] = (here + v) % length;
        moved += v;
        __syncthreads();
    }
    place[blockIdx.x * cars + car] = pos[car];
    atomicAdd(&speed_sum[blockIdx.x], moved);
}

// A gate on one qubit of a state vector, in place.
__global__ void quantum_hadamard_in_place(float2 *state, int pairs, int qubit) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= pairs) return;
    int low = i & ((1 << qubit) - 1), a = (i >> qubit) << (qubit + 1) | low, b = a | 1 << qubit;
    float2 p = state[a], q = state[b];
    const float c = 0.70710678f;
    state[a] = make_float2(c * (p.x + q.x), c * (p.y + q.y));
    state[b] = make_float2(c * (p.x - q.x), c * (p.y - q.y));
}

// Grid over the first matrix, block over the second.
__global__ void kronecker_product_odd_blocks(const float *a, const float *b, float *c, int a_cols, int b_rows,
                                             int b_cols) {
    int x = threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (y >= b_rows) return;
    float f = a[blockIdx.z * a_cols + blockIdx.x];
    c[(blockIdx.z * b_rows + y) * a_cols * b_cols + blockIdx.x * b_cols + x] = f * b[y * b_cols + x];
}

// Three sweeps of rotations, the matrix in registers.
__global__ void jacobi_eigen_4x4_per_thread(const float *in, float4 *eigen, int n) {
    int id = blockIdx.x * blockDim.x + threadIdx.x;
    if (id >= n) return;
    float a[4][4];
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++) a[i][j] = 0.5f * (in[id * 16 + i * 4 + j] + in[id * 16 + j * 4 + i]);
    for (int sweep = 0; sweep < 3; sweep++) {
#pragma unroll
        for (int p = 0; p < 3; p++) {
#pragma unroll
            for (int q = p + 1; q < 4; q++) {
                if (fabsf(a[p][q]) < 1e-6f) continue;
                float theta = (a[q][q] - a[p][p]) / (2 * a[p][q]);
                float t = copysignf(1.0f, theta) / (fabsf(theta) + sqrtf(theta * theta + 1));
                float c = rsqrtf(t * t + 1), s = t * c;
#pragma unroll
                for (int k = 0; k < 4; k++) {
                    float u = a[k][p], v = a[k][q];
                    a[k][p] = c * u - s * v;
                    a[k][q] = s * u + c * v;
                }
#pragma unroll
                for (int k = 0; k < 4; k++) {
                    float u = a[p][k], v = a[q][k];
                    a[p][k] = c * u - s * v;
                    a[q][k] = s * u + c * v;
                }
            }
        }
    }
    eigen[id] = make_float4(a[0][0], a[1][1], a[2][2], a[3][3]);
}

__device__ float sum_of_four_warps(float v, float *part) {
    for (int o = 16; o > 0; o /= 2) v += __shfl_xor_sync(~0u, v, o);
    if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = v;
    __syncthreads();
    v = part[0] + part[1] + part[2] + part[3];
    __syncthreads();
    return v;
}

// Ten vectors per block, each thread holds one entry of all of them.
__global__ void gram_schmidt_ten_vectors(float *vectors) {
    __shared__ float part[4];
    float v[10], *mine = vectors + blockIdx.x * 1280;
#pragma unroll
    for (int i = 0; i < 10; i++) v[i] = mine[i * 128 + threadIdx.x];
#pragma unroll
    for (int i = 0; i < 10; i++) {
        v[i] *= rsqrtf(sum_of_four_warps(v[i] * v[i], part));
#pragma unroll
        for (int j = i + 1; j < 10; j++) v[j] -= sum_of_four_warps(v[i] * v[j], part) * v[i];
    }
#pragma unroll
    for (int i = 0; i < 10; i++) mine[i * 128 + threadIdx.x] = v[i];
}

// Dense times dense where the sparse matrix has entries; eight lanes per entry, rows of 35 numbers.
__global__ void sampled_dot_products(const int *row, const int *col, const float *a, const float *b, float *out,
                                     int entries, int dim) {
    int e = (blockIdx.x * blockDim.x + threadIdx.x) / 8, lane = threadIdx.x % 8;
    bool real = e < entries;
    float s = 0;
    if (real) {
        const float *p = a + row[e] * dim, *q = b + col[e] * dim;
        for (int k = lane; k < dim; k += 8) s += p[k] * q[k];
    }
    s += __shfl_down_sync(~0u, s, 4, 8);
    s += __shfl_down_sync(~0u, s, 2, 8);
    s += __shfl_down_sync(~0u, s, 1, 8);
    if (real && lane == 0) out[e] = s;
}

// Counts, first places, then each key to its place.
__global__ void counting_sort_bytes_block(unsigned char *data, int each) {
    __shared__ int place[64];
    extern __shared__ unsigned char sorted[];
    unsigned char *mine = data + blockIdx.x * each;
    if (threadIdx.x < 64) place[threadIdx.x] = 0;
    __syncthreads();
    for (int i = threadIdx.x; i < each; i += blockDim.x) atomicAdd(&place[mine[i]], 1);
    __syncthreads();
    if (threadIdx.x == 0) {
        int sum = 0;
        for (int k = 0; k < 64; k++) {
            int c = place[k];
            place[k] = sum;
            sum += c;
        }
    }
    __syncthreads();
    for (int i = threadIdx.x; i < each; i += blockDim.x) {
        unsigned char k = mine[i];
        sorted[atomicAdd(&place[k], 1)] = k;
    }
    __syncthreads();
    for (int i = threadIdx.x; i < each; i += blockDim.x) mine[i] = sorted[i];
}

// Every lane counts the smaller keys of its warp and puts its own where it belongs.
__global__ void warp_rank_sort_long_keys(u64 *keys, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32;
    if (i >= n) return;
    u64 mine = keys[i];
    int rank = 0;
    for (int l = 0; l < 32; l++) {
        u64 other = __shfl_sync(~0u, mine, l);
        if (other < mine || (other == mine && l < lane)) rank++;
    }
    __syncwarp();
    keys[i - lane + rank] = mine;
}

// Splitters of a sample sort in constant memory.
__constant__ float splitters[127];
__global__ void sample_sort_bucket_of(const float *v, unsigned char *bucket, int *size, int n) {
    __shared__ int count[128];
    if (threadIdx.x < 128) count[threadIdx.x] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        float x = v[i];
        int b = 0;
        for (int step = 64; step > 0; step /= 2)
            if (x >= splitters[b + step - 1]) b += step;
        bucket[i] = (unsigned char)b;
        atomicAdd(&count[b], 1);
    }
    __syncthreads();
    if (threadIdx.x < 128) atomicAdd(&size[threadIdx.x], count[threadIdx.x]);
}

// Low pass and every fifth sample only.
__constant__ float decimator_taps[45];
__global__ void decimate_by_five_shared(const float *in, float *out, int n_out) {
    __shared__ float s[128 * 5 + 40];
    int first = blockIdx.x * 128;
    for (int i = threadIdx.x; i < 128 * 5 + 40; i += 128) {
        int g = first * 5 + i;
        s[i] = g < n_out * 5 + 40 ? in[g] : 0;
    }
    __syncthreads();
    int o = first + threadIdx.x;
    if (o >= n_out) return;
    float sum = 0;
#pragma unroll 9
    for (int k = 0; k < 45; k++) sum += decimator_taps[k] * s[threadIdx.x * 5 + k];
    out[o] = sum;
}

// Blocks of 200 threads, five samples each.
__global__ void zero_crossings_per_frame(const float *in, int *crossings, int frame) {
    const float *f = in + blockIdx.x * frame;
    int total = 0;
    for (int base = 0; base < frame; base += blockDim.x) {
        int i = base + threadIdx.x;
        bool change = i > 0 && i < frame && (f[i] < 0) != (f[i - 1] < 0);
        total += __syncthreads_count(change);
    }
    if (threadIdx.x == 0) crossings[blockIdx.x] = total;
}

// Butterflies without factors.
__global__ void walsh_hadamard_512_shared(float *data) {
    __shared__ float v[512];
    float *mine = data + blockIdx.x * 512;
    int t = threadIdx.x;
    v[t] = mine[t];
    v[t + 256] = mine[t + 256];
    for (int h = 1; h < 512; h *= 2) {
        __syncthreads();
        int i = t / h * 2 * h + t % h;
        float a = v[i], b = v[i + h];
        v[i] = a + b;
        v[i + h] = a - b;
    }
    __syncthreads();
    mine[t] = v[t] * 0.044194174f;
    mine[t + 256] = v[t + 256] * 0.044194174f;
}

__device__ u64 shifted(u64 b, int way) {
    const u64 not_a = 0xfefefefefefefefeull, not_h = 0x7f7f7f7f7f7f7f7full;
    switch (way) {
    case 0: return (b << 1) & not_a;
    case 1: return (b >> 1) & not_h;
    case 2: return b << 8;
    case 3: return b >> 8;
    case 4: return (b << 9) & not_a;
    case 5: return (b >> 9) & not_h;
    case 6: return (b << 7) & not_h;
    default: return (b >> 7) & not_a;
    }
}

// Legal moves on boards of 64 bits.
__global__ void reversi_legal_moves(const ulonglong2 *board, u64 *moves, int *most, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    u64 own = board[i].x, other = board[i].y & ~own, free = ~(own | other), legal = 0;
    for (int way = 0; way < 8; way++) {
        u64 run = shifted(own, way) & other;
        for (int k = 0; k < 5; k++) run |= shifted(run, way) & other;
        legal |= shifted(run, way) & free;
    }
    moves[i] = legal;
    if (__popcll(legal) > 24) atomicMax(most, __popcll(legal));
}

// A board per block of 81 threads, filled as far as single candidates go.
__global__ void sudoku_singles_81_threads(unsigned char *boards, int *filled) {
    __shared__ int row[9], col[9], box[9], cell[81];
    int t = threadIdx.x, r = t / 9, c = t % 9, b = r / 3 * 3 + c / 3;
    int v = boards[blockIdx.x * 81 + t];
    v = v < 10 ? v : 0;
    cell[t] = v;
    for (int round = 0; round < 12; round++) {
        if (t < 9) row[t] = col[t] = box[t] = 0;
        __syncthreads();
        if (v) {
            atomicOr(&row[r], 1 << v);
            atomicOr(&col[c], 1 << v);
            atomicOr(&box[b], 1 << v);
        }
        __syncthreads();
        int left = 0x3fe & ~(row[r] | col[c] | box[b]);
        bool single = v == 0 && __popc(left) == 1;
        if (single) v = __ffs(left) - 1;
        if (!__syncthreads_or(single)) break;
    }
    cell[t] = v;
    int all = __syncthreads_count(v != 0);
    boards[blockIdx.x * 81 + t] = (unsigned char)cell[t];
    if (t == 0) filled[blockIdx.x] = all;
}

// Price of all coupons in double, yield by halving.
__global__ void bond_yield_bisection(const double *price, const int *years, double *yield, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int periods = 1 + years[i];
    double target = 60 + 60 * price[i], lo = 0, hi = 1;
    while (hi - lo > 1e-5) {
        double mid = 0.5 * (lo + hi), f = 1 / (1 + mid), d = 1, sum = 0;
        for (int k = 0; k < periods; k++) {
            d *= f;
            sum += 5 * d;
        }
        sum += 100 * d;
        if (sum > target) lo = mid;
        else hi = mid;
    }
    yield[i] = 0.5 * (lo + hi);
}

// A warp per scenario, positions in constant memory, losses counted in steps of one.
__constant__ float positions[300];
__global__ void scenario_losses_warp(const float *returns, float *loss, int *bins, int scenarios, int assets) {
    int s = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32, lane = threadIdx.x % 32;
    if (s >= scenarios) return;
    float sum = 0;
    for (int a = lane; a < assets; a += 32) sum -= positions[a] * expm1f(0.05f * returns[s * assets + a]);
    for (int o = 16; o > 0; o /= 2) sum += __shfl_xor_sync(~0u, sum, o);
    if (lane) return;
    loss[s] = sum;
    atomicAdd(&bins[min(max((int)(10 * sum) + 32, 0), 63)], 1);
}

__device__ float turn(float2 a, float2 b, float2 c) { return (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x); }

// All pairs of segments, tiles of 96 in shared memory.
__global__ void segment_crossings_tiles(const float4 *segment, int *crossings, int n) {
    __shared__ float4 tile[96];
    int i = blockIdx.x * 96 + threadIdx.x, count = 0;
    float4 s = i < n ? segment[i] : make_float4(0, 0, 0, 0);
    float2 a = make_float2(s.x, s.y), b = make_float2(s.x + 0.1f * s.z, s.y + 0.1f * s.w);
    for (int base = 0; base < n; base += 96) {
        if (base + (int)threadIdx.x < n) tile[threadIdx.x] = segment[base + threadIdx.x];
        __syncthreads();
        int m = min(96, n - base);
        for (int k = 0; k < m; k++) {
            float4 o = tile[k];
            float2 c = make_float2(o.x, o.y), d = make_float2(o.x + 0.1f * o.z, o.y + 0.1f * o.w);
            if (turn(a, b, c) * turn(a, b, d) < 0 && turn(c, d, a) * turn(c, d, b) < 0) count++;
        }
        __syncthreads();
    }
    if (i < n) crossings[i] = count;
}

// Each triangle adds its normal to three corners.
__global__ void mesh_normals_by_atomics(const float3 *vertex, const int *corner, float *normal, int triangles) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t >= triangles) return;
    int id[3] = {corner[3 * t], corner[3 * t + 1], corner[3 * t + 2]};
    float3 a = vertex[id[0]], b = vertex[id[1]], c = vertex[id[2]];
    float ux = b.x - a.x, uy = b.y - a.y, uz = b.z - a.z, vx = c.x - a.x, vy = c.y - a.y, vz = c.z - a.z;
    float nx = uy * vz - uz * vy, ny = uz * vx - ux * vz, nz = ux * vy - uy * vx;
    for (int k = 0; k < 3; k++) {
        atomicAdd(&normal[3 * id[k]], nx);
        atomicAdd(&normal[3 * id[k] + 1], ny);
        atomicAdd(&normal[3 * id[k] + 2], nz);
    }
}

struct Body {
    float px, py, pz;
    float qw, qx, qy, qz;
};

// Structures of 28 bytes; turns the place by the quaternion and makes that one long again.
__global__ void quaternion_turn_structs(Body *body, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    Body b = body[i];
    float f = rsqrtf(b.qw * b.qw + b.qx * b.qx + b.qy * b.qy + b.qz * b.qz + 1e-12f);
    b.qw *= f, b.qx *= f, b.qy *= f, b.qz *= f;
    float tx = 2 * (b.qy * b.pz - b.qz * b.py), ty = 2 * (b.qz * b.px - b.qx * b.pz),
          tz = 2 * (b.qx * b.py - b.qy * b.px);
    b.px += b.qw * tx + b.qy * tz - b.qz * ty;
    b.py += b.qw * ty + b.qz * tx - b.qx * tz;
    b.pz += b.qw * tz + b.qx * ty - b.qy * tx;
    body[i] = b;
}

// Rotates pairs of a head by angles that grow with the position, in place.
__global__ void rotary_embedding_half2(half2 *x, int heads, int pairs) {
    int pos = blockIdx.x, k = threadIdx.x;
    float s, c;
    __sincosf(pos * exp2f(-13.2877f * k / pairs), &s, &c);
    half2 cc = __float2half2_rn(c), ss = __floats2half2_rn(-s, s);
    for (int h = threadIdx.y; h < heads; h += blockDim.y) {
        half2 *p = x + (pos * heads + h) * pairs + k;
        half2 v = *p;
        *p = __hfma2(v, cc, __hmul2(__lowhigh2highlow(v), ss));
    }
}

// Every input pixel makes four output pixels, filters from all the input channels.
__global__ void transposed_conv_2x2_stride_2(const float *in, const float *weight, float *out, int channels, int h,
                                             int w) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y, o = blockIdx.z;
    if (x >= w || y >= h) return;
    float s0 = 0, s1 = 0, s2 = 0, s3 = 0;
    for (int c = 0; c < channels; c++) {
        float v = in[(c * h + y) * w + x];
        const float *f = weight + (o * channels + c) * 4;
        s0 += v * f[0], s1 += v * f[1], s2 += v * f[2], s3 += v * f[3];
    }
    float *p = out + (o * 2 * h + 2 * y) * 2 * w + 2 * x;
    p[0] = s0;
    p[1] = s1;
    p[2 * w] = s2;
    p[2 * w + 1] = s3;
}

// Windows overlap, so the gradients are added.
__global__ void maxpool_3x3_backward_atomics(const float *x, const float *grad, float *dx, int h, int w, int oh,
                                             int ow) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, c = blockIdx.y;
    if (i >= oh * ow) return;
    int y0 = i / ow * 2, x0 = i % ow * 2, best = 0;
    float most = -1e30f;
    for (int j = 0; j < 3; j++)
        for (int k = 0; k < 3; k++) {
            int at = (c * h + y0 + j) * w + x0 + k;
            if (x[at] > most) most = x[at], best = at;
        }
    atomicAdd(&dx[best], grad[c * oh * ow + i]);
}

__device__ unsigned murmur_round(unsigned h, unsigned k) {
    k *= 0xcc9e2d51u;
    k = __funnelshift_l(k, k, 15) * 0x1b873593u;
    h ^= k;
    return __funnelshift_l(h, h, 13) * 5 + 0xe6546b64u;
}

// Strings of any length at any address, byte by byte into words.
__global__ void murmur_strings_of_any_length(const unsigned char *text, const int *start, unsigned *hash, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int p = start[i], end = start[i + 1], len = end - p;
    unsigned h = 0x9747b28cu;
    for (; p + 4 <= end; p += 4)
        h = murmur_round(h, text[p] | text[p + 1] << 8 | text[p + 2] << 16 | (unsigned)text[p + 3] << 24);
    unsigned rest = 0;
    for (int s = 0; p < end; p++, s += 8) rest |= text[p] << s;
    h = murmur_round(h, rest) ^ len;
    h ^= h >> 16;
    h *= 0x85ebca6bu;
    h ^= h >> 13;
    hash[i] = h;
}

// Four rows of counters, one thread for each key and row.
__global__ void count_min_sketch_add(const int *key, int n, unsigned *counter, int width) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, row = threadIdx.y;
    if (i >= n) return;
    unsigned h = mix(key[i] * 2654435761u + row * 0x9e3779b9u);
    atomicAdd(&counter[row * width + h % width], 1u);
}

// Shuffles a deck in a local array and counts pairs in the first five cards.
__global__ void poker_pairs_fisher_yates(unsigned *pairs, int rounds, unsigned seed) {
    unsigned char deck[52];
    unsigned r = mix(blockIdx.x * blockDim.x + threadIdx.x + seed), found = 0;
    for (int i = 0; i < 52; i++) deck[i] = (unsigned char)i;
    for (int g = 0; g < rounds; g++) {
        for (int i = 0; i < 5; i++) {
            r ^= r << 13, r ^= r >> 17, r ^= r << 5;
            int j = i + __umulhi(r, 52 - i);
            unsigned char t = deck[i];
            deck[i] = deck[j];
            deck[j] = t;
        }
        int seen = 0;
        for (int i = 0; i < 5; i++) seen |= 1 << (deck[i] % 13);
        found += __popc(seen) < 5;
    }
    found = __reduce_add_sync(~0u, found);
    if (threadIdx.x % 32 == 0) atomicAdd(pairs, found);
}

// A generator of 64 bits that each thread first moves ahead to its place.
__global__ void box_muller_lcg_skip_ahead(float2 *out, int each, int threads, u64 seed) {
    int id = blockIdx.x * blockDim.x + threadIdx.x;
    if (id >= threads) return;
    u64 a = 6364136223846793005ull, c = 1442695040888963407ull, ma = 1, mc = 0;
    for (unsigned skip = id * each * 2; skip > 0; skip >>= 1) {
        if (skip & 1) ma *= a, mc = mc * a + c;
        c *= a + 1;
        a *= a;
    }
    u64 s = seed * ma + mc;
    for (int k = 0; k < each; k++) {
        s = s * 6364136223846793005ull + 1442695040888963407ull;
        float u = ((unsigned)(s >> 40) + 1) * (1.0f / 16777217.0f);
        s = s * 6364136223846793005ull + 1442695040888963407ull;
        float angle = (unsigned)(s >> 40) * (6.2831853f / 16777216.0f), r = sqrtf(-2 * __logf(u));
        out[k * threads + id] = make_float2(r * __cosf(angle), r * __sinf(angle));
    }
}

// ---------------------------------------------------------------- main

int main() {
    {
        const int w = 2100, h = 1300;
        unsigned char matrix[64];
        for (int i = 0; i < 64; i++) {
            int x = i % 8, y = i / 8, v = 0;
            for (int b = 0; b < 3; b++) v = v << 2 | (((x ^ y) >> b & 1) << 1) | (y >> b & 1);
            matrix[i] = (unsigned char)v;
        }
        CHECK(cudaMemcpyToSymbol(bayer_matrix, matrix, sizeof matrix));
        ordered_dither_bayer<<<dim3(up(w, 32), up(h, 8)), dim3(32, 8)>>>(bytes(w * h, 301), room<unsigned char>(w * h),
                                                                         w, h);
        done();
    }
    {
        const int w = 1333, h = 700;
        emboss_rgb_interleaved<<<dim3(up(3 * w, 256), h), 256>>>(bytes(3 * w * h, 302),
                                                                 room<unsigned char>(3 * w * h), w, h);
        done();
    }
    {
        const int w = 640, h = 420, new_w = 1100, new_h = 722;
        bicubic_resize_catmull<<<dim3(up(new_w, 16), up(new_h, 16)), dim3(16, 16)>>>(
            floats(w * h, 303, 0, 1), room<float>(new_w * new_h), w, h, new_w, new_h);
        done();
    }
    {
        const int w = 1210, h = 906;
        bayer_demosaic_tile<<<dim3(up(w, 16), up(h, 16)), dim3(16, 16)>>>(bytes(w * h, 304), room<uchar3>(w * h), w,
                                                                          h);
        done();
    }
    {
        const int w = 1024, h = 768;
        haar_wavelet_tile_in_place<<<dim3(w / 32, h / 32), dim3(32, 8)>>>(floats(w * h, 305), w);
        done();
    }
    {
        const int w = 1500, h = 32;
        seam_costs_one_block<<<1, 512, 2 * w * sizeof(float)>>>(floats(w * h, 306, 0, 1), room<float>(w), w, h);
        done();
    }
    {
        const int blocks = 13001;
        unsigned char place[64];
        float step[64];
        for (int s = 0, k = 0; s < 15; s++)
            for (int i = 0; i <= s; i++) {
                int y = s % 2 ? i : s - i, x = s - y;
                if (x < 8 && y < 8) place[k++] = (unsigned char)(y * 8 + x);
            }
        for (int i = 0; i < 64; i++) step[i] = 0.3f + 0.02f * i;
        CHECK(cudaMemcpyToSymbol(zigzag_place, place, sizeof place));
        CHECK(cudaMemcpyToSymbol(quant_step, step, sizeof step));
        zigzag_quantise_blocks<<<up(blocks, 4), dim3(64, 4)>>>(floats(blocks * 64, 307, -2, 2),
                                                               room<short>(blocks * 64), zeros<int>(blocks), blocks);
        done();
    }
    {
        const int n = 650000;
        int *v = ints(2 * n, 308, 0x7fffffff);
        varint_sizes_of_deltas<<<up(n, 320), 320>>>((const long long *)v, room<unsigned char>(n),
                                                    room<unsigned>(up(n, 320)), n);
        done();
    }
    {
        const int n = 2300000;
        int *packed = ints(up(n * 11, 32) + 1, 309, 0x7fffffff);
        unpack_eleven_bits<<<528, 256>>>((const unsigned *)packed, room<unsigned short>(n), n);
        done();
    }
    {
        const int n = 90000, each = 7;
        int *start = rising(n + 1, 310, each), *adj = ints((n + 1) * each, 311, n), *state = ints(n, 312, 2);
        luby_independent_set_round<<<up(n, 128), 128>>>(start, adj, state, zeros<int>(n), n, 99);
        done();
    }
    {
        const int n = 24000, each = 40;
        int *start = rising(n + 1, 313, each), *adj = ints((n + 1) * each, 314, n), *degree = ints(n, 315, 80);
        k_core_peel_warp<<<up(n * 32, 256), 256>>>(start, adj, degree, ints(n, 315, 80), zeros<int>(1), n, 25);
        done();
    }
    {
        const int n = 100000, edges = 350000, trees = 20000;
        int *from = ints(edges, 316, n), *to = ints(edges, 317, n), *weight = ints(edges, 318, 10000);
        int *tree = ints(n, 319, trees);
        boruvka_cheapest_edges<<<up(edges, 224), 224>>>(from, to, weight, tree, zeros<u64>(trees, 0xff), edges);
        done();
    }
    {
        const int nodes = 2400, words = 75, pairs = 26000;
        int *bits = ints(nodes * words * 2, 320, 0x7fffffff), *pair = ints(2 * pairs, 321, nodes);
        common_neighbours_bit_rows<<<up(pairs * 32, 192), 192>>>((const u64 *)bits, (const int2 *)pair,
                                                                 room<int>(pairs), pairs, words);
        done();
    }
    {
        const int fields = 140000, each = 14;
        unsigned char *text = bytes((fields + 1) * each, 322, 11);
        parse_decimal_fields<<<up(fields, 128), 128>>>(text, rising(fields + 1, 323, each), room<long long>(fields),
                                                       fields);
        done();
    }
    {
        const int words = 900000;
        utf8_characters_in_words<<<264, 384>>>((const u64 *)bytes(words * 8, 324), zeros<u64>(1), words);
        done();
    }
    {
        const int n = 800000;
        longest_palindrome_centres<<<up(n, 256), 256>>>(bytes(n, 325, 2), n, zeros<int>(1));
        done();
    }
    {
        const int n = 700000;
        moments_to_the_fourth_double<<<200, 256>>>(doubles(n, 326), zeros<double>(4), n, 0.5);
        done();
    }
    {
        const int blocks = 400, size = 1000;
        bootstrap_means_shared<<<blocks, 192, size * sizeof(float)>>>(floats(size, 327), room<float>(blocks * 192),
                                                                      size, 150, 4242);
        done();
    }
    {
        const int rows = 700, cols = 901;
        row_median_by_bisection<<<rows, 128>>>(floats(rows * cols, 328, 0, 1), room<float>(rows), cols);
        done();
    }
    {
        const int w = 410, h = 330, n = w * h;
        float *pos = floats(4 * n, 329), *vel = floats(4 * n, 330);
        cloth_springs_step<<<dim3(up(w, 32), up(h, 6)), dim3(32, 6)>>>((const float4 *)pos, (const float4 *)vel,
                                                                       room<float4>(n), room<float4>(n), w, h, 40,
                                                                       0.002f);
        done();
    }
    {
        const int n = 21000;
        double_pendulum_rk4<<<up(n, 64), 64>>>(doubles(n, 331), doubles(n, 332), n, 4, 0.01);
        done();
    }
    {
        const int w = 603, h = 401;
        float *in = floats(3 * w * h, 333, 1, 2);
        shallow_water_lax_step<<<dim3(up(w, 32), up(h, 4)), dim3(32, 4)>>>((const Water *)in, room<Water>(w * h), w, h,
                                                                           0.01f);
        done();
    }
    {
        const int roads = 900, cars = 90;
        traffic_ring_roads<<<roads, cars>>>(ints(roads * cars, 334, 1000), zeros<int>(roads), 5 * cars, 40);
        done();
    }
    {
        const int pairs = 1 << 19;
        quantum_hadamard_in_place<<<up(pairs, 512), 512>>>((float2 *)floats(4 * pairs, 335), pairs, 3);
        done();
    }
    {
        const int ar = 31, ac = 22, br = 43, bc = 37;
        float *a = floats(ar * ac, 336), *b = floats(br * bc, 337);
        kronecker_product_odd_blocks<<<dim3(ac, up(br, 5), ar), dim3(bc, 5)>>>(a, b, room<float>(ar * ac * br * bc),
                                                                              ac, br, bc);
        done();
    }
    {
        const int n = 45000;
        jacobi_eigen_4x4_per_thread<<<up(n, 96), 96>>>(floats(16 * n, 338), room<float4>(n), n);
        done();
    }
    {
        const int blocks = 450;
        gram_schmidt_ten_vectors<<<blocks, 128>>>(floats(blocks * 1280, 339));
        done();
    }
    {
        const int rows = 9000, cols = 7000, dim = 35, entries = 75001;
        float *a = floats(rows * dim, 340), *b = floats(cols * dim, 341);
        sampled_dot_products<<<up(entries * 8, 256), 256>>>(ints(entries, 342, rows), ints(entries, 343, cols), a, b,
                                                            room<float>(entries), entries, dim);
        done();
    }
    {
        const int blocks = 520, each = 2000;
        counting_sort_bytes_block<<<blocks, 256, each>>>(bytes(blocks * each, 344, 64), each);
        done();
    }
    {
        const int n = 32 * 11003;
        warp_rank_sort_long_keys<<<up(n, 160), 160>>>((u64 *)ints(2 * n, 345, 0x7fffffff), n);
        done();
    }
    {
        const int n = 800000;
        float split[127];
        for (int i = 0; i < 127; i++) split[i] = (i + 1 + 0.5f * (mix(i) % 100) / 100) / 128.5f;
        CHECK(cudaMemcpyToSymbol(splitters, split, sizeof split));
        sample_sort_bucket_of<<<264, 256>>>(floats(n, 346, 0, 1), room<unsigned char>(n), zeros<int>(128), n);
        done();
    }
    {
        const int n = 300100;
        float taps[45];
        for (int i = 0; i < 45; i++) taps[i] = (23 - abs(i - 22)) / 529.0f;
        CHECK(cudaMemcpyToSymbol(decimator_taps, taps, sizeof taps));
        decimate_by_five_shared<<<up(n, 128), 128>>>(floats(n * 5 + 40, 347), room<float>(n), n);
        done();
    }
    {
        const int frames = 1900, frame = 990;
        zero_crossings_per_frame<<<frames, 200>>>(floats(frames * frame, 348), room<int>(frames), frame);
        done();
    }
    {
        const int blocks = 2200;
        walsh_hadamard_512_shared<<<blocks, 256>>>(floats(blocks * 512, 349));
        done();
    }
    {
        const int n = 170000;
        int *board = ints(4 * n, 350, 0x7fffffff);
        reversi_legal_moves<<<up(n, 128), 128>>>((const ulonglong2 *)board, room<u64>(n), zeros<int>(1), n);
        done();
    }
    {
        const int boards = 4000;
        sudoku_singles_81_threads<<<boards, 81>>>(bytes(boards * 81, 351, 40), room<int>(boards));
        done();
    }
    {
        const int n = 33000;
        bond_yield_bisection<<<up(n, 128), 128>>>(doubles(n, 352), ints(n, 353, 30), room<double>(n), n);
        done();
    }
    {
        const int scenarios = 7000, assets = 290;
        float held[300];
        for (int i = 0; i < 300; i++) held[i] = 0.01f * (mix(i) % 100);
        CHECK(cudaMemcpyToSymbol(positions, held, sizeof held));
        scenario_losses_warp<<<up(scenarios, 4), 128>>>(floats(scenarios * assets, 354), room<float>(scenarios),
                                                        zeros<int>(64), scenarios, assets);
        done();
    }
    {
        const int n = 4000;
        segment_crossings_tiles<<<up(n, 96), 96>>>((const float4 *)floats(4 * n, 355), room<int>(n), n);
        done();
    }
    {
        const int vertices = 60000, triangles = 115000;
        float *vertex = floats(3 * vertices, 356);
        mesh_normals_by_atomics<<<up(triangles, 256), 256>>>((const float3 *)vertex, ints(3 * triangles, 357, vertices),
                                                             zeros<float>(3 * vertices), triangles);
        done();
    }
    {
        const int n = 210000;
        quaternion_turn_structs<<<up(n, 192), 192>>>((Body *)floats(7 * n, 358), n);
        done();
    }
    {
        const int positions = 1100, heads = 18, pairs = 48;
        rotary_embedding_half2<<<positions, dim3(pairs, 4)>>>((half2 *)halves(positions * heads * pairs * 2, 359),
                                                              heads, pairs);
        done();
    }
    {
        const int channels = 20, outputs = 12, h = 90, w = 122;
        float *in = floats(channels * h * w, 360), *weight = floats(outputs * channels * 4, 361);
        transposed_conv_2x2_stride_2<<<dim3(up(w, 32), up(h, 8), outputs), dim3(32, 8)>>>(
            in, weight, room<float>(outputs * 4 * h * w), channels, h, w);
        done();
    }
    {
        const int c = 64, h = 113, w = 113, oh = 56, ow = 56;
        float *x = floats(c * h * w, 362), *grad = floats(c * oh * ow, 363);
        maxpool_3x3_backward_atomics<<<dim3(up(oh * ow, 256), c), 256>>>(x, grad, zeros<float>(c * h * w), h, w, oh,
                                                                         ow);
        done();
    }
    {
        const int n = 60000, each = 26;
        unsigned char *text = bytes((n + 1) * each, 364);
        murmur_strings_of_any_length<<<up(n, 256), 256>>>(text, rising(n + 1, 365, each), room<unsigned>(n), n);
        done();
    }
    {
        const int n = 250000, width = 50021;
        count_min_sketch_add<<<up(n, 64), dim3(64, 4)>>>(ints(n, 366, 40000), n, zeros<unsigned>(4 * width), width);
        done();
    }
    {
        poker_pairs_fisher_yates<<<264, 128>>>(zeros<unsigned>(1), 30, 777);
        done();
    }
    {
        const int threads = 60000, each = 12;
        box_muller_lcg_skip_ahead<<<up(threads, 256), 256>>>(room<float2>(threads * each), each, threads, 20240917);
        done();
    }
    return 0;
}
