// Coursework of many students: small kernels on all the usual subjects, each launched once with data of its own.
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

// ---------------------------------------------------------------- coursework

// The first kernel of every course.
__global__ void vector_add_textbook(const float *a, const float *b, float *c, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) c[i] = a[i] + b[i];
}

// Yee grid: all three parts of E from the curl of H.
__global__ void fdtd_3d_electric_field(float *ex, float *ey, float *ez, const float *hx, const float *hy,
                                       const float *hz, int nx, int ny, int nz, float k) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    int z = blockIdx.z * blockDim.z + threadIdx.z;
    if (x < 1 || y < 1 || z < 1 || x >= nx || y >= ny || z >= nz) return;
    int i = (z * ny + y) * nx + x, left = i - 1, below = i - nx, behind = i - nx * ny;
    ex[i] += k * (hz[i] - hz[below] - hy[i] + hy[behind]);
    ey[i] += k * (hx[i] - hx[behind] - hz[i] + hz[left]);
    ez[i] += k * (hy[i] - hy[left] - hx[i] + hx[below]);
}

// One round of Bellman-Ford, a thread per edge.
__global__ void bellman_ford_relax_edges(const int *from, const int *to, const int *weight, const int *dist, int *next,
                                         int edges) {
    int e = blockIdx.x * blockDim.x + threadIdx.x;
    if (e >= edges) return;
    int v = to[e], d = dist[from[e]] + weight[e];
    if (d < dist[v]) atomicMin(&next[v], d);
}

// Root mean square norm of rows of halves.
__global__ void rms_norm_half2_block(const half2 *in, const half2 *gain, half2 *out, int pairs) {
    __shared__ float part[32];
    const half2 *row = in + (size_t)blockIdx.x * pairs;
    float s = 0;
    for (int i = threadIdx.x; i < pairs; i += blockDim.x) {
        float2 v = __half22float2(row[i]);
        s += v.x * v.x + v.y * v.y;
    }
    for (int o = 16; o > 0; o /= 2) s += __shfl_xor_sync(~0u, s, o);
    if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = s;
    __syncthreads();
    s = 0;
    for (int w = 0; w < (int)blockDim.x / 32; w++) s += part[w];
    half2 scale = __float2half2_rn(rsqrtf(s / (2 * pairs) + 1e-5f));
    for (int i = threadIdx.x; i < pairs; i += blockDim.x)
        out[(size_t)blockIdx.x * pairs + i] = __hmul2(__hmul2(row[i], scale), gain[i]);
}

// AES with four tables of 256 words, without the last round.
__constant__ unsigned aes_round_keys[40];
__global__ void aes_t_table_rounds(const uint4 *in, uint4 *out, const unsigned *tables, int n) {
    __shared__ unsigned t[4][256];
    for (int i = threadIdx.x; i < 1024; i += blockDim.x) t[i / 256][i % 256] = tables[i];
    __syncthreads();
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    uint4 s = in[i];
    for (int r = 0; r < 40; r += 4) {
        uint4 q;
        q.x = t[0][s.x >> 24] ^ t[1][s.y >> 16 & 255] ^ t[2][s.z >> 8 & 255] ^ t[3][s.w & 255] ^ aes_round_keys[r];
        q.y = t[0][s.y >> 24] ^ t[1][s.z >> 16 & 255] ^ t[2][s.w >> 8 & 255] ^ t[3][s.x & 255] ^ aes_round_keys[r + 1];
        q.z = t[0][s.z >> 24] ^ t[1][s.w >> 16 & 255] ^ t[2][s.x >> 8 & 255] ^ t[3][s.y & 255] ^ aes_round_keys[r + 2];
        q.w = t[0][s.w >> 24] ^ t[1][s.x >> 16 & 255] ^ t[2][s.y >> 8 & 255] ^ t[3][s.z & 255] ^ aes_round_keys[r + 3];
        s = q;
    }
    out[i] = s;
}

// The tile of the lecture, but 20 wide.
__global__ void matmul_tile_20(const float *a, const float *b, float *c, int m, int n, int k) {
    __shared__ float sa[20][20], sb[20][20];
    int x = threadIdx.x, y = threadIdx.y;
    int col = blockIdx.x * 20 + x, row = blockIdx.y * 20 + y;
    float s = 0;
    for (int t = 0; t < k; t += 20) {
        sa[y][x] = row < m && t + x < k ? a[row * k + t + x] : 0;
        sb[y][x] = col < n && t + y < k ? b[(t + y) * n + col] : 0;
        __syncthreads();
        for (int i = 0; i < 20; i++) s += sa[y][i] * sb[i][x];
        __syncthreads();
    }
    if (row < m && col < n) c[row * n + col] = s;
}

__device__ float call_price(float s, float k, float t, float r, float vol, float *vega) {
    float q = vol * sqrtf(t), d1 = (logf(s / k) + (r + 0.5f * vol * vol) * t) / q;
    *vega = s * sqrtf(t) * 0.39894228f * __expf(-0.5f * d1 * d1);
    return s * 0.5f * erfcf(-d1 * 0.70710678f) - k * expf(-r * t) * 0.5f * erfcf((q - d1) * 0.70710678f);
}

// Newton's method until the price fits: options need different numbers of steps.
__global__ void implied_volatility_newton(const float *strike, const float *true_vol, float *vol, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float vega, k = strike[i], price = call_price(100, k, 0.5f, 0.02f, true_vol[i], &vega), v = 0.3f;
    for (int step = 0; step < 15; step++) {
        float error = call_price(100, k, 0.5f, 0.02f, v, &vega) - price;
        if (fabsf(error) < 1e-3f || vega < 1e-3f) break;
        v = fmaxf(v - error / vega, 0.02f);
    }
    vol[i] = v;
}

// Sorts 512 numbers per block; each number finds its place by binary search in the run next door.
__global__ void merge_sort_block_shared(int *data) {
    __shared__ int a[512], b[512];
    int *src = a, *dst = b, *mine = data + blockIdx.x * 512;
    for (int i = threadIdx.x; i < 512; i += blockDim.x) a[i] = mine[i];
    __syncthreads();
    for (int width = 1; width < 512; width *= 2) {
        for (int i = threadIdx.x; i < 512; i += blockDim.x) {
            int v = src[i], run = i / width, other = (run ^ 1) * width, lo = 0, hi = width;
            while (lo < hi) {
                int mid = (lo + hi) / 2, o = src[other + mid];
                if (o < v || (o == v && (run & 1))) lo = mid + 1;
                else hi = mid;
            }
            dst[(run & ~1) * width + i % width + lo] = v;
        }
        __syncthreads();
        int *t = src;
        src = dst;
        dst = t;
    }
    for (int i = threadIdx.x; i < 512; i += blockDim.x) mine[i] = src[i];
}

// One block per column of a row-major matrix: every read is a sector of its own.
__global__ void column_means_block_per_column(const float *a, float *mean, int rows, int cols) {
    extern __shared__ float sum[];
    float s = 0;
    for (int r = threadIdx.x; r < rows; r += blockDim.x) s += a[r * cols + blockIdx.x];
    sum[threadIdx.x] = s;
    __syncthreads();
    for (int o = blockDim.x / 2; o > 0; o /= 2) {
        if ((int)threadIdx.x < o) sum[threadIdx.x] += sum[threadIdx.x + o];
        __syncthreads();
    }
    if (threadIdx.x == 0) mean[blockIdx.x] = sum[0] / rows;
}

// Spheres in constant memory, up to three mirror bounces.
__constant__ float4 scene_spheres[24];
__global__ void ray_sphere_bounces(uchar4 *image, int w, int h) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w || y >= h) return;
    float ox = 0, oy = 0, oz = -4, dx = (x - w * 0.5f) / w, dy = (y - h * 0.5f) / w, dz = 1, light = 0, power = 1;
    float inv = rsqrtf(dx * dx + dy * dy + 1);
    dx *= inv, dy *= inv, dz *= inv;
    for (int bounce = 0; bounce < 3; bounce++) {
        float best = 1e9f;
        int hit = -1;
        for (int s = 0; s < 24; s++) {
            float4 q = scene_spheres[s];
            float lx = q.x - ox, ly = q.y - oy, lz = q.z - oz;
            float b = lx * dx + ly * dy + lz * dz, d = b * b - (lx * lx + ly * ly + lz * lz) + q.w * q.w;
            if (d < 0) continue;
            float t = b - sqrtf(d);
            if (t > 1e-3f && t < best) best = t, hit = s;
        }
        if (hit < 0) {
            light += power * (0.5f + 0.5f * dy);
            break;
        }
        float4 q = scene_spheres[hit];
        ox += best * dx, oy += best * dy, oz += best * dz;
        float nx = (ox - q.x) / q.w, ny = (oy - q.y) / q.w, nz = (oz - q.z) / q.w,
              c = 2 * (nx * dx + ny * dy + nz * dz);
        dx -= c * nx, dy -= c * ny, dz -= c * nz;
        light += power * 0.2f * fmaxf(0, ny);
        power *= 0.7f;
    }
    unsigned char v = (unsigned char)(255 * fminf(fmaxf(light, 0), 1));
    image[y * w + x] = make_uchar4(v, v, 255 - v, 255);
}

// Sparse matrix of 4 x 4 blocks, a warp per row of blocks, two blocks at a time.
__global__ void spmv_bsr_4x4(const int *start, const int *col, const float *val, const float *x, float *y, int rows) {
    int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    if (row >= rows) return;
    float s = 0;
    for (int e = start[row] + lane / 16; e < start[row + 1]; e += 2)
        s += val[e * 16 + lane % 16] * x[col[e] * 4 + lane % 4];
    s += __shfl_xor_sync(~0u, s, 1);
    s += __shfl_xor_sync(~0u, s, 2);
    s += __shfl_xor_sync(~0u, s, 16);
    if (lane < 16 && lane % 4 == 0) y[row * 4 + lane / 4] = s;
}

// Philox 4x32 with ten rounds.
__global__ void philox_fill_uniform(float4 *out, int n, unsigned k0, unsigned k1) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        unsigned a = i, b = 0, c = 7, d = 11, p = k0, q = k1;
        for (int r = 0; r < 10; r++) {
            unsigned h0 = __umulhi(0xD2511F53u, a), l0 = 0xD2511F53u * a, h1 = __umulhi(0xCD9E8D57u, c),
                     l1 = 0xCD9E8D57u * c;
            a = h1 ^ b ^ p, b = l1, c = h0 ^ d ^ q, d = l0;
            p += 0x9E3779B9u, q += 0xBB67AE85u;
        }
        const float f = 1.0f / 4294967296.0f;
        out[i] = make_float4(a * f, b * f, c * f, d * f);
    }
}

// A 3 x 3 filter for each channel, channels in the third grid dimension.
__global__ void depthwise_conv_3x3(const float *in, const float *weight, const float *bias, float *out, int h, int w) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y, c = blockIdx.z;
    if (x >= w || y >= h) return;
    const float *plane = in + c * h * w;
    float s = bias[c];
    for (int j = -1; j <= 1; j++)
        for (int i = -1; i <= 1; i++) {
            int yy = y + j, xx = x + i;
            if (yy >= 0 && yy < h && xx >= 0 && xx < w) s += plane[yy * w + xx] * weight[c * 9 + (j + 1) * 3 + i + 1];
        }
    out[(c * h + y) * w + x] = fmaxf(s, 0);
}

// Each thread sorts 16 numbers in a local array with indices known only at run time.
__global__ void insertion_sort_16_local(int *data, int groups) {
    int g = blockIdx.x * blockDim.x + threadIdx.x;
    if (g >= groups) return;
    int v[16];
    for (int i = 0; i < 16; i++) v[i] = data[i * groups + g];
    for (int i = 1; i < 16; i++) {
        int key = v[i], j = i - 1;
        while (j >= 0 && v[j] > key) {
            v[j + 1] = v[j];
            j--;
        }
        v[j + 1] = key;
    }
    for (int i = 0; i < 16; i++) data[i * groups + g] = v[i];
}

// Reaction and diffusion of two substances on a torus.
__global__ void gray_scott_step(const float2 *in, float2 *out, int w, int h, float feed, float kill) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w || y >= h) return;
    int xl = (x + w - 1) % w, xr = (x + 1) % w, yu = (y + h - 1) % h, yd = (y + 1) % h;
    float2 c = in[y * w + x], l = in[y * w + xl], r = in[y * w + xr], u = in[yu * w + x], d = in[yd * w + x];
    float lu = l.x + r.x + u.x + d.x - 4 * c.x, lv = l.y + r.y + u.y + d.y - 4 * c.y, uvv = c.x * c.y * c.y;
    out[y * w + x] =
        make_float2(c.x + 0.16f * lu - uvv + feed * (1 - c.x), c.y + 0.08f * lv + uvv - (feed + kill) * c.y);
}

// Five bits per key.
__global__ void bloom_filter_insert(const int *key, int n, unsigned *filter, unsigned bits) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned h = mix(key[i]), step = mix(key[i] ^ 0x5bd1e995u) | 1;
    for (int k = 0; k < 5; k++, h += step) {
        unsigned bit = h % bits;
        atomicOr(&filter[bit / 32], 1u << bit % 32);
    }
}

// Many tridiagonal systems side by side, one per thread, element i of all systems adjacent.
__global__ void thomas_solver_interleaved(const float *a, const float *b, const float *c, float *d, float *cp, int n,
                                          int systems) {
    int s = blockIdx.x * blockDim.x + threadIdx.x;
    if (s >= systems) return;
    float p = c[s] / b[s], q = d[s] / b[s];
    cp[s] = p;
    d[s] = q;
    for (int i = 1; i < n; i++) {
        int at = i * systems + s;
        float m = 1 / (b[at] - a[at] * p);
        p = c[at] * m;
        q = (d[at] - a[at] * q) * m;
        cp[at] = p;
        d[at] = q;
    }
    for (int i = n - 2; i >= 0; i--) {
        int at = i * systems + s;
        q = d[at] - cp[at] * q;
        d[at] = q;
    }
}

// Tensor cores on signed bytes, both matrices stored tile by tile.
__global__ void wmma_int8_tiles(const signed char *a, const signed char *b, int *c, int m, int n, int k) {
    using namespace nvcuda;
    int tile = (blockIdx.x * blockDim.x + threadIdx.x) / 32, row = tile / (n / 16) * 16, col = tile % (n / 16) * 16;
    if (row >= m) return;
    wmma::fragment<wmma::matrix_a, 16, 16, 16, signed char, wmma::row_major> fa;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, signed char, wmma::col_major> fb;
    wmma::fragment<wmma::accumulator, 16, 16, 16, int> acc;
    wmma::fill_fragment(acc, 0);
    for (int t = 0; t < k; t += 16) {
        wmma::load_matrix_sync(fa, a + row * k + t * 16, 16);
        wmma::load_matrix_sync(fb, b + col * k + t * 16, 16);
        wmma::mma_sync(acc, fa, fb, acc);
    }
    wmma::store_matrix_sync(c + row * n + col, acc, n, wmma::mem_row_major);
}

// A recursive filter of second order: a long chain in time, parallel over channels.
__global__ void iir_biquad_per_channel(const float *in, float *out, int channels, int steps) {
    int c = blockIdx.x * blockDim.x + threadIdx.x;
    if (c >= channels) return;
    float x1 = 0, x2 = 0, y1 = 0, y2 = 0;
    for (int t = 0; t < steps; t++) {
        float x = in[t * channels + c], y = 0.2f * x + 0.4f * x1 + 0.2f * x2 + 0.4f * y1 - 0.2f * y2;
        x2 = x1, x1 = x, y2 = y1, y1 = y;
        out[t * channels + c] = y;
    }
}

// Crossing test against a polygon in constant memory.
__constant__ float2 polygon_corners[150];
__global__ void point_in_polygon_constant(const float2 *point, unsigned char *inside, int n, int corners) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float2 p = point[i];
    bool in = false;
    for (int k = 0, j = corners - 1; k < corners; j = k++) {
        float2 a = polygon_corners[k], b = polygon_corners[j];
        if ((a.y > p.y) != (b.y > p.y) && p.x < (b.x - a.x) * (p.y - a.y) / (b.y - a.y) + a.x) in = !in;
    }
    inside[i] = in;
}

// Wyllie's list ranking: each element jumps over its successor.
__global__ void list_ranking_pointer_jump(const int *next, const int *rank, int *next_out, int *rank_out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int s = next[i];
    rank_out[i] = rank[i] + (s == i ? 0 : rank[s]);
    next_out[i] = next[s];
}

// Corner measure from gradients kept in shared memory.
__global__ void harris_corner_response(const float *in, float *out, int w, int h) {
    __shared__ float gx[18][18], gy[18][18];
    int t = threadIdx.y * 16 + threadIdx.x, bx = blockIdx.x * 16, by = blockIdx.y * 16;
    for (int i = t; i < 18 * 18; i += 256) {
        int x = min(max(bx + i % 18 - 1, 1), w - 2), y = min(max(by + i / 18 - 1, 1), h - 2);
        const float *p = in + y * w + x;
        gx[i / 18][i % 18] = p[1 - w] + 2 * p[1] + p[1 + w] - p[-1 - w] - 2 * p[-1] - p[w - 1];
        gy[i / 18][i % 18] = p[w - 1] + 2 * p[w] + p[w + 1] - p[-w - 1] - 2 * p[-w] - p[1 - w];
    }
    __syncthreads();
    int x = bx + threadIdx.x, y = by + threadIdx.y;
    if (x >= w || y >= h) return;
    float xx = 0, yy = 0, xy = 0;
    for (int j = 0; j < 3; j++)
        for (int i = 0; i < 3; i++) {
            float a = gx[threadIdx.y + j][threadIdx.x + i], b = gy[threadIdx.y + j][threadIdx.x + i];
            xx += a * a, yy += b * b, xy += a * b;
        }
    out[y * w + x] = xx * yy - xy * xy - 0.05f * (xx + yy) * (xx + yy);
}

// Backward pass of an embedding: rows of the same word add up.
__global__ void embedding_gradient_atomics(const int *word, const float *grad, float *table, int dim) {
    for (int d = threadIdx.x; d < dim; d += blockDim.x)
        atomicAdd(&table[word[blockIdx.x] * dim + d], grad[(size_t)blockIdx.x * dim + d]);
}

// Fourier transform by its definition.
__global__ void dft_naive_sincos(const float *in, float2 *out, int n) {
    int k = blockIdx.x * blockDim.x + threadIdx.x;
    if (k >= n) return;
    float re = 0, im = 0;
    for (int i = 0; i < n; i++) {
        float s, c;
        sincosf(-6.2831853f * (k * i % n) / n, &s, &c);
        re += in[i] * c;
        im += in[i] * s;
    }
    out[k] = make_float2(re, im);
}

// Local alignment of short reads, one pair per thread, one row of scores.
__global__ void smith_waterman_pair_per_thread(const unsigned char *a, const unsigned char *b, int *score, int pairs) {
    int p = blockIdx.x * blockDim.x + threadIdx.x;
    if (p >= pairs) return;
    short row[29];
    for (int j = 0; j <= 28; j++) row[j] = 0;
    int best = 0;
    for (int i = 0; i < 28; i++) {
        int diagonal = 0, ca = a[p * 28 + i];
        for (int j = 1; j <= 28; j++) {
            int s = max(0, diagonal + (ca == b[p * 28 + j - 1] ? 3 : -2));
            s = max(s, max(row[j], row[j - 1]) - 2);
            diagonal = row[j];
            row[j] = (short)s;
            best = max(best, s);
        }
    }
    score[p] = best;
}

// Mean and variance in one pass, partial results merged by shuffles.
__global__ void reduce_variance_welford(const float *in, float3 *out, int n) {
    float count = 0, mean = 0, m2 = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        float x = in[i], d = x - mean;
        count += 1;
        mean += d / count;
        m2 += d * (x - mean);
    }
    for (int o = 16; o > 0; o /= 2) {
        float c = __shfl_down_sync(~0u, count, o), m = __shfl_down_sync(~0u, mean, o), q = __shfl_down_sync(~0u, m2, o);
        float sum = count + c, d = m - mean;
        if (sum > 0) {
            mean += d * c / sum;
            m2 += q + d * d * count * c / sum;
        }
        count = sum;
    }
    if (threadIdx.x % 32 == 0) out[(blockIdx.x * blockDim.x + threadIdx.x) / 32] = make_float3(count, mean, m2);
}

// Fermat's test with three bases; most numbers fail the first.
__global__ void fermat_prime_test(const int *offset, unsigned char *prime, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    u64 m = 2147483649ull + 2 * (u64)offset[i];
    bool ok = true;
    for (int base = 2; base <= 5 && ok; base += base == 2 ? 1 : 2) {
        u64 r = 1, b = base;
        for (u64 e = m - 1; e > 0; e >>= 1) {
            if (e & 1) r = r * b % m;
            b = b * b % m;
        }
        ok = r == 1;
    }
    prime[i] = ok;
}

// 64 x 64 tile per block, 8 x 4 results per thread.
__global__ void matmul_register_tile_8x4(const float *a, const float *b, float *c, int n, int k) {
    __shared__ float sa[8][64], sb[8][64];
    int t = threadIdx.x, tx = t % 16 * 4, ty = t / 16 * 8;
    const float *pa = a + (blockIdx.y * 64 + t / 2) * k + t % 2 * 4;
    const float *pb = b + t / 16 * n + blockIdx.x * 64 + tx;
    float acc[8][4] = {};
    for (int s = 0; s < k; s += 8) {
        float4 va = *(const float4 *)(pa + s);
        *(float4 *)&sb[t / 16][tx] = *(const float4 *)(pb + s * n);
        sa[t % 2 * 4][t / 2] = va.x;
        sa[t % 2 * 4 + 1][t / 2] = va.y;
        sa[t % 2 * 4 + 2][t / 2] = va.z;
        sa[t % 2 * 4 + 3][t / 2] = va.w;
        __syncthreads();
#pragma unroll
        for (int q = 0; q < 8; q++)
#pragma unroll
            for (int i = 0; i < 8; i++)
#pragma unroll
                for (int j = 0; j < 4; j++) acc[i][j] += sa[q][ty + i] * sb[q][tx + j];
        __syncthreads();
    }
    for (int i = 0; i < 8; i++)
        *(float4 *)(c + (blockIdx.y * 64 + ty + i) * n + blockIdx.x * 64 + tx) =
            make_float4(acc[i][0], acc[i][1], acc[i][2], acc[i][3]);
}

// Numbers of 12 bits stored as 12 planes of bits.
__global__ void bit_slices_by_ballot(const int *in, unsigned *out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32;
    int v = in[i];
    unsigned mine = 0;
    for (int b = 0; b < 12; b++) {
        unsigned plane = __ballot_sync(~0u, v >> b & 1);
        if (lane == b) mine = plane;
    }
    if (lane < 12) out[i / 32 * 12 + lane] = mine;
}

// Density of a fluid of particles from lists of neighbours.
__global__ void sph_density_neighbour_lists(const float4 *particle, const int *neighbour, float *density, int n, int k,
                                            float h) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float4 p = particle[i];
    float rho = 0;
    for (int e = 0; e < k; e++) {
        float4 q = particle[neighbour[e * n + i]];
        float dx = p.x - q.x, dy = p.y - q.y, dz = p.z - q.z, r = h * h - dx * dx - dy * dy - dz * dz;
        if (r > 0) rho += q.w * r * r * r;
    }
    density[i] = rho * 1.5666815f / powf(h, 9);
}

// Factors 48 x 48 matrices with row exchanges, one per block; thread 0 looks for the pivot.
__global__ void lu_pivot_48_shared(float *matrices, int *pivots) {
    __shared__ float a[48][49];
    __shared__ int best;
    float *mine = matrices + blockIdx.x * 48 * 48;
    int x = threadIdx.x, y = threadIdx.y;
    for (int r = y; r < 48; r += blockDim.y) a[r][x] = mine[r * 48 + x];
    __syncthreads();
    for (int k = 0; k < 48; k++) {
        if (x == 0 && y == 0) {
            best = k;
            for (int r = k + 1; r < 48; r++)
                if (fabsf(a[r][k]) > fabsf(a[best][k])) best = r;
            pivots[blockIdx.x * 48 + k] = best;
        }
        __syncthreads();
        if (y == 0 && best != k) {
            float t = a[k][x];
            a[k][x] = a[best][x];
            a[best][x] = t;
        }
        __syncthreads();
        if (y == 0 && x > k) a[x][k] /= a[k][k];
        __syncthreads();
        if (x > k)
            for (int r = k + 1 + y; r < 48; r += blockDim.y) a[r][x] -= a[r][k] * a[k][x];
        __syncthreads();
    }
    for (int r = y; r < 48; r += blockDim.y) mine[r * 48 + x] = a[r][x];
}

// Check sums of packets of 44 bytes with a table in global memory.
__global__ void crc32_table_per_chunk(const unsigned char *in, const unsigned *__restrict__ table, unsigned *crc,
                                      int packets) {
    int p = blockIdx.x * blockDim.x + threadIdx.x;
    if (p >= packets) return;
    unsigned c = ~0u;
    for (int i = 0; i < 44; i++) c = c >> 8 ^ table[(c ^ in[p * 44 + i]) & 255];
    crc[p] = ~c;
}

// Weights, gradients and momenta four at a time.
__global__ void sgd_momentum_float4(float4 *w, const float4 *g, float4 *m, int n, float rate, float keep) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float4 a = w[i], b = g[i], c = m[i];
    c = make_float4(keep * c.x + b.x, keep * c.y + b.y, keep * c.z + b.z, keep * c.w + b.w);
    m[i] = c;
    w[i] = make_float4(a.x - rate * c.x, a.y - rate * c.y, a.z - rate * c.z, a.w - rate * c.w);
}

// Parallel cyclic reduction, a system of blockDim.x unknowns per block.
__global__ void tridiagonal_pcr_shared(const float *a, const float *b, const float *c, const float *d, float *x) {
    __shared__ float sa[224], sb[224], sc[224], sd[224];
    int t = threadIdx.x, n = blockDim.x, i = blockIdx.x * n + t;
    sa[t] = t == 0 ? 0 : a[i];
    sb[t] = b[i];
    sc[t] = t == n - 1 ? 0 : c[i];
    sd[t] = d[i];
    __syncthreads();
    for (int s = 1; s < n; s *= 2) {
        float na = 0, nb = sb[t], nc = 0, nd = sd[t];
        if (t >= s) {
            float k = sa[t] / sb[t - s];
            na = -k * sa[t - s];
            nb -= k * sc[t - s];
            nd -= k * sd[t - s];
        }
        if (t + s < n) {
            float k = sc[t] / sb[t + s];
            nc = -k * sc[t + s];
            nb -= k * sa[t + s];
            nd -= k * sd[t + s];
        }
        __syncthreads();
        sa[t] = na, sb[t] = nb, sc[t] = nc, sd[t] = nd;
        __syncthreads();
    }
    x[i] = sd[t] / sb[t];
}

// Tensor cores in double precision.
__global__ void wmma_double_8x8x4(const double *a, const double *b, double *c, int m, int n, int k) {
    using namespace nvcuda;
    int tile = (blockIdx.x * blockDim.x + threadIdx.x) / 32, row = tile / (n / 8) * 8, col = tile % (n / 8) * 8;
    if (row >= m) return;
    wmma::fragment<wmma::matrix_a, 8, 8, 4, double, wmma::row_major> fa;
    wmma::fragment<wmma::matrix_b, 8, 8, 4, double, wmma::row_major> fb;
    wmma::fragment<wmma::accumulator, 8, 8, 4, double> acc;
    wmma::fill_fragment(acc, 0.0);
    for (int t = 0; t < k; t += 4) {
        wmma::load_matrix_sync(fa, a + row * k + t, k);
        wmma::load_matrix_sync(fb, b + t * n + col, n);
        wmma::mma_sync(acc, fa, fb, acc);
    }
    wmma::store_matrix_sync(c + row * n + col, acc, n, wmma::mem_row_major);
}

// Keeps what is above a limit; the threads that are there share one atomic.
__global__ void coalesced_group_filter(const float *in, float *out, int *count, int n, float limit) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        float v = in[i];
        if (v <= limit) continue;
        cg::coalesced_group g = cg::coalesced_threads();
        int at = 0;
        if (g.thread_rank() == 0) at = atomicAdd(count, (int)g.size());
        out[g.shfl(at, 0) + g.thread_rank()] = v;
    }
}

// Video frames: colour at half the resolution.
__global__ void yuv420_to_rgb(const unsigned char *luma, const unsigned char *u, const unsigned char *v,
                              unsigned char *rgb, int w, int h) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w || y >= h) return;
    int c = 298 * (luma[y * w + x] - 16), d = u[y / 2 * (w / 2) + x / 2] - 128, e = v[y / 2 * (w / 2) + x / 2] - 128;
    unsigned char *o = rgb + 3 * (y * w + x);
    o[0] = (unsigned char)min(max((c + 409 * e + 128) >> 8, 0), 255);
    o[1] = (unsigned char)min(max((c - 100 * d - 208 * e + 128) >> 8, 0), 255);
    o[2] = (unsigned char)min(max((c + 516 * d + 128) >> 8, 0), 255);
}

// One new word looks back at all words before it: a block per head, 128 threads, 64 numbers per key.
__global__ void attention_single_query(const float *q, const float *keys, const float *values, float *out, int n) {
    __shared__ float score[768], part[128], query[64];
    int t = threadIdx.x;
    const float *k = keys + (size_t)blockIdx.x * n * 64, *v = values + (size_t)blockIdx.x * n * 64;
    if (t < 64) query[t] = q[blockIdx.x * 64 + t];
    __syncthreads();
    float top = -1e30f, sum = 0;
    for (int i = t; i < n; i += 128) {
        float s = 0;
        for (int d = 0; d < 64; d++) s += query[d] * k[i * 64 + d];
        score[i] = s * 0.125f;
        top = fmaxf(top, score[i]);
    }
    part[t] = top;
    __syncthreads();
    for (int i = 0; i < 128; i++) top = fmaxf(top, part[i]);
    for (int i = t; i < n; i += 128) score[i] = __expf(score[i] - top);
    __syncthreads();
    float o = 0;
    for (int i = t / 64; i < n; i += 2) {
        o += score[i] * v[i * 64 + t % 64];
        sum += score[i];
    }
    part[t] = o;
    if (t % 64 == 0) score[766 + t / 64] = sum;
    __syncthreads();
    if (t < 64) out[blockIdx.x * 64 + t] = (part[t] + part[t + 64]) / (score[766] + score[767]);
}

// Down a search tree stored level by level.
__global__ void binary_tree_lookup_implicit(const int *tree, int levels, const int *key, int *leaf, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int at = 0, k = key[i];
    for (int l = 0; l < levels; l++) at = 2 * at + 1 + (k > tree[at]);
    leaf[i] = at;
}

// Average price along a path, all in double precision.
__global__ void asian_option_double(double *payoff, int paths, int steps, double strike) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= paths) return;
    u64 state = 0x853c49e6748fea9bull + 2 * (u64)i;
    double s = 100, sum = 0;
    for (int t = 0; t < steps; t++) {
        state = state * 6364136223846793005ull + 1442695040888963407ull;
        double u = ((unsigned)(state >> 33) + 1) / 2147483649.0, v = (unsigned)state / 4294967296.0;
        s *= exp(0.001 + 0.05 * sqrt(-2 * log(u)) * cospi(2 * v));
        sum += s;
    }
    payoff[i] = fmax(sum / steps - strike, 0.0);
}

// Edge pixels vote for lines, an atomic for each of 90 angles.
__constant__ float2 line_directions[90];
__global__ void hough_lines_votes(const unsigned char *edge, int *votes, int w, int h) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w || y >= h || edge[y * w + x] > 20) return;
    for (int a = 0; a < 90; a++) {
        int r = __float2int_rd(x * line_directions[a].x + y * line_directions[a].y) + w;
        atomicAdd(&votes[a * 2 * (w + h) + r], 1);
    }
}

// An automaton of one dimension, 64 cells in a word, a ring of words per block.
__global__ void rule_110_packed_words(u64 *cells, int steps) {
    __shared__ u64 world[160];
    int t = threadIdx.x, n = blockDim.x;
    u64 c = cells[blockIdx.x * n + t];
    for (int s = 0; s < steps; s++) {
        world[t] = c;
        __syncthreads();
        u64 l = c << 1 | world[(t + n - 1) % n] >> 63, r = c >> 1 | world[(t + 1) % n] << 63;
        c = (c | r) ^ (l & c & r);
        __syncthreads();
    }
    cells[blockIdx.x * n + t] = c;
}

// Applies a reflection to a matrix stored by columns, a warp per column.
__global__ void householder_apply_columns(float *a, const float *v, int rows, int cols, float beta) {
    extern __shared__ float sv[];
    for (int i = threadIdx.x; i < rows; i += blockDim.x) sv[i] = v[i];
    __syncthreads();
    int col = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    if (col >= cols) return;
    float *x = a + col * rows, s = 0;
    for (int i = lane; i < rows; i += 32) s += sv[i] * x[i];
    for (int o = 16; o > 0; o /= 2) s += __shfl_xor_sync(~0u, s, o);
    for (int i = lane; i < rows; i += 32) x[i] -= beta * s * sv[i];
}

// Serial code moved to the device as it is.
__global__ void running_sum_by_one_thread(float *v, int n) {
    for (int i = 1; i < n; i++) v[i] += v[i - 1];
}

// Each thread finds where its seven results start in both lists, then merges.
__global__ void merge_path_two_arrays(const int *a, int na, const int *b, int nb, int *out) {
    int d = (blockIdx.x * blockDim.x + threadIdx.x) * 7;
    if (d >= na + nb) return;
    int lo = max(0, d - nb), hi = min(d, na);
    while (lo < hi) {
        int mid = (lo + hi) / 2;
        if (a[mid] <= b[d - 1 - mid]) lo = mid + 1;
        else hi = mid;
    }
    for (int i = lo, j = d - lo, o = d; o < min(d + 7, na + nb); o++)
        out[o] = j >= nb || (i < na && a[i] <= b[j]) ? a[i++] : b[j++];
}

// Transforms of 256 points in four passes of radix 4, two per block.
__global__ void fft_radix4_256_shared(float2 *data) {
    __shared__ float2 buffer[2][256];
    int j = threadIdx.x;
    float2 *s = buffer[threadIdx.y], *mine = data + (blockIdx.x * 2 + threadIdx.y) * 256;
    for (int r = 0; r < 4; r++) s[j + r * 64] = mine[j + r * 64];
    __syncthreads();
    for (int m = 1; m < 256; m *= 4) {
        float2 v[4];
        float angle = -6.2831853f * (j % m) / (4 * m);
        for (int r = 0; r < 4; r++) {
            float2 x = s[j + r * 64];
            float c = __cosf(r * angle), q = __sinf(r * angle);
            v[r] = make_float2(x.x * c - x.y * q, x.x * q + x.y * c);
        }
        __syncthreads();
        float2 p = make_float2(v[0].x + v[2].x, v[0].y + v[2].y), d = make_float2(v[0].x - v[2].x, v[0].y - v[2].y);
        float2 u = make_float2(v[1].x + v[3].x, v[1].y + v[3].y), e = make_float2(v[1].y - v[3].y, v[3].x - v[1].x);
        int at = j / m * m * 4 + j % m;
        s[at] = make_float2(p.x + u.x, p.y + u.y);
        s[at + m] = make_float2(d.x + e.x, d.y + e.y);
        s[at + 2 * m] = make_float2(p.x - u.x, p.y - u.y);
        s[at + 3 * m] = make_float2(d.x - e.x, d.y - e.y);
        __syncthreads();
    }
    for (int r = 0; r < 4; r++) mine[j + r * 64] = s[j + r * 64];
}

// Positions and speeds of atoms in a periodic box.
__global__ void velocity_verlet_double(double *x, double *v, const double *f, double *moved, int n, double dt,
                                       double box) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        double s = v[i] + 0.5 * dt * f[i], p = x[i] + dt * s;
        v[i] = s;
        moved[i] += dt * s;
        x[i] = p - box * floor(p / box);
    }
}

// Lanes with the same key add once.
__global__ void match_any_histogram(const int *key, int *bins) {
    int k = key[blockIdx.x * blockDim.x + threadIdx.x];
    unsigned same = __match_any_sync(~0u, k);
    if (__ffs(same) - 1 == (int)(threadIdx.x % 32)) atomicAdd(&bins[k], __popc(same));
}

// 13 points, two in each direction, straight from global memory.
__global__ void stencil_3d_fourth_order(const float *in, float *out, int nx, int ny, int nz) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y, z = blockIdx.z;
    if (x < 2 || y < 2 || z < 2 || x >= nx - 2 || y >= ny - 2 || z >= nz - 2) return;
    int p = nx * ny, i = z * p + y * nx + x;
    float one = in[i - 1] + in[i + 1] + in[i - nx] + in[i + nx] + in[i - p] + in[i + p];
    float two = in[i - 2] + in[i + 2] + in[i - 2 * nx] + in[i + 2 * nx] + in[i - 2 * p] + in[i + 2 * p];
    out[i] = (16 * one - two - 90 * in[i]) * (1.0f / 12);
}

// A state machine over lines of text, the table in shared bytes.
__global__ void dfa_match_table_shared(const unsigned char *text, const unsigned char *table, int *hits, int lines,
                                       int length) {
    __shared__ unsigned char next[16 * 128];
    for (int i = threadIdx.x; i < 16 * 128; i += blockDim.x) next[i] = table[i];
    __syncthreads();
    int line = blockIdx.x * blockDim.x + threadIdx.x;
    if (line >= lines) return;
    int state = 0, found = 0;
    for (int i = 0; i < length; i++) {
        state = next[state * 128 + text[line * length + i]];
        found += state == 15;
    }
    hits[line] = found;
}

// Means of overlapping windows, rows without end at the right and lower edge.
__global__ void average_pool_3x3_stride_2(const float *in, float *out, int planes, int h, int w) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, oh = h / 2, ow = w / 2;
    if (i >= planes * oh * ow) return;
    int x = i % ow * 2, y = i / ow % oh * 2, count = 0;
    const float *p = in + i / (ow * oh) * h * w;
    float s = 0;
    for (int yy = y; yy < min(y + 3, h); yy++)
        for (int xx = x; xx < min(x + 3, w); xx++, count++) s += p[yy * w + xx];
    out[i] = s / count;
}

__device__ void quarter_round(unsigned &a, unsigned &b, unsigned &c, unsigned &d) {
    a += b, d = __funnelshift_l(d ^ a, d ^ a, 16);
    c += d, b = __funnelshift_l(b ^ c, b ^ c, 12);
    a += b, d = __funnelshift_l(d ^ a, d ^ a, 8);
    c += d, b = __funnelshift_l(b ^ c, b ^ c, 7);
}

// Stream cipher: 64 bytes per thread.
__global__ void chacha20_blocks(const int *key, uint4 *data, int blocks) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= blocks) return;
    unsigned x[16] = {0x61707865u, 0x3320646eu, 0x79622d32u, 0x6b206574u}, y[16];
    for (int k = 0; k < 8; k++) x[4 + k] = key[k];
    x[12] = i, x[13] = 1, x[14] = 2, x[15] = 3;
    for (int k = 0; k < 16; k++) y[k] = x[k];
    for (int r = 0; r < 10; r++) {
        for (int k = 0; k < 4; k++) quarter_round(y[k], y[4 + k], y[8 + k], y[12 + k]);
        for (int k = 0; k < 4; k++) quarter_round(y[k], y[4 + (k + 1) % 4], y[8 + (k + 2) % 4], y[12 + (k + 3) % 4]);
    }
    for (int k = 0; k < 4; k++) {
        uint4 v = data[i * 4 + k];
        data[i * 4 + k] = make_uint4(v.x ^ (y[4 * k] + x[4 * k]), v.y ^ (y[4 * k + 1] + x[4 * k + 1]),
                                     v.z ^ (y[4 * k + 2] + x[4 * k + 2]), v.w ^ (y[4 * k + 3] + x[4 * k + 3]));
    }
}

// No padding: columns are exchanged within each row of the tile instead.
__global__ void transpose_xor_swizzle(const float *in, float *out, int w, int h) {
    __shared__ float tile[32][32];
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
    for (int j = 0; j < 32; j += 4)
        if (x < w && y + j < h) tile[threadIdx.y + j][threadIdx.x ^ (threadIdx.y + j)] = in[(y + j) * w + x];
    __syncthreads();
    x = blockIdx.y * 32 + threadIdx.x, y = blockIdx.x * 32 + threadIdx.y;
    for (int j = 0; j < 32; j += 4)
        if (x < h && y + j < w) out[(y + j) * h + x] = tile[threadIdx.x][threadIdx.x ^ (threadIdx.y + j)];
}

// Lengths of tours; lanes read different places in constant memory.
__constant__ float2 city_places[64];
__global__ void tsp_tour_lengths(const unsigned char *tour, float *length, int tours, int cities) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= tours) return;
    float2 last = city_places[tour[(cities - 1) * tours + i]];
    float s = 0;
    for (int c = 0; c < cities; c++) {
        float2 p = city_places[tour[c * tours + i]];
        s += hypotf(p.x - last.x, p.y - last.y);
        last = p;
    }
    length[i] = s;
}

// q = A p for a grid of five points, and p . q with one atomic per warp.
__global__ void cg_laplacian_and_dot(const double *p, double *q, double *dot, int w, int h) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    double s = 0;
    if (x < w && y < h) {
        int i = y * w + x;
        double v = 4 * p[i];
        if (x > 0) v -= p[i - 1];
        if (x < w - 1) v -= p[i + 1];
        if (y > 0) v -= p[i - w];
        if (y < h - 1) v -= p[i + w];
        q[i] = v;
        s = v * p[i];
    }
    for (int o = 16; o > 0; o /= 2) s += __shfl_down_sync(~0u, s, o);
    if (threadIdx.x % 32 == 0) atomicAdd(dot, s);
}

// Queens on a board of 11 x 11; the first three rows are given by the number of the thread.
__global__ void n_queens_bitmasks(int *solutions) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t >= 11 * 11 * 11) return;
    unsigned cols = 0, left = 0, right = 0, all = (1 << 11) - 1;
    for (int r = 0; r < 3; r++, t /= 11) {
        unsigned q = 1u << t % 11;
        if (q & (cols | left | right)) return;
        cols |= q, left = (left | q) << 1, right = (right | q) >> 1;
    }
    unsigned c[9], l[9], r[9], open[9];
    int depth = 0, count = 0;
    c[0] = cols, l[0] = left, r[0] = right, open[0] = all & ~(cols | left | right);
    while (depth >= 0) {
        if (open[depth] == 0) {
            depth--;
            continue;
        }
        unsigned q = open[depth] & -open[depth];
        open[depth] ^= q;
        if (depth == 7) {
            count++;
            continue;
        }
        c[depth + 1] = c[depth] | q;
        l[depth + 1] = (l[depth] | q) << 1;
        r[depth + 1] = (r[depth] | q) >> 1;
        depth++;
        open[depth] = all & ~(c[depth] | l[depth] | r[depth]);
    }
    atomicAdd(solutions, count);
}

// Running sums of rows, eight lanes per row.
__global__ void tile_of_eight_scan_rows(const float *in, float *out, int rows, int cols) {
    auto tile = cg::tiled_partition<8>(cg::this_thread_block());
    int row = (blockIdx.x * blockDim.x + threadIdx.x) / 8, lane = tile.thread_rank();
    if (row >= rows) return;
    float carry = 0;
    for (int i = lane; i < cols; i += 8) {
        float v = in[row * cols + i];
        for (int o = 1; o < 8; o *= 2) {
            float u = tile.shfl_up(v, o);
            if (lane >= o) v += u;
        }
        out[row * cols + i] = v += carry;
        carry = tile.shfl(v, 7);
    }
}

// Moller and Trumbore, triangles in batches through shared memory.
__global__ void ray_triangle_nearest(const float *tri, int tris, const float *dir, float *depth, int *hit, int n) {
    __shared__ float t[96 * 9];
    int i = blockIdx.x * blockDim.x + threadIdx.x, r = min(i, n - 1), best = -1;
    float dx = dir[3 * r], dy = dir[3 * r + 1], dz = dir[3 * r + 2] + 2, near = 1e9f;
    for (int first = 0; first < tris; first += 96) {
        int here = min(96, tris - first);
        for (int k = threadIdx.x; k < here * 9; k += blockDim.x) t[k] = tri[first * 9 + k];
        __syncthreads();
        for (int k = 0; k < here; k++) {
            const float *q = t + k * 9;
            float ax = q[3] - q[0], ay = q[4] - q[1], az = q[5] - q[2], bx = q[6] - q[0], by = q[7] - q[1],
                  bz = q[8] - q[2];
            float px = dy * bz - dz * by, py = dz * bx - dx * bz, pz = dx * by - dy * bx,
                  det = ax * px + ay * py + az * pz;
            if (fabsf(det) < 1e-7f) continue;
            float inv = 1 / det, u = -(q[0] * px + q[1] * py + q[2] * pz) * inv;
            if (u < 0 || u > 1) continue;
            float sx = q[2] * ay - q[1] * az, sy = q[0] * az - q[2] * ax, sz = q[1] * ax - q[0] * ay;
            float v = (dx * sx + dy * sy + dz * sz) * inv, d = (bx * sx + by * sy + bz * sz) * inv;
            if (v >= 0 && u + v <= 1 && d > 0 && d < near) near = d, best = first + k;
        }
        __syncthreads();
    }
    if (i < n) depth[i] = near, hit[i] = best;
}

// One stage of a number theoretic transform modulo a prime.
__global__ void ntt_butterfly_stage(unsigned *v, const unsigned *root, int n, int half) {
    const unsigned p = 998244353u;
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t >= n / 2) return;
    int i = t / half * 2 * half + t % half;
    unsigned a = v[i], b = (unsigned)((u64)v[i + half] * root[t % half] % p);
    v[i] = a + b >= p ? a + b - p : a + b;
    v[i + half] = a >= b ? a - b : a + p - b;
}

// Smoke follows the wind backwards.
__global__ void semi_lagrangian_advection(const float *smoke, const float *u, const float *v, float *out, int w, int h,
                                          float dt) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w || y >= h) return;
    float px = fminf(fmaxf(x - dt * u[y * w + x], 0), w - 1.001f),
          py = fminf(fmaxf(y - dt * v[y * w + x], 0), h - 1.001f);
    int ix = min((int)px, w - 2), iy = min((int)py, h - 2);
    float fx = px - ix, fy = py - iy;
    const float *s = smoke + iy * w + ix;
    out[y * w + x] = (1 - fy) * ((1 - fx) * s[0] + fx * s[1]) + fy * ((1 - fx) * s[w] + fx * s[w + 1]);
}

// Nearest of some codes of 256 bits.
__global__ void hamming_nearest_code(const ulonglong2 *query, const ulonglong2 *code, int *nearest, int n, int codes) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    ulonglong2 a = query[2 * i], b = query[2 * i + 1];
    int best = 999, at = 0;
    for (int c = 0; c < codes; c++) {
        ulonglong2 p = code[2 * c], q = code[2 * c + 1];
        int d = __popcll(a.x ^ p.x) + __popcll(a.y ^ p.y) + __popcll(b.x ^ q.x) + __popcll(b.y ^ q.y);
        if (d < best) best = d, at = c;
    }
    nearest[i] = at;
}

// bfloat16 in memory, float in the tile.
__global__ void matmul_bf16_tile(const __nv_bfloat16 *a, const __nv_bfloat16 *b, __nv_bfloat16 *c, int m, int n,
                                 int k) {
    __shared__ float sa[16][17], sb[16][17];
    int x = threadIdx.x, y = threadIdx.y, col = blockIdx.x * 16 + x, row = blockIdx.y * 16 + y;
    float s = 0;
    for (int t = 0; t < k; t += 16) {
        sa[y][x] = row < m && t + x < k ? __bfloat162float(a[row * k + t + x]) : 0;
        sb[y][x] = col < n && t + y < k ? __bfloat162float(b[(t + y) * n + col]) : 0;
        __syncthreads();
#pragma unroll
        for (int i = 0; i < 16; i++) s += sa[y][i] * sb[i][x];
        __syncthreads();
    }
    if (row < m && col < n) c[row * n + col] = __float2bfloat16(s);
}

// Largest of 32 neighbours in five doublings; 288 threads give 256 results.
__global__ void sliding_maximum_doubling(const float *in, float *out, int n) {
    __shared__ float v[288];
    int t = threadIdx.x, i = blockIdx.x * 256 + t;
    float m = i < n ? in[i] : -1e30f;
    for (int s = 1; s < 32; s *= 2) {
        v[t] = m;
        __syncthreads();
        if (t + s < 288) m = fmaxf(m, v[t + s]);
        __syncthreads();
    }
    if (t < 256 && i < n) out[i] = m;
}

// A block for each pair of features.
__global__ void pearson_correlation_pairs(const float *feature, float *r, int samples) {
    __shared__ float part[5][4];
    const float *x = feature + blockIdx.x * samples, *y = feature + blockIdx.y * samples;
    float s[5] = {};
    for (int i = threadIdx.x; i < samples; i += blockDim.x) {
        float a = x[i], b = y[i];
        s[0] += a, s[1] += b, s[2] += a * a, s[3] += b * b, s[4] += a * b;
    }
    for (int k = 0; k < 5; k++) {
        for (int o = 16; o > 0; o /= 2) s[k] += __shfl_down_sync(~0u, s[k], o);
        if (threadIdx.x % 32 == 0) part[k][threadIdx.x / 32] = s[k];
    }
    __syncthreads();
    if (threadIdx.x > 0) return;
    for (int k = 0; k < 5; k++) s[k] = (part[k][0] + part[k][1] + part[k][2] + part[k][3]) / samples;
    r[blockIdx.y * gridDim.x + blockIdx.x] = (s[4] - s[0] * s[1]) * rsqrtf((s[2] - s[0] * s[0]) * (s[3] - s[1] * s[1]));
}

// A table of 256 bytes per thread in local memory.
__global__ void rc4_keystream_local(const unsigned char *key, unsigned char *out, int threads) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t >= threads) return;
    unsigned char s[256];
    for (int i = 0; i < 256; i++) s[i] = (unsigned char)i;
    for (int i = 0, j = 0; i < 256; i++) {
        unsigned char v = s[i];
        j = (j + v + key[t * 8 + i % 8]) & 255;
        s[i] = s[j];
        s[j] = v;
    }
    for (int i = 1, j = 0; i <= 48; i++) {
        unsigned char v = s[i];
        j = (j + v) & 255;
        unsigned char u = s[j];
        s[i] = u;
        s[j] = v;
        out[(i - 1) * threads + t] = s[(u + v) & 255];
    }
}

// Tensor cores on floats cut to 19 bits; two tiles side by side per warp.
__global__ void wmma_tf32_two_tiles(const float *a, const float *b, float *c, int m, int n, int k) {
    using namespace nvcuda;
    int job = (blockIdx.x * blockDim.x + threadIdx.x) / 32, row = job / (n / 32) * 16, col = job % (n / 32) * 32;
    if (row >= m) return;
    wmma::fragment<wmma::matrix_a, 16, 16, 8, wmma::precision::tf32, wmma::row_major> fa;
    wmma::fragment<wmma::matrix_b, 16, 16, 8, wmma::precision::tf32, wmma::row_major> fb;
    wmma::fragment<wmma::accumulator, 16, 16, 8, float> acc[2];
    for (int j = 0; j < 2; j++) wmma::fill_fragment(acc[j], 0.0f);
    for (int t = 0; t < k; t += 8) {
        wmma::load_matrix_sync(fa, a + row * k + t, k);
        for (int i = 0; i < fa.num_elements; i++) fa.x[i] = wmma::__float_to_tf32(fa.x[i]);
        for (int j = 0; j < 2; j++) {
            wmma::load_matrix_sync(fb, b + t * n + col + j * 16, n);
            for (int i = 0; i < fb.num_elements; i++) fb.x[i] = wmma::__float_to_tf32(fb.x[i]);
            wmma::mma_sync(acc[j], fa, fb, acc[j]);
        }
    }
    for (int j = 0; j < 2; j++) wmma::store_matrix_sync(c + row * n + col + j * 16, acc[j], n, wmma::mem_row_major);
}

// A key is in its place in the first table, in its place in the second, or nowhere.
__global__ void cuckoo_lookup_two_tables(const int *first, const int *second, const int *key, unsigned char *found,
                                         int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int k = key[i], other = k ^ 0x5a5a5;
    found[i] = first[k / 4] == k || second[other / 4] == other;
}

__device__ float corner_slope(int hash, float x, float y) { return (hash & 1 ? x : -x) + (hash & 2 ? y : -y); }

// Noise of several octaves, the permutation in shared bytes.
__global__ void perlin_noise_octaves(const unsigned char *shuffled, float *out, int w, int h, int octaves) {
    __shared__ unsigned char p[512];
    int t = threadIdx.y * blockDim.x + threadIdx.x;
    for (int i = t; i < 512; i += blockDim.x * blockDim.y) p[i] = shuffled[i % 256];
    __syncthreads();
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w || y >= h) return;
    float s = 0, size = 1, step = 0.013f;
    for (int o = 0; o < octaves; o++, size *= 0.5f, step *= 2) {
        float fx = x * step, fy = y * step;
        int ix = (int)floorf(fx), iy = (int)floorf(fy), a = p[ix & 255] + (iy & 255),
            b = p[(ix + 1) & 255] + (iy & 255);
        fx -= ix, fy -= iy;
        float u = fx * fx * fx * (fx * (fx * 6 - 15) + 10), v = fy * fy * fy * (fy * (fy * 6 - 15) + 10);
        float top = corner_slope(p[a], fx, fy) * (1 - u) + corner_slope(p[b], fx - 1, fy) * u;
        float low = corner_slope(p[a + 1], fx, fy - 1) * (1 - u) + corner_slope(p[b + 1], fx - 1, fy - 1) * u;
        s += size * (top * (1 - v) + low * v);
    }
    out[y * w + x] = s;
}

// Forward substitution, a thread per unknown, columns of a row-major matrix.
__global__ void triangular_solve_one_block(const float *l, float *b, int n) {
    __shared__ float x;
    int i = threadIdx.x;
    float mine = i < n ? b[i] : 0;
    for (int k = 0; k < n; k++) {
        if (i == k) x = mine / l[k * n + k];
        __syncthreads();
        if (i == k) mine = x;
        if (i > k && i < n) mine -= l[i * n + k] * x;
        __syncthreads();
    }
    if (i < n) b[i] = mine;
}

// Where was this block of 16 x 16 in the last frame? A thread for each of 7 x 7 answers.
__global__ void block_matching_sad(const unsigned char *now, const unsigned char *before, int *motion, int w, int h) {
    __shared__ unsigned char a[16][16], b[22][22];
    __shared__ unsigned best;
    int t = threadIdx.x, x0 = blockIdx.x * 16, y0 = blockIdx.y * 16;
    if (t == 0) best = ~0u;
    for (int i = t; i < 256; i += 49) a[i / 16][i % 16] = now[(y0 + i / 16) * w + x0 + i % 16];
    for (int i = t; i < 22 * 22; i += 49)
        b[i / 22][i % 22] = before[min(max(y0 + i / 22 - 3, 0), h - 1) * w + min(max(x0 + i % 22 - 3, 0), w - 1)];
    __syncthreads();
    unsigned s = 0;
    for (int j = 0; j < 16; j++)
        for (int i = 0; i < 16; i++) s = __sad(a[j][i], b[j + t / 7][i + t % 7], s);
    atomicMin(&best, s << 6 | t);
    __syncthreads();
    if (t == 0) motion[blockIdx.y * gridDim.x + blockIdx.x] = best & 63;
}

// A single row, a single block.
__global__ void one_block_softmax(const float *in, float *out, int n) {
    __shared__ float part[32];
    int t = threadIdx.x;
    float top = -1e30f, s = 0;
    for (int i = t; i < n; i += 1024) top = fmaxf(top, in[i]);
    for (int o = 16; o > 0; o /= 2) top = fmaxf(top, __shfl_xor_sync(~0u, top, o));
    if (t % 32 == 0) part[t / 32] = top;
    __syncthreads();
    for (int i = 0; i < 32; i++) top = fmaxf(top, part[i]);
    __syncthreads();
    for (int i = t; i < n; i += 1024) s += expf(in[i] - top);
    for (int o = 16; o > 0; o /= 2) s += __shfl_xor_sync(~0u, s, o);
    if (t % 32 == 0) part[t / 32] = s;
    __syncthreads();
    s = 0;
    for (int i = 0; i < 32; i++) s += part[i];
    for (int i = t; i < n; i += 1024) out[i] = expf(in[i] - top) / s;
}

// A chain of 64 spins per thread, cooled slowly.
__constant__ float chain_couplings[64];
__global__ void simulated_annealing_chains(u64 *spins, float *energy, int chains, int steps) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t >= chains) return;
    u64 s = spins[t];
    unsigned r = mix(t) | 1;
    float e = 0, heat = 2;
    for (int i = 0; i < steps; i++, heat *= 0.985f) {
        r ^= r << 13, r ^= r >> 17, r ^= r << 5;
        int k = r >> 26, left = (k + 63) & 63, right = (k + 1) & 63;
        float me = s >> k & 1 ? 1 : -1;
        float field = chain_couplings[left] * (s >> left & 1 ? 1 : -1) + chain_couplings[k] * (s >> right & 1 ? 1 : -1);
        float change = 2 * me * field;
        if (change < 0 || (r & 0xffffff) * (1.0f / 16777216.0f) < __expf(-change / heat)) {
            s ^= 1ull << k;
            e += change;
        }
    }
    spins[t] = s;
    energy[t] = e;
}

// Inverses of many small matrices, nine doubles in a row per thread.
__global__ void batched_inverse_3x3_double(const double *in, double *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    double m[9];
    for (int k = 0; k < 9; k++) m[k] = in[i * 9 + k] + (k % 4 == 0 ? 2 : 0);
    double c0 = m[4] * m[8] - m[5] * m[7], c1 = m[5] * m[6] - m[3] * m[8], c2 = m[3] * m[7] - m[4] * m[6];
    double f = 1 / (m[0] * c0 + m[1] * c1 + m[2] * c2);
    double *o = out + i * 9;
    o[0] = c0 * f, o[1] = (m[2] * m[7] - m[1] * m[8]) * f, o[2] = (m[1] * m[5] - m[2] * m[4]) * f;
    o[3] = c1 * f, o[4] = (m[0] * m[8] - m[2] * m[6]) * f, o[5] = (m[2] * m[3] - m[0] * m[5]) * f;
    o[6] = c2 * f, o[7] = (m[1] * m[6] - m[0] * m[7]) * f, o[8] = (m[0] * m[4] - m[1] * m[3]) * f;
}

__device__ u64 spread_bits(u64 v) {
    v = (v | v << 32) & 0x1f00000000ffffull;
    v = (v | v << 16) & 0x1f0000ff0000ffull;
    v = (v | v << 8) & 0x100f00f00f00f00full;
    v = (v | v << 4) & 0x10c30c30c30c30c3ull;
    return (v | v << 2) & 0x1249249249249249ull;
}

// Order along a curve through space.
__global__ void morton_encode_3d(const float *x, const float *y, const float *z, u64 *code, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const float f = 2097151;
    code[i] = spread_bits((u64)(x[i] * f)) | spread_bits((u64)(y[i] * f)) << 1 | spread_bits((u64)(z[i] * f)) << 2;
}

// Likeliest states of a hidden Markov model: a sequence per block, a thread per state.
__global__ void viterbi_states_in_shared(const float *move, const float *emit, const unsigned char *seen,
                                         unsigned char *back, float *last, int states, int length) {
    __shared__ float m[40 * 40], p[2][40];
    int s = threadIdx.x;
    for (int i = s; i < states * states; i += blockDim.x) m[i] = move[i];
    p[0][s] = 0;
    __syncthreads();
    for (int t = 0; t < length; t++) {
        float best = -1e30f;
        int from = 0;
        for (int q = 0; q < states; q++) {
            float v = p[t & 1][q] + m[q * states + s];
            if (v > best) best = v, from = q;
        }
        p[~t & 1][s] = best + emit[seen[blockIdx.x * length + t] * states + s];
        back[(blockIdx.x * length + t) * states + s] = (unsigned char)from;
        __syncthreads();
    }
    last[blockIdx.x * states + s] = p[length & 1][s];
}

// After the matrix products: the four gates of a cell.
__global__ void lstm_cell_gates(const float *gates, float *c, float *h, int batch, int hidden) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= batch * hidden) return;
    const float *g = gates + i / hidden * 4 * hidden + i % hidden;
    float in = 1 / (1 + expf(-g[0])), forget = 1 / (1 + expf(-g[hidden])), out = 1 / (1 + expf(-g[3 * hidden]));
    float cell = forget * c[i] + in * tanhf(g[2 * hidden]);
    c[i] = cell;
    h[i] = out * tanhf(cell);
}

// Birds look at all other birds, but only those in sight count.
__global__ void boids_flocking_tiles(const float4 *bird, float4 *next, int n, float sight) {
    __shared__ float4 tile[96];
    int i = blockIdx.x * 96 + threadIdx.x, seen = 0;
    float4 me = bird[min(i, n - 1)];
    float cx = 0, cy = 0, vx = 0, vy = 0, ax = 0, ay = 0;
    for (int first = 0; first < n; first += 96) {
        if (first + (int)threadIdx.x < n) tile[threadIdx.x] = bird[first + threadIdx.x];
        __syncthreads();
        for (int k = 0; k < min(96, n - first); k++) {
            float4 o = tile[k];
            float dx = o.x - me.x, dy = o.y - me.y, d = dx * dx + dy * dy;
            if (d > sight * sight || first + k == i) continue;
            seen++;
            cx += dx, cy += dy, vx += o.z, vy += o.w, ax -= dx / (d + 0.01f), ay -= dy / (d + 0.01f);
        }
        __syncthreads();
    }
    if (i >= n) return;
    float f = seen > 0 ? 1.0f / seen : 0, z = me.z + 0.01f * cx * f + 0.1f * (vx * f - me.z) + 0.02f * ax;
    float w = me.w + 0.01f * cy * f + 0.1f * (vy * f - me.w) + 0.02f * ay;
    next[i] = make_float4(me.x + 0.1f * z, me.y + 0.1f * w, z, w);
}

// A piece of the number line per block as bits, a prime per thread: the small primes have most to do.
__constant__ int small_primes[224];
__global__ void sieve_segment_in_shared(int *count, int primes) {
    __shared__ unsigned bits[256];
    int first = blockIdx.x * 8192 + 2, t = threadIdx.x;
    bits[t] = 0;
    __syncthreads();
    if (t < primes) {
        int p = small_primes[t];
        for (int m = max(p * p, (first + p - 1) / p * p); m < first + 8192; m += p)
            atomicOr(&bits[(m - first) / 32], 1u << (m - first) % 32);
    }
    __syncthreads();
    atomicAdd(count, 32 - __popc(bits[t]));
}

// The next tiles are on their way while these are used.
__global__ void matmul_cp_async_two_buffers(const float *a, const float *b, float *c, int n, int k) {
    __shared__ alignas(16) float sa[2][32][32], sb[2][32][32];
    int t = threadIdx.x, r = t / 8, q = t % 8 * 4, x = t % 32, y = t / 32;
    const float *pa = a + (blockIdx.y * 32 + r) * k + q, *pb = b + r * n + blockIdx.x * 32 + q;
    float s[4] = {};
    __pipeline_memcpy_async(&sa[0][r][q], pa, 16);
    __pipeline_memcpy_async(&sb[0][r][q], pb, 16);
    __pipeline_commit();
    for (int i = 0; i < k / 32; i++) {
        if (i + 1 < k / 32) {
            __pipeline_memcpy_async(&sa[~i & 1][r][q], pa + (i + 1) * 32, 16);
            __pipeline_memcpy_async(&sb[~i & 1][r][q], pb + (i + 1) * 32 * n, 16);
        }
        __pipeline_commit();
        __pipeline_wait_prior(1);
        __syncthreads();
        for (int j = 0; j < 32; j++)
            for (int v = 0; v < 4; v++) s[v] += sa[i & 1][y + 8 * v][j] * sb[i & 1][j][x];
        __syncthreads();
    }
    for (int v = 0; v < 4; v++) c[(blockIdx.y * 32 + y + 8 * v) * n + blockIdx.x * 32 + x] = s[v];
}

// Thread i compares with all before it: the last warps work longest.
__global__ void inversion_count_triangular(const int *v, u64 *total, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int mine = v[i], count = 0;
    for (int j = 0; j < i; j++) count += v[j] > mine;
    atomicAdd(total, (u64)count);
}

// A filter of 64 taps; taps and samples in shared memory.
__global__ void fir_64_taps_shared(const float *in, const float *taps, float *out, int n) {
    __shared__ float h[64], x[200 + 63];
    int t = threadIdx.x, first = blockIdx.x * 200;
    if (t < 64) h[t] = taps[t];
    for (int i = t; i < 263; i += 200) x[i] = first + i >= 63 && first + i - 63 < n ? in[first + i - 63] : 0;
    __syncthreads();
    if (first + t >= n) return;
    float s = 0;
    for (int k = 0; k < 64; k++) s += h[k] * x[t + 63 - k];
    out[first + t] = s;
}

// A thread per column adds its column to the result.
__global__ void spmv_csc_column_atomics(const int *start, const int *row, const float *val, const float *x, float *y,
                                        int cols) {
    int c = blockIdx.x * blockDim.x + threadIdx.x;
    if (c >= cols) return;
    float f = x[c];
    for (int e = start[c]; e < start[c + 1]; e++) atomicAdd(&y[row[e]], f * val[e]);
}

// 4096 bits by 4096 bits: a thread per column of the school method, then one thread carries.
__global__ void big_integer_multiply_block(const unsigned *a, const unsigned *b, unsigned *out) {
    __shared__ unsigned sa[128], sb[128];
    __shared__ u64 low[256], high[256];
    int t = threadIdx.x;
    if (t < 128) sa[t] = a[blockIdx.x * 128 + t];
    else sb[t - 128] = b[blockIdx.x * 128 + t - 128];
    __syncthreads();
    u64 lo = 0, hi = 0;
    for (int i = max(0, t - 127); i <= min(t, 127); i++) {
        u64 p = (u64)sa[i] * sb[t - i];
        lo += p;
        hi += lo < p;
    }
    low[t] = lo;
    high[t] = hi;
    __syncthreads();
    if (t > 0) return;
    u64 carry = 0, more = 0;
    for (int i = 0; i < 256; i++) {
        u64 s = low[i] + carry;
        more = high[i] + (s < carry);
        out[blockIdx.x * 256 + i] = (unsigned)s;
        carry = s >> 32 | more << 32;
    }
}

// Distance to the nearest mark in the row: forth and back, a thread per row.
__global__ void distance_transform_rows(const unsigned char *mark, int *distance, int w, int h) {
    int y = blockIdx.x * blockDim.x + threadIdx.x;
    if (y >= h) return;
    int d = w;
    for (int x = 0; x < w; x++) {
        d = mark[y * w + x] < 8 ? 0 : d + 1;
        distance[y * w + x] = d;
    }
    for (int x = w - 1; x >= 0; x--) {
        d = min(distance[y * w + x], d + 1);
        distance[y * w + x] = d;
    }
}

// Trees of depth seven vote.
__global__ void decision_forest_predict(const float *x, const unsigned char *feature, const float *limit,
                                        unsigned char *answer, int rows, int features, int trees) {
    int r = blockIdx.x * blockDim.x + threadIdx.x, votes = 0;
    if (r >= rows) return;
    for (int t = 0; t < trees; t++) {
        int node = 0;
        while (node < 127)
            node = 2 * node + (x[r * features + feature[t * 127 + node]] < limit[t * 127 + node] ? 1 : 2);
        votes += node & 1;
    }
    answer[r] = 2 * votes > trees;
}

// Counters of one byte, a row of 32 for each thread: no atomics, many conflicts.
__global__ void private_counters_in_shared(const unsigned char *in, int *bins, int each) {
    __shared__ unsigned char count[128][32];
    int t = threadIdx.x;
    for (int b = 0; b < 32; b++) count[t][b] = 0;
    for (int i = 0; i < each; i++) count[t][in[(blockIdx.x * each + i) * 128 + t] / 8]++;
    __syncthreads();
    if (t >= 32) return;
    int s = 0;
    for (int i = 0; i < 128; i++) s += count[i][t];
    atomicAdd(&bins[t], s);
}

// Which corners of the cell are inside, and how many cells are cut.
__global__ void marching_cubes_classify(const float *field, unsigned char *kind, int *cut, int nx, int ny, int nz,
                                        float level) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    int z = blockIdx.z * blockDim.z + threadIdx.z;
    if (x >= nx - 1 || y >= ny - 1 || z >= nz - 1) return;
    int k = 0;
    for (int c = 0; c < 8; c++)
        if (field[((z + (c >> 2)) * ny + y + (c >> 1 & 1)) * nx + x + (c & 1)] > level) k |= 1 << c;
    kind[(z * ny + y) * nx + x] = (unsigned char)k;
    if (k != 0 && k != 255) atomicAdd(cut, 1);
}

// Sorts 256 bytes per block, bit after bit.
__global__ void radix_split_block_ballot(unsigned char *data) {
    __shared__ unsigned char v[256];
    __shared__ int zeros[8];
    int t = threadIdx.x, lane = t % 32, warp = t / 32;
    int mine = data[blockIdx.x * 256 + t];
    for (int b = 0; b < 8; b++) {
        unsigned z = __ballot_sync(~0u, !(mine >> b & 1));
        if (lane == 0) zeros[warp] = __popc(z);
        __syncthreads();
        int before = __popc(z & ((1u << lane) - 1)), all = 0;
        for (int w = 0; w < 8; w++) {
            if (w < warp) before += zeros[w];
            all += zeros[w];
        }
        v[mine >> b & 1 ? all + t - before : before] = (unsigned char)mine;
        __syncthreads();
        mine = v[t];
    }
    data[blockIdx.x * 256 + t] = (unsigned char)mine;
}

struct Account {
    float credit, debit, rate, limit;
    int days;
};

// Records of 20 bytes in any order.
__global__ void gather_structs_of_five(const Account *account, const int *which, float *worth, int n) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        Account a = account[which[i]];
        worth[i] = fminf((a.credit - a.debit) * (1 + a.rate * (a.days % 365)), a.limit);
    }
}

// The sum stays in memory all the time.
__global__ void matvec_accumulate_in_global(const float *a, const float *x, float *y, int rows, int cols) {
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r >= rows) return;
    y[r] = 0;
    for (int c = 0; c < cols; c++) y[r] += a[c * rows + r] * x[c];
}

// ---------------------------------------------------------------- main

int main() {
    {
        const int n = 50000;
        float *a = floats(n, 1), *b = floats(n, 2), *c = room<float>(n);
        vector_add_textbook<<<up(n, 256), 256>>>(a, b, c, n);
        done();
    }
    {
        const int nx = 150, ny = 110, nz = 90, n = nx * ny * nz;
        float *ex = zeros<float>(n), *ey = zeros<float>(n), *ez = zeros<float>(n);
        float *hx = floats(n, 3), *hy = floats(n, 4), *hz = floats(n, 5);
        fdtd_3d_electric_field<<<dim3(up(nx, 32), up(ny, 4), up(nz, 2)), dim3(32, 4, 2)>>>(ex, ey, ez, hx, hy, hz, nx,
                                                                                           ny, nz, 0.5f);
        done();
    }
    {
        const int n = 90000, edges = 800000;
        int *from = ints(edges, 6, n), *to = ints(edges, 7, n), *weight = ints(edges, 8, 100);
        int *dist = ints(n, 9, 500), *next = ints(n, 9, 500);
        bellman_ford_relax_edges<<<up(edges, 192), 192>>>(from, to, weight, dist, next, edges);
        done();
    }
    {
        const int rows = 2500, pairs = 640;
        half *in = halves(rows * pairs * 2, 10), *gain = halves(pairs * 2, 11), *out = room<half>(rows * pairs * 2);
        rms_norm_half2_block<<<rows, 160>>>((const half2 *)in, (const half2 *)gain, (half2 *)out, pairs);
        done();
    }
    {
        const int n = 330000;
        unsigned keys[40];
        for (int i = 0; i < 40; i++) keys[i] = mix(i + 77);
        CHECK(cudaMemcpyToSymbol(aes_round_keys, keys, sizeof keys));
        int *in = ints(n * 4, 12, 0x7fffffff), *tables = ints(1024, 13, 0x7fffffff), *out = room<int>(n * 4);
        aes_t_table_rounds<<<up(n, 256), 256>>>((const uint4 *)in, (uint4 *)out, (const unsigned *)tables, n);
        done();
    }
    {
        const int m = 430, n = 390, k = 310;
        float *a = floats(m * k, 14), *b = floats(k * n, 15), *c = room<float>(m * n);
        matmul_tile_20<<<dim3(up(n, 20), up(m, 20)), dim3(20, 20)>>>(a, b, c, m, n, k);
        done();
    }
    {
        const int n = 150000;
        float *strike = floats(n, 16, 80, 120), *true_vol = floats(n, 17, 0.1f, 0.6f), *vol = room<float>(n);
        implied_volatility_newton<<<up(n, 128), 128>>>(strike, true_vol, vol, n);
        done();
    }
    {
        const int blocks = 700;
        merge_sort_block_shared<<<blocks, 256>>>(ints(blocks * 512, 18, 100000));
        done();
    }
    {
        const int rows = 3000, cols = 400;
        float *a = floats(rows * cols, 19), *mean = room<float>(cols);
        column_means_block_per_column<<<cols, 128, 128 * sizeof(float)>>>(a, mean, rows, cols);
        done();
    }
    {
        const int w = 700, h = 500;
        float4 spheres[24];
        for (int i = 0; i < 24; i++)
            spheres[i] =
                make_float4(i % 6 - 2.5f, i / 6 - 1.5f, 0.3f * (mix(i) % 10), 0.25f + 0.02f * (mix(i + 50) % 10));
        CHECK(cudaMemcpyToSymbol(scene_spheres, spheres, sizeof spheres));
        ray_sphere_bounces<<<dim3(up(w, 16), up(h, 8)), dim3(16, 8)>>>(room<uchar4>(w * h), w, h);
        done();
    }
    {
        const int rows = 12000, each = 9;
        int *start = rising(rows + 1, 20, each), *col = ints((rows + 1) * each, 21, rows);
        float *val = floats((rows + 1) * each * 16, 22), *x = floats(rows * 4, 23), *y = room<float>(rows * 4);
        spmv_bsr_4x4<<<up(rows * 32, 256), 256>>>(start, col, val, x, y, rows);
        done();
    }
    {
        const int n = 1100000;
        philox_fill_uniform<<<300, 512>>>(room<float4>(n), n, 1234, 5678);
        done();
    }
    {
        const int c = 72, h = 115, w = 121;
        float *in = floats(c * h * w, 24), *weight = floats(c * 9, 25), *bias = floats(c, 26),
              *out = room<float>(c * h * w);
        depthwise_conv_3x3<<<dim3(up(w, 32), up(h, 8), c), dim3(32, 8)>>>(in, weight, bias, out, h, w);
        done();
    }
    {
        const int groups = 50000;
        insertion_sort_16_local<<<up(groups, 96), 96>>>(ints(groups * 16, 27, 1000), groups);
        done();
    }
    {
        const int w = 1001, h = 777;
        float *in = floats(2 * w * h, 28, 0, 1), *out = room<float>(2 * w * h);
        gray_scott_step<<<dim3(up(w, 32), up(h, 32)), dim3(32, 32)>>>((const float2 *)in, (float2 *)out, w, h, 0.035f,
                                                                      0.06f);
        done();
    }
    {
        const int n = 400000;
        const unsigned bits = 5000000;
        bloom_filter_insert<<<up(n, 256), 256>>>(ints(n, 29, 300000), n, zeros<unsigned>(bits / 32 + 1), bits);
        done();
    }
    {
        const int n = 40, systems = 20000;
        float *a = floats(n * systems, 30), *b = floats(n * systems, 31, 3, 4), *c = floats(n * systems, 32);
        thomas_solver_interleaved<<<up(systems, 64), 64>>>(a, b, c, floats(n * systems, 33), room<float>(n * systems),
                                                           n, systems);
        done();
    }
    {
        const int m = 592, n = 496, k = 640;
        unsigned char *a = bytes(m * k, 34), *b = bytes(k * n, 35);
        wmma_int8_tiles<<<up(m / 16 * (n / 16), 2), 64>>>((signed char *)a, (signed char *)b, room<int>(m * n), m, n,
                                                          k);
        done();
    }
    {
        const int channels = 9000, steps = 250;
        iir_biquad_per_channel<<<up(channels, 64), 64>>>(floats(channels * steps, 36), room<float>(channels * steps),
                                                         channels, steps);
        done();
    }
    {
        const int n = 170000, corners = 150;
        float2 polygon[corners];
        for (int i = 0; i < corners; i++) {
            float r = 0.4f + 0.05f * (mix(i) % 10), a = 6.2831853f * i / corners;
            polygon[i] = make_float2(r * cosf(a), r * sinf(a));
        }
        CHECK(cudaMemcpyToSymbol(polygon_corners, polygon, sizeof polygon));
        float *point = floats(2 * n, 37);
        point_in_polygon_constant<<<up(n, 224), 224>>>((const float2 *)point, room<unsigned char>(n), n, corners);
        done();
    }
    {
        const int n = 900000;
        int *next = ints(n, 38, n), *rank = ints(n, 39, 5);
        list_ranking_pointer_jump<<<up(n, 256), 256>>>(next, rank, room<int>(n), room<int>(n), n);
        done();
    }
    {
        const int w = 900, h = 610;
        harris_corner_response<<<dim3(up(w, 16), up(h, 16)), dim3(16, 16)>>>(floats(w * h, 40), room<float>(w * h), w,
                                                                             h);
        done();
    }
    {
        const int words = 9000, dim = 200;
        embedding_gradient_atomics<<<words, 128>>>(ints(words, 41, 700), floats(words * dim, 42),
                                                   zeros<float>(700 * dim), dim);
        done();
    }
    {
        const int n = 840;
        dft_naive_sincos<<<up(n, 32), 32>>>(floats(n, 43), room<float2>(n), n);
        done();
    }
    {
        const int pairs = 30000;
        smith_waterman_pair_per_thread<<<up(pairs, 128), 128>>>(bytes(pairs * 28, 44, 4), bytes(pairs * 28, 45, 4),
                                                                room<int>(pairs), pairs);
        done();
    }
    {
        const int n = 1700000;
        reduce_variance_welford<<<396, 192>>>(floats(n, 46), room<float3>(396 * 6), n);
        done();
    }
    {
        const int n = 45000;
        fermat_prime_test<<<up(n, 128), 128>>>(ints(n, 47, 1000000000), room<unsigned char>(n), n);
        done();
    }
    {
        const int m = 576, n = 704, k = 304;
        float *a = floats(m * k, 48), *b = floats(k * n, 49), *c = room<float>(m * n);
        matmul_register_tile_8x4<<<dim3(n / 64, m / 64), 128>>>(a, b, c, n, k);
        done();
    }
    {
        const int n = 256 * 5500;
        bit_slices_by_ballot<<<n / 256, 256>>>(ints(n, 50, 4096), room<unsigned>(n / 32 * 12));
        done();
    }
    {
        const int n = 70000, k = 30;
        float *particle = floats(4 * n, 51, 0, 1);
        sph_density_neighbour_lists<<<up(n, 128), 128>>>((const float4 *)particle, ints(n * k, 52, n), room<float>(n),
                                                         n, k, 0.6f);
        done();
    }
    {
        const int matrices = 170;
        lu_pivot_48_shared<<<matrices, dim3(48, 4)>>>(floats(matrices * 48 * 48, 53), room<int>(matrices * 48));
        done();
    }
    {
        const int packets = 110000;
        unsigned *table = (unsigned *)ints(256, 54, 0x7fffffff);
        crc32_table_per_chunk<<<up(packets, 160), 160>>>(bytes(packets * 44, 55), table, room<unsigned>(packets),
                                                         packets);
        done();
    }
    {
        const int n = 700000;
        float4 *w = (float4 *)floats(4 * n, 56), *g = (float4 *)floats(4 * n, 57), *m = (float4 *)zeros<float>(4 * n);
        sgd_momentum_float4<<<up(n, 512), 512>>>(w, g, m, n, 0.01f, 0.9f);
        done();
    }
    {
        const int systems = 1500, n = systems * 224;
        float *a = floats(n, 58), *b = floats(n, 59, 4, 5), *c = floats(n, 60), *d = floats(n, 61);
        tridiagonal_pcr_shared<<<systems, 224>>>(a, b, c, d, room<float>(n));
        done();
    }
    {
        const int m = 264, n = 328, k = 300;
        double *a = doubles(m * k, 62), *b = doubles(k * n, 63);
        wmma_double_8x8x4<<<up(m / 8 * (n / 8), 4), 128>>>(a, b, room<double>(m * n), m, n, k);
        done();
    }
    {
        const int n = 1500000;
        coalesced_group_filter<<<264, 384>>>(floats(n, 64), room<float>(n), zeros<int>(1), n, 0.6f);
        done();
    }
    {
        const int w = 1366, h = 768;
        unsigned char *luma = bytes(w * h, 65), *u = bytes(w * h / 4, 66), *v = bytes(w * h / 4, 67);
        yuv420_to_rgb<<<dim3(up(w, 64), up(h, 4)), dim3(64, 4)>>>(luma, u, v, room<unsigned char>(3 * w * h), w, h);
        done();
    }
    {
        const int heads = 140, n = 650;
        float *q = floats(heads * 64, 68), *k = floats(heads * n * 64, 69), *v = floats(heads * n * 64, 70);
        attention_single_query<<<heads, 128>>>(q, k, v, room<float>(heads * 64), n);
        done();
    }
    {
        const int levels = 19, n = 350000;
        int *tree = ints((1 << levels) - 1, 71, 1000000);
        binary_tree_lookup_implicit<<<up(n, 320), 320>>>(tree, levels, ints(n, 72, 1000000), room<int>(n), n);
        done();
    }
    {
        const int paths = 25000;
        asian_option_double<<<up(paths, 128), 128>>>(room<double>(paths), paths, 12, 101);
        done();
    }
    {
        const int w = 400, h = 300;
        float2 direction[90];
        for (int a = 0; a < 90; a++) direction[a] = make_float2(cosf(a * 0.0349066f), sinf(a * 0.0349066f));
        CHECK(cudaMemcpyToSymbol(line_directions, direction, sizeof direction));
        hough_lines_votes<<<dim3(up(w, 32), up(h, 8)), dim3(32, 8)>>>(bytes(w * h, 73), zeros<int>(90 * 2 * (w + h)), w,
                                                                      h);
        done();
    }
    {
        const int blocks = 400;
        u64 *cells = (u64 *)ints(blocks * 160 * 2, 74, 0x7fffffff);
        rule_110_packed_words<<<blocks, 160>>>(cells, 70);
        done();
    }
    {
        const int rows = 700, cols = 1500;
        float *a = floats(rows * cols, 75), *v = floats(rows, 76);
        householder_apply_columns<<<up(cols, 8), 256, rows * sizeof(float)>>>(a, v, rows, cols, 0.01f);
        done();
    }
    {
        running_sum_by_one_thread<<<1, 1>>>(floats(350, 77), 350);
        done();
    }
    {
        const int na = 700000, nb = 450000;
        merge_path_two_arrays<<<up(up(na + nb, 7), 128), 128>>>(rising(na, 78, 20), na, rising(nb, 79, 31), nb,
                                                                room<int>(na + nb));
        done();
    }
    {
        const int transforms = 3400;
        fft_radix4_256_shared<<<transforms / 2, dim3(64, 2)>>>((float2 *)floats(transforms * 512, 80));
        done();
    }
    {
        const int n = 600000;
        double *x = doubles(n, 81), *v = doubles(n, 82), *f = doubles(n, 83), *moved = zeros<double>(n);
        velocity_verlet_double<<<500, 256>>>(x, v, f, moved, n, 0.01, 1.0);
        done();
    }
    {
        const int n = 96 * 7000;
        match_any_histogram<<<n / 96, 96>>>(ints(n, 84, 20), zeros<int>(20));
        done();
    }
    {
        const int nx = 160, ny = 130, nz = 70, n = nx * ny * nz;
        stencil_3d_fourth_order<<<dim3(up(nx, 32), up(ny, 6), nz), dim3(32, 6)>>>(floats(n, 85), zeros<float>(n), nx,
                                                                                  ny, nz);
        done();
    }
    {
        const int lines = 40000, length = 76;
        dfa_match_table_shared<<<up(lines, 256), 256>>>(bytes(lines * length, 86, 128), bytes(2048, 87, 16),
                                                        room<int>(lines), lines, length);
        done();
    }
    {
        const int planes = 90, h = 113, w = 149, n = planes * (h / 2) * (w / 2);
        average_pool_3x3_stride_2<<<up(n, 256), 256>>>(floats(planes * h * w, 88), room<float>(n), planes, h, w);
        done();
    }
    {
        const int blocks = 130000;
        int *data = ints(blocks * 16, 89, 0x7fffffff);
        chacha20_blocks<<<up(blocks, 128), 128>>>(ints(8, 90, 0x7fffffff), (uint4 *)data, blocks);
        done();
    }
    {
        const int w = 1500, h = 1130;
        transpose_xor_swizzle<<<dim3(up(w, 32), up(h, 32)), dim3(32, 4)>>>(floats(w * h, 91), room<float>(w * h), w, h);
        done();
    }
    {
        const int tours = 20000, cities = 50;
        float2 places[64];
        for (int i = 0; i < 64; i++) places[i] = make_float2((float)(mix(i) % 100), (float)(mix(i + 64) % 100));
        CHECK(cudaMemcpyToSymbol(city_places, places, sizeof places));
        tsp_tour_lengths<<<up(tours, 128), 128>>>(bytes(tours * cities, 92, 64), room<float>(tours), tours, cities);
        done();
    }
    {
        const int w = 1100, h = 500;
        cg_laplacian_and_dot<<<dim3(up(w, 32), up(h, 8)), dim3(32, 8)>>>(doubles(w * h, 93), room<double>(w * h),
                                                                         zeros<double>(1), w, h);
        done();
    }
    {
        n_queens_bitmasks<<<up(11 * 11 * 11, 32), 32>>>(zeros<int>(1));
        done();
    }
    {
        const int rows = 16000, cols = 96;
        tile_of_eight_scan_rows<<<up(rows * 8, 128), 128>>>(floats(rows * cols, 94), room<float>(rows * cols), rows,
                                                            cols);
        done();
    }
    {
        const int tris = 250, n = 60000;
        float *tri = floats(tris * 9, 95, -2, 4), *dir = floats(n * 3, 96);
        ray_triangle_nearest<<<up(n, 128), 128>>>(tri, tris, dir, room<float>(n), room<int>(n), n);
        done();
    }
    {
        const int n = 1 << 20, half = 1 << 7;
        unsigned *v = (unsigned *)ints(n, 97, 998244353), *root = (unsigned *)ints(half, 98, 998244353);
        ntt_butterfly_stage<<<n / 512, 256>>>(v, root, n, half);
        done();
    }
    {
        const int w = 1200, h = 650;
        float *smoke = floats(w * h, 99), *u = floats(w * h, 100), *v = floats(w * h, 101);
        semi_lagrangian_advection<<<dim3(up(w, 8), up(h, 32)), dim3(8, 32)>>>(smoke, u, v, room<float>(w * h), w, h,
                                                                              2.5f);
        done();
    }
    {
        const int n = 33000, codes = 180;
        int *query = ints(n * 8, 102, 0x7fffffff), *code = ints(codes * 8, 103, 0x7fffffff);
        hamming_nearest_code<<<up(n, 128), 128>>>((const ulonglong2 *)query, (const ulonglong2 *)code, room<int>(n), n,
                                                  codes);
        done();
    }
    {
        const int m = 350, n = 410, k = 270;
        matmul_bf16_tile<<<dim3(up(n, 16), up(m, 16)), dim3(16, 16)>>>(bf16s(m * k, 104), bf16s(k * n, 105),
                                                                       room<__nv_bfloat16>(m * n), m, n, k);
        done();
    }
    {
        const int n = 1300000;
        sliding_maximum_doubling<<<up(n, 256), 288>>>(floats(n, 106), room<float>(n), n);
        done();
    }
    {
        const int features = 50, samples = 900;
        pearson_correlation_pairs<<<dim3(features, features), 128>>>(floats(features * samples, 107),
                                                                     room<float>(features * features), samples);
        done();
    }
    {
        const int threads = 7000;
        rc4_keystream_local<<<up(threads, 64), 64>>>(bytes(threads * 8, 108), room<unsigned char>(threads * 48),
                                                     threads);
        done();
    }
    {
        const int m = 560, n = 480, k = 328;
        float *a = floats(m * k, 109), *b = floats(k * n, 110);
        wmma_tf32_two_tiles<<<up(m / 16 * (n / 32), 3), 96>>>(a, b, room<float>(m * n), m, n, k);
        done();
    }
    {
        const int slots = 1 << 18, n = 1000000;
        int *first = rising(slots, 111, 4), *second = rising(slots, 112, 4), *key = ints(n, 113, slots * 4);
        cuckoo_lookup_two_tables<<<up(n, 256), 256>>>(first, second, key, room<unsigned char>(n), n);
        done();
    }
    {
        const int w = 800, h = 600;
        perlin_noise_octaves<<<dim3(up(w, 16), up(h, 16)), dim3(16, 16)>>>(bytes(256, 114), room<float>(w * h), w, h,
                                                                           5);
        done();
    }
    {
        const int n = 130;
        triangular_solve_one_block<<<1, 160>>>(floats(n * n, 115, 0.5f, 1), floats(n, 116), n);
        done();
    }
    {
        const int w = 640, h = 368;
        block_matching_sad<<<dim3(w / 16, h / 16), 49>>>(bytes(w * h, 117), bytes(w * h, 118),
                                                         room<int>(w / 16 * (h / 16)), w, h);
        done();
    }
    {
        const int n = 30000;
        one_block_softmax<<<1, 1024>>>(floats(n, 119, -3, 3), room<float>(n), n);
        done();
    }
    {
        const int chains = 24000;
        float couplings[64];
        for (int i = 0; i < 64; i++) couplings[i] = (mix(i) % 200) * 0.01f - 1;
        CHECK(cudaMemcpyToSymbol(chain_couplings, couplings, sizeof couplings));
        u64 *spins = (u64 *)ints(chains * 2, 120, 0x7fffffff);
        simulated_annealing_chains<<<up(chains, 128), 128>>>(spins, room<float>(chains), chains, 220);
        done();
    }
    {
        const int n = 80000;
        batched_inverse_3x3_double<<<up(n, 128), 128>>>(doubles(n * 9, 121), room<double>(n * 9), n);
        done();
    }
    {
        const int n = 750000;
        float *x = floats(n, 122, 0, 1), *y = floats(n, 123, 0, 1), *z = floats(n, 124, 0, 1);
        morton_encode_3d<<<up(n, 256), 256>>>(x, y, z, room<u64>(n), n);
        done();
    }
    {
        const int states = 40, length = 60, sequences = 500, n = sequences * length;
        float *move = floats(states * states, 125), *emit = floats(64 * states, 126);
        viterbi_states_in_shared<<<sequences, states>>>(move, emit, bytes(n, 127, 64), room<unsigned char>(n * states),
                                                        room<float>(sequences * states), states, length);
        done();
    }
    {
        const int batch = 700, hidden = 500, n = batch * hidden;
        lstm_cell_gates<<<up(n, 256), 256>>>(floats(4 * n, 128, -3, 3), floats(n, 129), room<float>(n), batch, hidden);
        done();
    }
    {
        const int n = 2000;
        float *bird = floats(4 * n, 130);
        boids_flocking_tiles<<<up(n, 96), 96>>>((const float4 *)bird, room<float4>(n), n, 0.2f);
        done();
    }
    {
        int primes[224], found = 0;
        for (int p = 2; found < 224; p++) {
            bool prime = true;
            for (int q = 2; q * q <= p; q++) prime = prime && p % q != 0;
            if (prime) primes[found++] = p;
        }
        CHECK(cudaMemcpyToSymbol(small_primes, primes, sizeof primes));
        sieve_segment_in_shared<<<244, 256>>>(zeros<int>(1), 224);
        done();
    }
    {
        const int m = 416, n = 480, k = 352;
        float *a = floats(m * k, 131), *b = floats(k * n, 132);
        matmul_cp_async_two_buffers<<<dim3(n / 32, m / 32), 256>>>(a, b, room<float>(m * n), n, k);
        done();
    }
    {
        const int n = 3100;
        inversion_count_triangular<<<up(n, 64), 64>>>(ints(n, 133, 100000), zeros<u64>(1), n);
        done();
    }
    {
        const int n = 900001;
        fir_64_taps_shared<<<up(n, 200), 200>>>(floats(n, 134), floats(64, 135), room<float>(n), n);
        done();
    }
    {
        const int cols = 60000, each = 12;
        int *start = rising(cols + 1, 136, each), *row = ints((cols + 1) * each, 137, 50000);
        float *val = floats((cols + 1) * each, 138), *x = floats(cols, 139);
        spmv_csc_column_atomics<<<up(cols, 256), 256>>>(start, row, val, x, zeros<float>(50000), cols);
        done();
    }
    {
        const int pairs = 350;
        unsigned *a = (unsigned *)ints(pairs * 128, 140, 0x7fffffff),
                 *b = (unsigned *)ints(pairs * 128, 141, 0x7fffffff);
        big_integer_multiply_block<<<pairs, 256>>>(a, b, room<unsigned>(pairs * 256));
        done();
    }
    {
        const int w = 120, h = 6000;
        distance_transform_rows<<<up(h, 64), 64>>>(bytes(w * h, 142), room<int>(w * h), w, h);
        done();
    }
    {
        const int rows = 40000, features = 20, trees = 15;
        unsigned char *feature = bytes(trees * 127, 143, features);
        float *x = floats(rows * features, 144), *limit = floats(trees * 127, 145);
        decision_forest_predict<<<up(rows, 192), 192>>>(x, feature, limit, room<unsigned char>(rows), rows, features,
                                                        trees);
        done();
    }
    {
        const int blocks = 300, each = 90;
        private_counters_in_shared<<<blocks, 128>>>(bytes(blocks * each * 128, 146), zeros<int>(32), each);
        done();
    }
    {
        const int nx = 130, ny = 100, nz = 75, n = nx * ny * nz;
        dim3 grid(up(nx - 1, 16), up(ny - 1, 4), up(nz - 1, 4));
        marching_cubes_classify<<<grid, dim3(16, 4, 4)>>>(floats(n, 147), zeros<unsigned char>(n), zeros<int>(1), nx,
                                                          ny, nz, 0.7f);
        done();
    }
    {
        const int blocks = 2300;
        radix_split_block_ballot<<<blocks, 256>>>(bytes(blocks * 256, 148));
        done();
    }
    {
        const int accounts = 300000, n = 500000;
        int *account = ints(accounts * 5, 149, 0x3fffffff);
        gather_structs_of_five<<<396, 256>>>((const Account *)account, ints(n, 150, accounts), room<float>(n), n);
        done();
    }
    {
        const int rows = 30000, cols = 45;
        matvec_accumulate_in_global<<<up(rows, 128), 128>>>(floats(rows * cols, 151), floats(cols, 152),
                                                            room<float>(rows), rows, cols);
        done();
    }
    return 0;
}
