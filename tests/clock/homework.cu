// Homework of a GPU programming course: small kernels, each launched once with data of its own.
#include <cooperative_groups.h>
#include <cuda_fp16.h>
#include <cuda_pipeline.h>
#include <cuda_runtime.h>
#include <mma.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "course.h"

namespace cg = cooperative_groups;

// ---------------------------------------------------------------- data

__global__ void init_floats(float *p, int n, unsigned seed, float lo, float hi) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) p[i] = lo + (hi - lo) * (mix(i + seed * 7919u) >> 8) * (1.0f / 16777216.0f);
}

__global__ void init_doubles(double *p, int n, unsigned seed) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) p[i] = mix(i + seed * 7919u) * (1.0 / 4294967296.0);
}

__global__ void init_halves(half *p, int n, unsigned seed) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) p[i] = __float2half((mix(i + seed * 7919u) >> 8) * (1.0f / 16777216.0f) - 0.5f);
}

__global__ void init_ints(int *p, int n, unsigned seed, int below) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) p[i] = (int)(mix(i + seed * 104729u) % (unsigned)below);
}

__global__ void init_bytes(unsigned char *p, int n, unsigned seed, int below) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) p[i] = (unsigned char)(mix(i + seed * 31337u) % (unsigned)below);
}

// Starts of n rows with 1 to 2 * avg - 1 entries each, n * avg in all.
__global__ void init_row_starts(int *p, int n, int avg, unsigned seed) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i > n) return;
    p[i] = i * avg + (i == 0 || i == n ? 0 : (int)(mix(i + seed * 7919u) % (unsigned)avg));
}

// Sorted neighbours with higher numbers.
__global__ void init_near_neighbours(const int *start, int *adj, int n) {
    int u = blockIdx.x * blockDim.x + threadIdx.x;
    if (u >= n) return;
    for (int e = start[u]; e < start[u + 1]; e++) adj[e] = u + 1 + (e - start[u]) * 3 + mix(e) % 3;
}

// A permutation: multiply by a number that has no factor in common with n.
__global__ void init_permutation(int *p, int n, unsigned factor) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) p[i] = (int)((unsigned long long)i * factor % (unsigned)n);
}

// The first values come from a hash, the rest repeats them.
static const int fresh_values = 300007;

static int fresh(int n) { return n < fresh_values ? n : fresh_values; }

template <typename T> static void repeat(T *p, size_t n) {
    for (size_t have = fresh_values; have < n; have *= 2) {
        size_t more = have < n - have ? have : n - have;
        CHECK(cudaMemcpy(p + have, p, more * sizeof(T), cudaMemcpyDeviceToDevice));
    }
}

static float *floats(int n, unsigned seed, float lo = -1.0f, float hi = 1.0f) {
    float *p = room<float>(n);
    init_floats<<<(fresh(n) + 255) / 256, 256>>>(p, fresh(n), seed, lo, hi);
    repeat(p, n);
    return p;
}

static double *doubles(int n, unsigned seed) {
    double *p = room<double>(n);
    init_doubles<<<(fresh(n) + 255) / 256, 256>>>(p, fresh(n), seed);
    repeat(p, n);
    return p;
}

static half *halves(int n, unsigned seed) {
    half *p = room<half>(n);
    init_halves<<<(fresh(n) + 255) / 256, 256>>>(p, fresh(n), seed);
    repeat(p, n);
    return p;
}

static int *ints(int n, unsigned seed, int below) {
    int *p = room<int>(n);
    init_ints<<<(n + 255) / 256, 256>>>(p, n, seed, below);
    return p;
}

static unsigned char *bytes(int n, unsigned seed, int below = 256) {
    unsigned char *p = room<unsigned char>(n);
    init_bytes<<<(fresh(n) + 255) / 256, 256>>>(p, fresh(n), seed, below);
    repeat(p, n);
    return p;
}

static int *row_starts(int n, int avg, unsigned seed) {
    int *p = room<int>(n + 1);
    init_row_starts<<<n / 256 + 1, 256>>>(p, n, avg, seed);
    return p;
}

// ---------------------------------------------------------------- homework

// Rows of two pitched images.
__global__ void copy_pitched_rows(const float *src, size_t src_pitch, float *dst, size_t dst_pitch, int w, int h) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w || y >= h) return;
    const float *from = (const float *)((const char *)src + y * src_pitch);
    float *to = (float *)((char *)dst + y * dst_pitch);
    to[x] = from[x];
}

// Many 8 x 8 products, four of them per block.
__global__ void matmul_batched_8x8(const float *a, const float *b, float *c, int batch) {
    __shared__ float sa[4][8][8], sb[4][8][8];
    int x = threadIdx.x, y = threadIdx.y, z = threadIdx.z;
    int m = blockIdx.x * 4 + z;
    bool ok = m < batch;
    if (ok) {
        sa[z][y][x] = a[m * 64 + y * 8 + x];
        sb[z][y][x] = b[m * 64 + y * 8 + x];
    }
    __syncthreads();
    if (!ok) return;
    float s = 0;
    for (int k = 0; k < 8; k++) s += sa[z][y][k] * sb[z][k][x];
    c[m * 64 + y * 8 + x] = s;
}

// One chain: each FMA waits for the one before.
__global__ void fma_one_chain(float *out, float a, float b, int rounds) {
    float x = threadIdx.x * 0.001f;
    for (int i = 0; i < rounds; i++) x = x * a + b;
    out[blockIdx.x * blockDim.x + threadIdx.x] = x;
}

// Page rank, each page pulls from the pages that link to it.
__global__ void pagerank_pull(const int *start, const int *from, const float *rank, const int *out_degree,
                              float *next, int n, float damping) {
    int v = blockIdx.x * blockDim.x + threadIdx.x;
    if (v >= n) return;
    float s = 0;
    for (int e = start[v]; e < start[v + 1]; e++) {
        int u = from[e];
        s += rank[u] / (1 + out_degree[u]);
    }
    next[v] = (1.0f - damping) / n + damping * s;
}

// First half of a separable blur, weights in constant memory, no tile.
__constant__ float gauss_weights[16];
__global__ void gaussian_rows_constant(const float *in, float *out, int w, int h, int radius) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y;
    if (x >= w) return;
    float s = gauss_weights[0] * in[y * w + x];
    for (int d = 1; d <= radius; d++) {
        int l = x - d < 0 ? 0 : x - d;
        int r = x + d >= w ? w - 1 : x + d;
        s += gauss_weights[d] * (in[y * w + l] + in[y * w + r]);
    }
    out[y * w + x] = s;
}

// European call by paths, xorshift and Box-Muller.
__global__ void option_paths_xorshift(float *payoff, int paths, int steps, float s0, float strike, float r, float sigma) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= paths) return;
    unsigned state = mix(i + 12345u) | 1u;
    float dt = 1.0f / steps, s = s0;
    for (int t = 0; t < steps; t++) {
        state ^= state << 13; state ^= state >> 17; state ^= state << 5;
        float u1 = ((state >> 8) + 1) * (1.0f / 16777217.0f);
        state ^= state << 13; state ^= state >> 17; state ^= state << 5;
        float u2 = (state >> 8) * (1.0f / 16777216.0f);
        float z = sqrtf(-2.0f * logf(u1)) * cosf(6.2831853f * u2);
        s *= expf((r - 0.5f * sigma * sigma) * dt + sigma * sqrtf(dt) * z);
    }
    payoff[i] = fmaxf(s - strike, 0.0f) * expf(-r);
}

// Inclusive scan in each block of 1024 with two levels of shuffles.
__global__ void scan_block_two_shuffles(const int *in, int *out, int *totals, int n) {
    __shared__ int sums[32];
    int i = blockIdx.x * 1024 + threadIdx.x;
    int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
    int v = i < n ? in[i] : 0;
    for (int d = 1; d < 32; d *= 2) {
        int u = __shfl_up_sync(0xffffffffu, v, d);
        if (lane >= d) v += u;
    }
    if (lane == 31) sums[warp] = v;
    __syncthreads();
    if (warp == 0) {
        int s = sums[lane];
        for (int d = 1; d < 32; d *= 2) {
            int u = __shfl_up_sync(0xffffffffu, s, d);
            if (lane >= d) s += u;
        }
        sums[lane] = s;
    }
    __syncthreads();
    if (warp > 0) v += sums[warp - 1];
    if (i < n) out[i] = v;
    if (threadIdx.x == 1023) totals[blockIdx.x] = v;
}

// Counts of bytes, four at a time, one table per block.
__global__ void byte_histogram_uchar4(const uchar4 *in, unsigned *bins, int n) {
    __shared__ unsigned local[256];
    for (int i = threadIdx.x; i < 256; i += blockDim.x) local[i] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        uchar4 v = in[i];
        atomicAdd(&local[v.x], 1u);
        atomicAdd(&local[v.y], 1u);
        atomicAdd(&local[v.z], 1u);
        atomicAdd(&local[v.w], 1u);
    }
    __syncthreads();
    for (int i = threadIdx.x; i < 256; i += blockDim.x) atomicAdd(&bins[i], local[i]);
}

// Lattice Boltzmann D2Q9: pull the nine values, collide, write.
__constant__ int lbm_cx[9] = {0, 1, 0, -1, 0, 1, -1, -1, 1};
__constant__ int lbm_cy[9] = {0, 0, 1, 0, -1, 1, 1, -1, -1};
__global__ void lattice_boltzmann_d2q9(const float *f, float *g, int nx, int ny, float omega) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= nx || y >= ny) return;
    float v[9], rho = 0, ux = 0, uy = 0;
#pragma unroll
    for (int k = 0; k < 9; k++) {
        int sx = x - lbm_cx[k], sy = y - lbm_cy[k];
        sx = sx < 0 ? nx - 1 : sx >= nx ? 0 : sx;
        sy = sy < 0 ? ny - 1 : sy >= ny ? 0 : sy;
        v[k] = f[(k * ny + sy) * nx + sx];
        rho += v[k];
        ux += v[k] * lbm_cx[k];
        uy += v[k] * lbm_cy[k];
    }
    ux /= rho;
    uy /= rho;
    float uu = 1.5f * (ux * ux + uy * uy);
#pragma unroll
    for (int k = 0; k < 9; k++) {
        float wk = k == 0 ? 4.0f / 9 : k < 5 ? 1.0f / 9 : 1.0f / 36;
        float cu = 3.0f * (lbm_cx[k] * ux + lbm_cy[k] * uy);
        float eq = wk * rho * (1.0f + cu + 0.5f * cu * cu - uu);
        g[(k * ny + y) * nx + x] = v[k] + omega * (eq - v[k]);
    }
}

// y = L x for a lower triangle, a warp per row.
__global__ void trmv_lower_warp_per_row(const float *l, const float *x, float *y, int n) {
    int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    int lane = threadIdx.x % 32;
    if (row >= n) return;
    float s = 0;
    for (int j = lane; j <= row; j += 32) s += l[(size_t)row * n + j] * x[j];
    for (int d = 16; d > 0; d /= 2) s += __shfl_down_sync(0xffffffffu, s, d);
    if (lane == 0) y[row] = s;
}

// Patches of 3 x 3 into columns.
__global__ void im2col_3x3(const float *in, float *cols, int channels, int h, int w) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int pixels = h * w;
    if (i >= channels * 9 * pixels) return;
    int p = i % pixels, r = i / pixels;
    int kx = r % 3, ky = r / 3 % 3, c = r / 9;
    int x = p % w + kx - 1, y = p / w + ky - 1;
    float v = 0;
    if (x >= 0 && x < w && y >= 0 && y < h) v = in[(c * h + y) * w + x];
    cols[i] = v;
}

// Shared memory read with a stride of 4 words.
__global__ void shared_stride_four(const float *in, float *out, int rounds) {
    __shared__ float s[2048];
    for (int i = threadIdx.x; i < 2048; i += blockDim.x) s[i] = in[i];
    __syncthreads();
    float v = 0;
    for (int i = 0; i < rounds; i++) v += s[(threadIdx.x * 4 + i) & 2047];
    out[blockIdx.x * blockDim.x + threadIdx.x] = v;
}

// One step of a bitonic sort in global memory.
__global__ void bitonic_step_global(int *v, int n, int j, int k) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int other = i ^ j;
    if (i >= n || other <= i || other >= n) return;
    int a = v[i], b = v[other];
    bool up = (i & k) == 0;
    if ((a > b) == up) {
        v[i] = b;
        v[other] = a;
    }
}

// A row of the knapsack table.
__global__ void knapsack_row(const int *before, int *after, int capacity, int weight, int value) {
    int w = blockIdx.x * blockDim.x + threadIdx.x;
    if (w > capacity) return;
    int best = before[w];
    if (w >= weight) {
        int take = before[w - weight] + value;
        if (take > best) best = take;
    }
    after[w] = best;
}

// Tensor cores: 32 x 32 of C per block of four warps, tiles staged in shared memory.
__global__ void wmma_four_warps_staged(const half *a, const half *b, float *c, int m, int n, int k) {
    using namespace nvcuda;
    __shared__ __align__(32) half sa[32][40];
    __shared__ __align__(32) half sb[32][40];
    int warp = threadIdx.x / 32, wr = warp / 2, wc = warp % 2;
    int row0 = blockIdx.y * 32, col0 = blockIdx.x * 32;
    wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> fa;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::row_major> fb;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> acc;
    wmma::fill_fragment(acc, 0.0f);
    for (int k0 = 0; k0 < k; k0 += 32) {
        for (int i = threadIdx.x; i < 32 * 32; i += 128) {
            int r = i / 32, q = i % 32;
            sa[r][q] = a[(row0 + r) * k + k0 + q];
            sb[r][q] = b[(k0 + r) * n + col0 + q];
        }
        __syncthreads();
        for (int s = 0; s < 32; s += 16) {
            wmma::load_matrix_sync(fa, &sa[wr * 16][s], 40);
            wmma::load_matrix_sync(fb, &sb[s][wc * 16], 40);
            wmma::mma_sync(acc, fa, fb, acc);
        }
        __syncthreads();
    }
    wmma::store_matrix_sync(c + (row0 + wr * 16) * n + col0 + wc * 16, acc, n, wmma::mem_row_major);
}

// Polynomial of degree 24 in double precision.
__global__ void double_horner_polynomial(const double *x, double *y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    double t = x[i], s = 0.125;
    for (int k = 24; k > 0; k--) s = s * t + 1.0 / k;
    y[i] = s;
}

// A set of keys: atomicCAS, and a step that grows when the place is taken.
__global__ void hash_set_quadratic_probe(const int *keys, int n, int *table, unsigned mask, int *fresh) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int key = keys[i] + 1;
    unsigned slot = mix(key) & mask;
    for (unsigned step = 1; step <= mask; step++) {
        int old = atomicCAS(&table[slot], 0, key);
        if (old == 0) {
            atomicAdd(fresh, 1);
            return;
        }
        if (old == key) return;
        slot = (slot + step) & mask;
    }
}

// Softmax with one reading for maximum and sum; a warp per row.
__global__ void softmax_warp_running_max(const float *in, float *out, int rows, int cols) {
    int row = blockIdx.x * blockDim.y + threadIdx.y;
    if (row >= rows) return;
    const float *x = in + row * cols;
    float m = -1e30f, s = 0;
    for (int j = threadIdx.x; j < cols; j += 32) {
        float v = x[j];
        if (v > m) {
            s = s * expf(m - v) + 1.0f;
            m = v;
        } else {
            s += expf(v - m);
        }
    }
    for (int d = 16; d > 0; d /= 2) {
        float m2 = __shfl_xor_sync(0xffffffffu, m, d);
        float s2 = __shfl_xor_sync(0xffffffffu, s, d);
        float top = fmaxf(m, m2);
        s = s * expf(m - top) + s2 * expf(m2 - top);
        m = top;
    }
    for (int j = threadIdx.x; j < cols; j += 32) out[row * cols + j] = expf(x[j] - m) / s;
}

// All paths through node k.
__global__ void floyd_warshall_through_k(int *d, int n, int k) {
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    int i = blockIdx.y * blockDim.y + threadIdx.y;
    if (i >= n || j >= n) return;
    int via = d[i * n + k] + d[k * n + j];
    if (i != k && j != k && via < d[i * n + j]) d[i * n + j] = via;
}

// Median of nine bytes by exchanges.
__device__ inline void put_in_order(int &a, int &b) {
    int t = min(a, b);
    b = max(a, b);
    a = t;
}
__global__ void median_3x3_exchanges(const unsigned char *in, unsigned char *out, int w, int h) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w || y >= h) return;
    int p[9];
#pragma unroll
    for (int k = 0; k < 9; k++) {
        int sx = min(max(x + k % 3 - 1, 0), w - 1), sy = min(max(y + k / 3 - 1, 0), h - 1);
        p[k] = in[sy * w + sx];
    }
    put_in_order(p[1], p[2]); put_in_order(p[4], p[5]); put_in_order(p[7], p[8]);
    put_in_order(p[0], p[1]); put_in_order(p[3], p[4]); put_in_order(p[6], p[7]);
    put_in_order(p[1], p[2]); put_in_order(p[4], p[5]); put_in_order(p[7], p[8]);
    put_in_order(p[0], p[3]); put_in_order(p[5], p[8]); put_in_order(p[4], p[7]);
    put_in_order(p[3], p[6]); put_in_order(p[1], p[4]); put_in_order(p[2], p[5]);
    put_in_order(p[4], p[7]); put_in_order(p[4], p[2]); put_in_order(p[6], p[4]);
    put_in_order(p[4], p[2]);
    out[y * w + x] = (unsigned char)p[4];
}

// Sum with 16 big blocks only.
__global__ void sum_sixteen_big_blocks(const float *in, float *out, int n) {
    __shared__ float part[1024];
    float s = 0;
    for (int i = blockIdx.x * 1024 + threadIdx.x; i < n; i += gridDim.x * 1024) s += in[i];
    part[threadIdx.x] = s;
    __syncthreads();
    for (int d = 512; d > 0; d >>= 1) {
        if (threadIdx.x < d) part[threadIdx.x] += part[threadIdx.x + d];
        __syncthreads();
    }
    if (threadIdx.x == 0) out[blockIdx.x] = part[0];
}

// Very many blocks of one warp.
__global__ void scale_tiny_blocks(float *v, float a, int n) {
    int i = blockIdx.x * 32 + threadIdx.x;
    if (i < n) v[i] = v[i] * a;
}

// Sparse product from triples, one atomic each.
__global__ void spmv_coo_atomics(const int *row, const int *col, const float *val, const float *x, float *y, int nnz) {
    int e = blockIdx.x * blockDim.x + threadIdx.x;
    if (e < nnz) atomicAdd(&y[row[e]], val[e] * x[col[e]]);
}

// Convolution layer, a thread per output value, everything from global memory.
__global__ void conv2d_layer_direct(const float *in, const float *weight, const float *bias, float *out, int ci, int h, int w) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    int o = blockIdx.z;
    int ow = w - 2, oh = h - 2;
    if (x >= ow || y >= oh) return;
    float s = bias[o];
    for (int c = 0; c < ci; c++)
        for (int ky = 0; ky < 3; ky++)
            for (int kx = 0; kx < 3; kx++)
                s += in[(c * h + y + ky) * w + x + kx] * weight[((o * ci + c) * 3 + ky) * 3 + kx];
    out[(o * oh + y) * ow + x] = fmaxf(s, 0.0f);
}

// American put, one option per block, the tree in a shared array.
__global__ void binomial_option_block(const float *spot, float *price, int steps, float strike, float u, float p, float discount) {
    __shared__ float v[256];
    float s = spot[blockIdx.x];
    float lu = logf(u);
    for (int i = threadIdx.x; i <= steps; i += blockDim.x) v[i] = fmaxf(strike - s * expf((2 * i - steps) * lu), 0.0f);
    __syncthreads();
    for (int t = steps - 1; t >= 0; t--) {
        float keep[2];
        int c = 0;
        for (int i = threadIdx.x; i <= t; i += blockDim.x) {
            float hold = discount * (p * v[i + 1] + (1.0f - p) * v[i]);
            keep[c++] = fmaxf(hold, strike - s * expf((2 * i - t) * lu));
        }
        __syncthreads();
        c = 0;
        for (int i = threadIdx.x; i <= t; i += blockDim.x) v[i] = keep[c++];
        __syncthreads();
    }
    if (threadIdx.x == 0) price[blockIdx.x] = v[0];
}

// Rounds like those of SHA-256, one message word block per thread.
__constant__ unsigned round_words[16] = {0x428a2f98u, 0x71374491u, 0xb5c0fbcfu, 0xe9b5dba5u, 0x3956c25bu, 0x59f111f1u,
                                         0x923f82a4u, 0xab1c5ed5u, 0xd807aa98u, 0x12835b01u, 0x243185beu, 0x550c7dc3u,
                                         0x72be5d74u, 0x80deb1feu, 0x9bdc06a7u, 0xc19bf174u};
__device__ inline unsigned turn(unsigned x, int n) { return (x >> n) | (x << (32 - n)); }
__global__ void sha_like_rounds(const unsigned *message, unsigned *digest, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned a = 0x6a09e667u, b = 0xbb67ae85u, c = 0x3c6ef372u, d = 0xa54ff53au;
    unsigned e = 0x510e527fu, f = 0x9b05688cu, g = 0x1f83d9abu, h = 0x5be0cd19u;
    for (int r = 0; r < 48; r++) {
        unsigned w = message[(r & 3) * n + i] + r;
        unsigned t1 = h + (turn(e, 6) ^ turn(e, 11) ^ turn(e, 25)) + ((e & f) ^ (~e & g)) + round_words[r & 15] + w;
        unsigned t2 = (turn(a, 2) ^ turn(a, 13) ^ turn(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
        h = g; g = f; f = e; e = d + t1; d = c; c = b; b = a; a = t1 + t2;
    }
    digest[i] = a ^ b ^ c ^ d ^ e ^ f ^ g ^ h;
}

// The first half changes places with the second half, backwards.
__global__ void reverse_in_place(float *v, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n / 2) {
        float t = v[i];
        v[i] = v[n - 1 - i];
        v[n - 1 - i] = t;
    }
}

// Bodies go around in a warp by shuffles.
__global__ void nbody_warp_shuffles(const float4 *body, float3 *force, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int lane = threadIdx.x & 31;
    float4 me = body[i];
    float3 f = make_float3(0, 0, 0);
    for (int base = 0; base < n; base += 32) {
        float4 other = body[base + lane];
        for (int k = 0; k < 32; k++) {
            float dx = __shfl_sync(0xffffffffu, other.x, k) - me.x;
            float dy = __shfl_sync(0xffffffffu, other.y, k) - me.y;
            float dz = __shfl_sync(0xffffffffu, other.z, k) - me.z;
            float m = __shfl_sync(0xffffffffu, other.w, k);
            float inv = rsqrtf(dx * dx + dy * dy + dz * dz + 0.01f);
            m *= inv * inv * inv;
            f.x += m * dx;
            f.y += m * dy;
            f.z += m * dz;
        }
    }
    force[i] = f;
}

// LU: the rest of the matrix after pivot k, pivot row and column through shared memory.
__global__ void lu_trailing_update(float *a, int n, int k) {
    __shared__ float row[16], factor[16];
    int j = k + 1 + blockIdx.x * 16 + threadIdx.x;
    int i = k + 1 + blockIdx.y * 16 + threadIdx.y;
    if (threadIdx.y == 0 && j < n) row[threadIdx.x] = a[k * n + j];
    if (threadIdx.x == 0 && i < n) factor[threadIdx.y] = a[i * n + k] / a[k * n + k];
    __syncthreads();
    if (i < n && j < n) a[i * n + j] -= factor[threadIdx.y] * row[threadIdx.x];
}

// Triangles: a thread per node merges sorted lists of neighbours.
__global__ void triangle_count_merge(const int *start, const int *adj, unsigned *count, int n) {
    int u = blockIdx.x * blockDim.x + threadIdx.x;
    if (u >= n) return;
    unsigned found = 0;
    for (int e = start[u]; e < start[u + 1]; e++) {
        int v = adj[e];
        int p = e + 1, q = start[v], pe = start[u + 1], qe = start[v + 1];
        while (p < pe && q < qe) {
            int x = adj[p], y = adj[q];
            found += x == y;
            p += x <= y;
            q += y <= x;
        }
    }
    atomicAdd(count, found);
}

// Pooling 2 x 2, channels last.
__global__ void maxpool_2x2_channels_last(const float *in, float *out, int h, int w, int c) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int oh = h / 2, ow = w / 2;
    if (i >= oh * ow * c) return;
    int ch = i % c, x = i / c % ow, y = i / c / ow;
    const float *p = in + ((2 * y) * w + 2 * x) * c + ch;
    out[i] = fmaxf(fmaxf(p[0], p[c]), fmaxf(p[w * c], p[w * c + c]));
}

// Box filter down the columns: the sum runs, a thread per column.
__global__ void box_columns_running_sum(const float *in, float *out, int w, int h, int r) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    if (x >= w) return;
    float s = 0;
    for (int y = 0; y < r; y++) s += in[y * w + x];
    for (int y = 0; y < h; y++) {
        if (y + r < h) s += in[(y + r) * w + x];
        if (y - r - 1 >= 0) s -= in[(y - r - 1) * w + x];
        out[y * w + x] = s / (2 * r + 1);
    }
}

// One diagonal of the longest common subsequence.
__global__ void lcs_diagonal(const unsigned char *a, const unsigned char *b, const int *two_back, const int *one_back, int *now, int d) {
    int i = blockIdx.x * blockDim.x + threadIdx.x + 1;
    if (i >= d) return;
    int j = d - i;
    int v;
    if (a[i - 1] == b[j - 1]) v = two_back[i - 1] + 1;
    else v = max(one_back[i - 1], one_back[i]);
    now[i] = v;
}

// Complex product with 16 x 16 tiles of float2.
__global__ void matmul_complex_tile16(const float2 *a, const float2 *b, float2 *c, int n) {
    __shared__ float2 sa[16][16], sb[16][17];
    int x = threadIdx.x, y = threadIdx.y;
    int row = blockIdx.y * 16 + y, col = blockIdx.x * 16 + x;
    float2 s = make_float2(0, 0);
    for (int t = 0; t < (n + 15) / 16; t++) {
        int ka = t * 16 + x, kb = t * 16 + y;
        sa[y][x] = row < n && ka < n ? a[row * n + ka] : make_float2(0, 0);
        sb[y][x] = col < n && kb < n ? b[kb * n + col] : make_float2(0, 0);
        __syncthreads();
        for (int k = 0; k < 16; k++) {
            float2 p = sa[y][k], q = sb[k][x];
            s.x += p.x * q.x - p.y * q.y;
            s.y += p.x * q.y + p.y * q.x;
        }
        __syncthreads();
    }
    if (row < n && col < n) c[row * n + col] = s;
}

// Volatile words: nothing may be kept or combined.
__global__ void copy_volatile_words(const volatile unsigned *in, volatile unsigned *out, int n) {
    int i = (blockIdx.x * blockDim.x + threadIdx.x) * 2;
    if (i + 1 < n) {
        out[i] = in[i];
        out[i + 1] = in[i + 1];
    }
}

// A += x y^T.
__global__ void outer_product_update(float *a, const float *x, const float *y, int rows, int cols, float alpha) {
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    int i = blockIdx.y * blockDim.y + threadIdx.y;
    if (i < rows && j < cols) a[(size_t)i * cols + j] += alpha * x[i] * y[j];
}

// Four chains in one thread.
__global__ void fma_four_chains(float *out, float a, float b, int rounds) {
    float x0 = threadIdx.x * 0.001f, x1 = x0 + 1, x2 = x0 + 2, x3 = x0 + 3;
    for (int i = 0; i < rounds; i++) {
        x0 = x0 * a + b;
        x1 = x1 * a + b;
        x2 = x2 * a + b;
        x3 = x3 * a + b;
    }
    out[blockIdx.x * blockDim.x + threadIdx.x] = x0 + x1 + x2 + x3;
}

// Components of a graph: every node takes the smallest label around it.
__global__ void component_labels_pull(const int *start, const int *adj, const int *label, int *next, int *changed, int n) {
    int v = blockIdx.x * blockDim.x + threadIdx.x;
    if (v >= n) return;
    int own = label[v], best = own;
    for (int e = start[v]; e < start[v + 1]; e++) best = min(best, label[adj[e]]);
    next[v] = best;
    if (best != own) atomicOr(changed, 1);
}

// Dilation by a 5 x 5 square, tile in shared memory.
__global__ void dilate_5x5_shared(const unsigned char *in, unsigned char *out, int w, int h) {
    __shared__ unsigned char tile[20][36];
    int x0 = blockIdx.x * 32, y0 = blockIdx.y * 16;
    for (int i = threadIdx.y * 32 + threadIdx.x; i < 20 * 36; i += 512) {
        int tx = x0 + i % 36 - 2, ty = y0 + i / 36 - 2;
        tile[i / 36][i % 36] = tx >= 0 && tx < w && ty >= 0 && ty < h ? in[ty * w + tx] : 0;
    }
    __syncthreads();
    int x = x0 + threadIdx.x, y = y0 + threadIdx.y;
    if (x >= w || y >= h) return;
    int m = 0;
    for (int dy = 0; dy < 5; dy++)
        for (int dx = 0; dx < 5; dx++) m = max(m, (int)tile[threadIdx.y + dy][threadIdx.x + dx]);
    out[y * w + x] = (unsigned char)m;
}

// Transposed B: both matrices are read along their rows. 1024 threads.
__global__ void matmul_b_transposed_1024(const float *a, const float *bt, float *c, int m, int n, int k) {
    int row = blockIdx.y * 32 + threadIdx.y, col = blockIdx.x * 32 + threadIdx.x;
    if (row >= m || col >= n) return;
    float s = 0;
    for (int i = 0; i < k; i++) s += a[row * k + i] * bt[col * k + i];
    c[row * n + col] = s;
}

// Statistics of batch norm: a block per channel.
__global__ void batchnorm_channel_statistics(const float *in, float *mean, float *inv_std, int batch, int channels, int pixels) {
    __shared__ float ss[256], qq[256];
    int c = blockIdx.x;
    float s = 0, q = 0;
    for (int b = 0; b < batch; b++)
        for (int p = threadIdx.x; p < pixels; p += 256) {
            float v = in[(b * channels + c) * pixels + p];
            s += v;
            q += v * v;
        }
    ss[threadIdx.x] = s;
    qq[threadIdx.x] = q;
    __syncthreads();
    for (int d = 128; d > 0; d /= 2) {
        if (threadIdx.x < d) {
            ss[threadIdx.x] += ss[threadIdx.x + d];
            qq[threadIdx.x] += qq[threadIdx.x + d];
        }
        __syncthreads();
    }
    if (threadIdx.x == 0) {
        float m = ss[0] / (batch * pixels);
        mean[c] = m;
        inv_std[c] = rsqrtf(qq[0] / (batch * pixels) - m * m + 1e-5f);
    }
}

// Scan in one pass: blocks take a ticket and wait for the one before them.
__global__ void scan_chained_tickets(const int *in, int *out, int *ticket, int *flag, volatile int *prefix, int n) {
    __shared__ int my_block, before, warp_sum[16];
    int t = threadIdx.x, lane = t & 31, warp = t >> 5;
    if (t == 0) my_block = atomicAdd(ticket, 1);
    __syncthreads();
    int base = my_block * 4096 + t * 8;
    int v[8], s = 0;
#pragma unroll
    for (int k = 0; k < 8; k++) {
        s += base + k < n ? in[base + k] : 0;
        v[k] = s;
    }
    int up = s;
    for (int d = 1; d < 32; d *= 2) {
        int u = __shfl_up_sync(0xffffffffu, up, d);
        if (lane >= d) up += u;
    }
    if (lane == 31) warp_sum[warp] = up;
    __syncthreads();
    if (t == 0) {
        int total = 0;
        for (int k = 0; k < 16; k++) {
            int x = warp_sum[k];
            warp_sum[k] = total;
            total += x;
        }
        int p = 0;
        if (my_block > 0) {
            while (atomicAdd(&flag[my_block - 1], 0) == 0) {
            }
            __threadfence();
            p = prefix[my_block - 1];
        }
        prefix[my_block] = p + total;
        __threadfence();
        atomicExch(&flag[my_block], 1);
        before = p;
    }
    __syncthreads();
    int add = before + warp_sum[warp] + up - s;
#pragma unroll
    for (int k = 0; k < 8; k++)
        if (base + k < n) out[base + k] = v[k] + add;
}

// Wave equation, one step.
__global__ void wave_equation_step(const float *before, const float *now, float *after, int nx, int ny, float c2) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= nx || y >= ny) return;
    int i = y * nx + x;
    if (x == 0 || y == 0 || x == nx - 1 || y == ny - 1) {
        after[i] = 0;
        return;
    }
    float lap = now[i - 1] + now[i + 1] + now[i - nx] + now[i + nx] - 4.0f * now[i];
    after[i] = 2.0f * now[i] - before[i] + c2 * lap;
}

// Radix sort, counting pass: digits of 4 bits, one table per block.
__global__ void radix_count_four_bits(const unsigned *keys, unsigned *counts, int n, int shift) {
    __shared__ unsigned c[16];
    if (threadIdx.x < 16) c[threadIdx.x] = 0;
    __syncthreads();
    int base = blockIdx.x * blockDim.x * 4;
    for (int k = 0; k < 4; k++) {
        int i = base + k * blockDim.x + threadIdx.x;
        if (i < n) atomicAdd(&c[(keys[i] >> shift) & 15], 1u);
    }
    __syncthreads();
    if (threadIdx.x < 16) counts[threadIdx.x * gridDim.x + blockIdx.x] = c[threadIdx.x];
}

// int8: four products at a time, a warp per row.
__global__ void dp4a_matvec_warp_row(const int *a, const int *x, int *y, int rows, int words) {
    int row = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32;
    int lane = threadIdx.x % 32;
    if (row >= rows) return;
    int s = 0;
    for (int j = lane; j < words; j += 32) s = __dp4a(a[row * words + j], x[j], s);
    for (int d = 16; d > 0; d /= 2) s += __shfl_xor_sync(0xffffffffu, s, d);
    if (lane == 0) y[row] = s;
}

// Eight ways through a switch, neighbours take different ones.
__global__ void divergent_switch_eight(const int *kind, const float *in, float *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float x = in[i];
    switch (kind[i] & 7) {
        case 0: x = sqrtf(x); break;
        case 1: x = sinf(x); break;
        case 2: x = expf(-x); break;
        case 3: for (int k = 0; k < 10; k++) x = x * 0.9f + 0.1f; break;
        case 4: x = 1.0f / (x + 0.5f); break;
        case 5: x = logf(x + 1.0f); break;
        case 6: x = x * x * x; break;
        default: x = fabsf(x - 0.5f); break;
    }
    out[i] = x;
}

// Adam, one step for every weight.
__global__ void adam_step(float *w, const float *g, float *m, float *v, int n, float lr, float b1, float b2, float c1, float c2) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float gi = g[i];
    float mi = b1 * m[i] + (1.0f - b1) * gi;
    float vi = b2 * v[i] + (1.0f - b2) * gi * gi;
    m[i] = mi;
    v[i] = vi;
    w[i] -= lr * (mi / c1) / (sqrtf(vi / c2) + 1e-8f);
}

// Edit distance of many pairs of short words, the row of the table in a local array.
__global__ void edit_distance_local_row(const unsigned char *a, const unsigned char *b, const int *length, int *dist, int pairs) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= pairs) return;
    int row[25];
    int la = 8 + length[2 * i], lb = 8 + length[2 * i + 1];
    for (int j = 0; j <= lb; j++) row[j] = j;
    for (int x = 1; x <= la; x++) {
        int corner = row[0];
        row[0] = x;
        unsigned char ch = a[i * 24 + x - 1];
        for (int j = 1; j <= lb; j++) {
            int old = row[j];
            int v = min(min(old, row[j - 1]) + 1, corner + (ch != b[i * 24 + j - 1]));
            row[j] = v;
            corner = old;
        }
    }
    dist[i] = row[lb];
}

// Band of 11 diagonals times a vector, diagonals stored one after the other.
__global__ void banded_matvec_diagonals(const float *diag, const float *x, float *y, int n, int half_width) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float s = 0;
    for (int d = -half_width; d <= half_width; d++) {
        int j = i + d;
        if (j >= 0 && j < n) s += diag[(d + half_width) * n + i] * x[j];
    }
    y[i] = s;
}

// Only 2 blocks fit beside each other: 96 KB of shared memory each.
__global__ void smooth_in_96_kilobytes(const float *in, float *out, int per_block, int passes) {
    extern __shared__ float big[];
    float *a = big, *b = big + per_block;
    for (int i = threadIdx.x; i < per_block; i += blockDim.x) a[i] = in[blockIdx.x * per_block + i];
    __syncthreads();
    for (int p = 0; p < passes; p++) {
        for (int i = threadIdx.x; i < per_block; i += blockDim.x) {
            float l = i > 0 ? a[i - 1] : a[i], r = i + 1 < per_block ? a[i + 1] : a[i];
            b[i] = 0.25f * l + 0.5f * a[i] + 0.25f * r;
        }
        __syncthreads();
        float *t = a;
        a = b;
        b = t;
    }
    for (int i = threadIdx.x; i < per_block; i += blockDim.x) out[blockIdx.x * per_block + i] = a[i];
}

// Base64: three bytes become four letters.
__constant__ char base64_letters[65] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
__global__ void base64_encode_triples(const unsigned char *in, char4 *out, int triples) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= triples) return;
    unsigned v = in[3 * i] << 16 | in[3 * i + 1] << 8 | in[3 * i + 2];
    out[i] = make_char4(base64_letters[v >> 18], base64_letters[v >> 12 & 63], base64_letters[v >> 6 & 63], base64_letters[v & 63]);
}

// Sum with tiles of cooperative groups.
__global__ void reduce_tiles_cooperative_groups(const float *in, float *out, int n) {
    __shared__ float part[32];
    cg::thread_block block = cg::this_thread_block();
    cg::thread_block_tile<32> tile = cg::tiled_partition<32>(block);
    float s = 0;
    for (int i = blockIdx.x * blockDim.x + block.thread_rank(); i < n; i += gridDim.x * blockDim.x) s += in[i];
    for (int d = tile.size() / 2; d > 0; d /= 2) s += tile.shfl_down(s, d);
    if (tile.thread_rank() == 0) part[block.thread_rank() / 32] = s;
    block.sync();
    if (block.thread_rank() < 32) {
        s = tile.thread_rank() < block.size() / 32 ? part[tile.thread_rank()] : 0.0f;
        for (int d = tile.size() / 2; d > 0; d /= 2) s += tile.shfl_down(s, d);
        if (tile.thread_rank() == 0) atomicAdd(out, s);
    }
}

// Forces from the 27 cells around, 8 places in a cell.
__global__ void md_forces_cell_lists(const float4 *pos, const int *count, float4 *force, int side, float cut2) {
    int cell = blockIdx.x * blockDim.y + threadIdx.y;
    if (cell >= side * side * side) return;
    int k = threadIdx.x;
    if (k >= count[cell]) return;
    int cx = cell % side, cy = cell / side % side, cz = cell / side / side;
    float4 me = pos[cell * 8 + k];
    float fx = 0, fy = 0, fz = 0, energy = 0;
    for (int dz = -1; dz <= 1; dz++)
        for (int dy = -1; dy <= 1; dy++)
            for (int dx = -1; dx <= 1; dx++) {
                int ox = cx + dx, oy = cy + dy, oz = cz + dz;
                if (ox < 0 || oy < 0 || oz < 0 || ox >= side || oy >= side || oz >= side) continue;
                int o = (oz * side + oy) * side + ox;
                int c = count[o];
                for (int q = 0; q < c; q++) {
                    float4 p = pos[o * 8 + q];
                    float rx = me.x - p.x - dx, ry = me.y - p.y - dy, rz = me.z - p.z - dz;
                    float r2 = rx * rx + ry * ry + rz * rz;
                    if (r2 > cut2 || r2 < 1e-6f) continue;
                    float i2 = 1.0f / (r2 + 0.1f), i6 = i2 * i2 * i2;
                    float s = 24.0f * i6 * (2.0f * i6 - 1.0f) * i2;
                    fx += s * rx;
                    fy += s * ry;
                    fz += s * rz;
                    energy += 4.0f * i6 * (i6 - 1.0f);
                }
            }
    force[cell * 8 + k] = make_float4(fx, fy, fz, energy);
}

// Writes 16 bytes per thread, reads nothing.
__global__ void fill_pattern_128_bits(ulonglong2 *out, int n, unsigned long long seed) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = make_ulonglong2(seed + i, seed ^ i);
}

// Integer divisions and remainders by a number known at run time only.
__global__ void integer_division_remainder(const int *in, int *out, int n, int d1, int d2) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int v = in[i], s = 0;
    for (int k = 0; k < 4; k++) {
        s += v % d1 + v / d2;
        v = v * 3 + s;
    }
    out[i] = s;
}

// One step of Jacobi for a dense matrix, a block per row.
__global__ void jacobi_dense_block_row(const float *a, const float *b, const float *x, float *next, int n) {
    __shared__ float part[4];
    int row = blockIdx.x;
    float s = 0;
    for (int j = threadIdx.x; j < n; j += 128)
        if (j != row) s += a[row * n + j] * x[j];
    for (int d = 16; d > 0; d /= 2) s += __shfl_down_sync(0xffffffffu, s, d);
    if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = s;
    __syncthreads();
    if (threadIdx.x == 0) next[row] = (b[row] - part[0] - part[1] - part[2] - part[3]) / a[row * n + row];
}

// Rotation by an angle, four neighbours weighted.
__global__ void warp_affine_bilinear(const float *in, float *out, int w, int h, float m00, float m01, float m02, float m10, float m11, float m12) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w || y >= h) return;
    float fx = m00 * x + m01 * y + m02, fy = m10 * x + m11 * y + m12;
    int ix = (int)floorf(fx), iy = (int)floorf(fy);
    float v = 0;
    if (ix >= 0 && iy >= 0 && ix + 1 < w && iy + 1 < h) {
        float ax = fx - ix, ay = fy - iy;
        const float *p = in + iy * w + ix;
        v = (1 - ay) * ((1 - ax) * p[0] + ax * p[1]) + ay * ((1 - ax) * p[w] + ax * p[w + 1]);
    }
    out[y * w + x] = v;
}

// Frontier of a breadth first search: new nodes go to a queue.
__global__ void bfs_frontier_queue(const int *start, const int *adj, const int *frontier, int size, int *dist, int *next, int *next_size, int level) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= size) return;
    int u = frontier[i];
    for (int e = start[u]; e < start[u + 1]; e++) {
        int v = adj[e];
        if (atomicCAS(&dist[v], 0, level) == 0) next[atomicAdd(next_size, 1)] = v;
    }
}

// Scores Q K^T for some heads, causal.
__global__ void attention_scores_causal(const float *q, const float *k, float *score, int length, float scale) {
    __shared__ float sq[16][33], sk[16][33];
    int head = blockIdx.z, i = blockIdx.y * 16 + threadIdx.y, j = blockIdx.x * 16 + threadIdx.x;
    const float *qh = q + head * length * 64, *kh = k + head * length * 64;
    float s = 0;
    if (blockIdx.x <= blockIdx.y) {
        for (int d0 = 0; d0 < 64; d0 += 32) {
            for (int t = threadIdx.y * 16 + threadIdx.x; t < 512; t += 256) {
                sq[t / 32][t % 32] = qh[(blockIdx.y * 16 + t / 32) * 64 + d0 + t % 32];
                sk[t / 32][t % 32] = kh[(blockIdx.x * 16 + t / 32) * 64 + d0 + t % 32];
            }
            __syncthreads();
            for (int d = 0; d < 32; d++) s += sq[threadIdx.y][d] * sk[threadIdx.x][d];
            __syncthreads();
        }
    }
    score[(head * length + i) * length + j] = j <= i ? s * scale : -1e30f;
}

// One block does it all.
__global__ void norm_one_block_992(const float *in, float *out, int n) {
    __shared__ float part[31];
    float s = 0;
    for (int i = threadIdx.x; i < n; i += blockDim.x) s += in[i] * in[i];
    for (int d = 16; d > 0; d /= 2) s += __shfl_down_sync(0xffffffffu, s, d);
    if ((threadIdx.x & 31) == 0) part[threadIdx.x / 32] = s;
    __syncthreads();
    if (threadIdx.x == 0) {
        s = 0;
        for (int i = 0; i < 31; i++) s += part[i];
        *out = sqrtf(s);
    }
}

// Ising model on a checkerboard, one colour; spins are 0 and 1.
__global__ void ising_checkerboard_black(unsigned char *spin, int w, int h, float beta, unsigned seed) {
    int x2 = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
    if (x2 >= w / 2) return;
    int x = 2 * x2 + (y & 1);
    int l = x == 0 ? w - 1 : x - 1, r = x == w - 1 ? 0 : x + 1;
    int u = y == 0 ? h - 1 : y - 1, d = y == h - 1 ? 0 : y + 1;
    int sum = 2 * (spin[y * w + l] + spin[y * w + r] + spin[u * w + x] + spin[d * w + x]) - 4;
    int s = 2 * spin[y * w + x] - 1;
    float p = expf(-2.0f * beta * s * sum);
    float rnd = (mix(y * w + x + seed) >> 8) * (1.0f / 16777216.0f);
    if (rnd < p) spin[y * w + x] = s < 0;
}

// Products of half pairs, all in half precision.
__global__ void half2_rational_function(const half2 *in, half2 *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    half2 x = in[i];
    half2 p = __float2half2_rn(0.3f), q = __float2half2_rn(1.0f);
#pragma unroll 4
    for (int k = 0; k < 12; k++) {
        p = __hfma2(p, x, __float2half2_rn(0.7f));
        q = __hfma2(q, x, __float2half2_rn(1.1f));
    }
    out[i] = __h2div(p, __hadd2(__habs2(q), __float2half2_rn(1.0f)));
}

// Cholesky of 6 x 6 matrices, a thread each, in a local array.
__global__ void cholesky_6x6_per_thread(const float *in, float *out, int batch) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t >= batch) return;
    float a[6][6];
#pragma unroll
    for (int i = 0; i < 6; i++)
#pragma unroll
        for (int j = 0; j <= i; j++) a[i][j] = in[(i * 6 + j) * batch + t] + (i == j ? 8.0f : 0.0f);
#pragma unroll
    for (int j = 0; j < 6; j++) {
#pragma unroll
        for (int k = 0; k < j; k++) a[j][j] -= a[j][k] * a[j][k];
        a[j][j] = sqrtf(a[j][j]);
#pragma unroll
        for (int i = j + 1; i < 6; i++) {
#pragma unroll
            for (int k = 0; k < j; k++) a[i][j] -= a[i][k] * a[j][k];
            a[i][j] /= a[j][j];
        }
    }
#pragma unroll
    for (int i = 0; i < 6; i++)
#pragma unroll
        for (int j = 0; j <= i; j++) out[(i * 6 + j) * batch + t] = a[i][j];
}

// A permutation writes to places all over.
__global__ void scatter_by_permutation(const float *in, const int *to, float *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[to[i]] = in[i];
}

// Newton until it is good enough: every thread its own number of rounds.
__global__ void newton_cube_root_until(const float *in, float *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float a = in[i] * in[i] * in[i], x = a + 1.0f;
    for (int k = 0; k < 60; k++) {
        float next = (2.0f * x + a / (x * x)) * (1.0f / 3.0f);
        bool good = fabsf(next - x) < 1e-5f * x;
        x = next;
        if (good) break;
    }
    out[i] = x;
}

// Non-local means: window 5 x 5, patches 3 x 3.
__global__ void nonlocal_means_5x5(const float *in, float *out, int w, int h, float inv_h2) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < 3 || y < 3 || x >= w - 3 || y >= h - 3) return;
    float sum = 0, weight = 0;
    for (int dy = -2; dy <= 2; dy++)
        for (int dx = -2; dx <= 2; dx++) {
            float d = 0;
#pragma unroll
            for (int py = -1; py <= 1; py++)
#pragma unroll
                for (int px = -1; px <= 1; px++) {
                    float e = in[(y + py) * w + x + px] - in[(y + dy + py) * w + x + dx + px];
                    d += e * e;
                }
            float k = __expf(-d * inv_h2);
            sum += k * in[(y + dy) * w + x + dx];
            weight += k;
        }
    out[y * w + x] = sum / weight;
}

// A 16-lane tile per row of a sparse matrix in double precision.
__global__ void spmv_csr_sixteen_lanes_double(const int *start, const int *col, const double *val, const double *x, double *y, int n) {
    cg::thread_block_tile<16> tile = cg::tiled_partition<16>(cg::this_thread_block());
    int row = (blockIdx.x * blockDim.x + threadIdx.x) / 16;
    if (row >= n) return;
    double s = 0;
    for (int e = start[row] + tile.thread_rank(); e < start[row + 1]; e += 16) s += val[e] * x[col[e]];
    for (int d = 8; d > 0; d /= 2) s += tile.shfl_xor(s, d);
    if (tile.thread_rank() == 0) y[row] = s;
}

// Layer norm backwards, the part for the input; a block of 96 per row.
__global__ void layernorm_backward_rows(const float *x, const float *dy, const float *gamma, float *dx, int cols) {
    __shared__ float red[4][3];
    const float *xr = x + blockIdx.x * cols, *dr = dy + blockIdx.x * cols;
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    float s = 0, q = 0, g = 0, gx = 0;
    for (int j = threadIdx.x; j < cols; j += 96) {
        float v = xr[j], d = dr[j] * gamma[j];
        s += v;
        q += v * v;
        g += d;
        gx += d * v;
    }
    for (int d = 16; d > 0; d /= 2) {
        s += __shfl_xor_sync(0xffffffffu, s, d);
        q += __shfl_xor_sync(0xffffffffu, q, d);
        g += __shfl_xor_sync(0xffffffffu, g, d);
        gx += __shfl_xor_sync(0xffffffffu, gx, d);
    }
    if (lane == 0) {
        red[0][warp] = s;
        red[1][warp] = q;
        red[2][warp] = g;
        red[3][warp] = gx;
    }
    __syncthreads();
    float inv = 1.0f / cols;
    float mean = (red[0][0] + red[0][1] + red[0][2]) * inv;
    float rstd = rsqrtf((red[1][0] + red[1][1] + red[1][2]) * inv - mean * mean + 1e-5f);
    float mg = (red[2][0] + red[2][1] + red[2][2]) * inv;
    float mgx = ((red[3][0] + red[3][1] + red[3][2]) * inv - mean * mg) * rstd;
    for (int j = threadIdx.x; j < cols; j += 96)
        dx[blockIdx.x * cols + j] = rstd * (dr[j] * gamma[j] - mg - (xr[j] - mean) * rstd * mgx);
}

// More values than registers: at most 32 are allowed.
__global__ void __launch_bounds__(1024, 2) spill_many_sums(const float *in, float *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float acc[40];
#pragma unroll
    for (int k = 0; k < 40; k++) acc[k] = in[i] * k;
    for (int r = 1; r <= 3; r++) {
        float v = in[(i + r * 1000) % n];
#pragma unroll
        for (int k = 0; k < 40; k++) acc[k] = acc[k] * v + acc[(k + 7) % 40];
    }
    float s = 0;
#pragma unroll
    for (int k = 0; k < 40; k++) s += acc[k] * acc[k];
    out[i] = s;
}

// Rows of an embedding table, float4 loads, a quarter warp for each token.
__global__ void embedding_lookup_float4(const float4 *table, const int *token, float4 *out, int tokens, int quads) {
    int t = blockIdx.x * blockDim.y + threadIdx.y;
    if (t >= tokens) return;
    int row = token[t];
    for (int q = threadIdx.x; q < quads; q += blockDim.x) out[t * quads + q] = __ldg(&table[row * quads + q]);
}

// Red points of Gauss-Seidel for a Poisson equation, in double precision.
__global__ void gauss_seidel_red_double(double *u, const double *f, int nx, int ny, double h2) {
    int x = 1 + blockIdx.x * blockDim.x + threadIdx.x, y = 1 + blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= nx - 1 || y >= ny - 1 || ((x + y) & 1)) return;
    int i = y * nx + x;
    u[i] = 0.25 * (u[i - 1] + u[i + 1] + u[i - nx] + u[i + nx] - h2 * f[i]);
}

// Tiles of a running sum come in by cp.async while the last one is used.
__global__ void cp_async_two_stage_dot(const float *a, const float *b, float *out, int per_block) {
    __shared__ __align__(16) float sa[2][512], sb[2][512];
    const float *ga = a + blockIdx.x * per_block, *gb = b + blockIdx.x * per_block;
    int t = threadIdx.x, tiles = per_block / 512;
    __pipeline_memcpy_async(&sa[0][4 * t], ga + 4 * t, 16);
    __pipeline_memcpy_async(&sb[0][4 * t], gb + 4 * t, 16);
    __pipeline_commit();
    float s = 0;
    for (int k = 0; k < tiles; k++) {
        if (k + 1 < tiles) {
            int next = (k + 1) & 1;
            __pipeline_memcpy_async(&sa[next][4 * t], ga + (k + 1) * 512 + 4 * t, 16);
            __pipeline_memcpy_async(&sb[next][4 * t], gb + (k + 1) * 512 + 4 * t, 16);
        }
        __pipeline_commit();
        __pipeline_wait_prior(1);
        __syncthreads();
        for (int q = t; q < 512; q += 128) s += sa[k & 1][q] * sb[k & 1][511 - q];
        __syncthreads();
    }
    atomicAdd(&out[blockIdx.x], s);
}

// Symmetric matrix, only the lower half stored; a thread per row.
__global__ void symv_packed_thread_per_row(const float *packed, const float *x, float *y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float s = 0;
    for (int j = 0; j < n; j++) {
        int r = i > j ? i : j, c = i > j ? j : i;
        s += packed[r * (r + 1) / 2 + c] * x[j];
    }
    y[i] = s;
}

// Colour to hue, saturation and value, bytes.
__global__ void rgba_to_hsv_bytes(const uchar4 *in, uchar4 *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    uchar4 p = in[i];
    int top = max(p.x, max(p.y, p.z)), low = min(p.x, min(p.y, p.z)), range = top - low;
    float hue = 0;
    if (range > 0) {
        if (top == p.x) hue = (float)(p.y - p.z) / range;
        else if (top == p.y) hue = 2.0f + (float)(p.z - p.x) / range;
        else hue = 4.0f + (float)(p.x - p.y) / range;
        if (hue < 0) hue += 6.0f;
    }
    int sat = top > 0 ? 255 * range / top : 0;
    out[i] = make_uchar4((unsigned char)(hue * 42.5f), (unsigned char)sat, (unsigned char)top, p.w);
}

// The four largest of each row, a warp per row.
__global__ void top_four_warp_per_row(const float *in, float *out, int rows, int cols) {
    int row = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32, lane = threadIdx.x % 32;
    if (row >= rows) return;
    float t0 = -1e30f, t1 = t0, t2 = t0, t3 = t0;
    for (int j = lane; j < cols; j += 32) {
        float v = in[row * cols + j];
        if (v > t3) {
            if (v > t0) { t3 = t2; t2 = t1; t1 = t0; t0 = v; }
            else if (v > t1) { t3 = t2; t2 = t1; t1 = v; }
            else if (v > t2) { t3 = t2; t2 = v; }
            else t3 = v;
        }
    }
    for (int k = 0; k < 4; k++) {
        float best = t0;
        for (int d = 16; d > 0; d /= 2) best = fmaxf(best, __shfl_xor_sync(0xffffffffu, best, d));
        unsigned owners = __ballot_sync(0xffffffffu, t0 == best);
        if (lane == __ffs(owners) - 1) {
            out[row * 4 + k] = best;
            t0 = t1; t1 = t2; t2 = t3; t3 = -1e30f;
        }
    }
}

// Both ends of the data in one go, atomics on ordered integers.
__global__ void minmax_two_atomics(const int *in, int *low, int *high, int n) {
    int lo = 0x7fffffff, hi = -0x7fffffff - 1;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        int v = in[i];
        lo = min(lo, v);
        hi = max(hi, v);
    }
    lo = __reduce_min_sync(0xffffffffu, lo);
    hi = __reduce_max_sync(0xffffffffu, hi);
    if ((threadIdx.x & 31) == 0) {
        atomicMin(low, lo);
        atomicMax(high, hi);
    }
}

// Edges after Sobel: keep only maxima along the gradient.
__global__ void canny_thin_edges(const float *gx, const float *gy, unsigned char *out, int w, int h, float low, float high) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w || y >= h) return;
    unsigned char result = 0;
    if (x > 0 && y > 0 && x < w - 1 && y < h - 1) {
        int i = y * w + x;
        float a = gx[i], b = gy[i], m = hypotf(a, b);
        int step;
        if (fabsf(a) > 2.414f * fabsf(b)) step = 1;
        else if (fabsf(b) > 2.414f * fabsf(a)) step = w;
        else step = a * b > 0 ? w + 1 : w - 1;
        float m1 = hypotf(gx[i - step], gy[i - step]), m2 = hypotf(gx[i + step], gy[i + step]);
        if (m >= m1 && m >= m2) result = m > high ? 255 : m > low ? 128 : 0;
    }
    out[y * w + x] = result;
}

// Columns of one bank: every lane waits for all the others.
__global__ void shared_column_one_bank(const float *in, float *out) {
    __shared__ float tile[32][32];
    int x = threadIdx.x, y = threadIdx.y;
    for (int r = y; r < 32; r += 8) tile[r][x] = in[(blockIdx.x * 32 + r) * 32 + x];
    __syncthreads();
    float s = 0;
    for (int c = 0; c < 32; c++) s += tile[x][(c + y) & 31];
    out[(blockIdx.x * 8 + y) * 32 + x] = s;
}

// x and r of conjugate gradients, and the next r.r in the same kernel.
__global__ void conjugate_gradient_update(float *x, float *r, const float *p, const float *ap, float alpha, float *rr, int n) {
    __shared__ float warp_sum[8];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float s = 0;
    if (i < n) {
        x[i] += alpha * p[i];
        float v = r[i] - alpha * ap[i];
        r[i] = v;
        s = v * v;
    }
    for (int d = 16; d > 0; d /= 2) s += __shfl_down_sync(0xffffffffu, s, d);
    if (threadIdx.x % 32 == 0) warp_sum[threadIdx.x / 32] = s;
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int k = 1; k < 8; k++) s += warp_sum[k];
        atomicAdd(rr, s);
    }
}

// Search of a pattern in constant memory, with the last letter first.
__constant__ unsigned char wanted[16];
__global__ void pattern_search_last_first(const unsigned char *text, int n, int length, int *hits) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    bool hit = i + length <= n;
    for (int k = length - 1; hit && k >= 0; k--) hit = text[i + k] == wanted[k];
    unsigned votes = __ballot_sync(0xffffffffu, hit);
    if ((threadIdx.x & 31) == 0 && votes) atomicAdd(hits, __popc(votes));
}

// Rotations of pairs of rows, as in a QR by Givens. A block per pair.
__global__ void givens_rotate_row_pairs(float *a, int cols, int k) {
    float *top = a + (size_t)(2 * blockIdx.x) * cols, *low = top + cols;
    float p = top[k], q = low[k];
    float r = sqrtf(p * p + q * q), c = r > 0 ? p / r : 1.0f, s = r > 0 ? q / r : 0.0f;
    __syncthreads();
    for (int j = k + threadIdx.x; j < cols; j += blockDim.x) {
        float u = top[j], v = low[j];
        top[j] = c * u + s * v;
        low[j] = c * v - s * u;
    }
}

// Each thread 4 columns of C with float4 loads of B; A from shared memory.
__global__ void matmul_float4_columns(const float *a, const float4 *b, float4 *c, int k, int n4) {
    __shared__ float sa[8][64];
    int col = blockIdx.x * 32 + threadIdx.x, row = blockIdx.y * 8 + threadIdx.y;
    float4 s = make_float4(0, 0, 0, 0);
    for (int k0 = 0; k0 < k; k0 += 64) {
        sa[threadIdx.y][threadIdx.x] = a[row * k + k0 + threadIdx.x];
        sa[threadIdx.y][threadIdx.x + 32] = a[row * k + k0 + threadIdx.x + 32];
        __syncthreads();
        for (int i = 0; i < 64; i++) {
            float v = sa[threadIdx.y][i];
            float4 q = b[(k0 + i) * n4 + col];
            s.x += v * q.x;
            s.y += v * q.y;
            s.z += v * q.z;
            s.w += v * q.w;
        }
        __syncthreads();
    }
    c[row * n4 + col] = s;
}

// Loss of a softmax classifier, a thread per sample, classes apart by the batch size.
__global__ void cross_entropy_thread_per_sample(const float *logit, const int *target, float *loss, int batch, int classes) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= batch) return;
    float m = logit[i];
    for (int c = 1; c < classes; c++) m = fmaxf(m, logit[c * batch + i]);
    float s = 0;
    for (int c = 0; c < classes; c++) s += __expf(logit[c * batch + i] - m);
    loss[i] = m + __logf(s) - logit[target[i] * batch + i];
}

// Unaligned: everything is shifted by 3 and 1 words.
__global__ void add_with_odd_offsets(const float *__restrict__ a, const float *__restrict__ b, float *__restrict__ c, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n - 3) c[i + 1] = a[i + 3] + b[i + 1];
}

// Eight chains in one thread.
__global__ void fma_eight_chains(float *out, float a, float b, int rounds) {
    float x[8];
#pragma unroll
    for (int k = 0; k < 8; k++) x[k] = threadIdx.x * 0.001f + k;
    for (int i = 0; i < rounds; i++) {
#pragma unroll
        for (int k = 0; k < 8; k++) x[k] = x[k] * a + b;
    }
    float s = 0;
#pragma unroll
    for (int k = 0; k < 8; k++) s += x[k];
    out[blockIdx.x * blockDim.x + threadIdx.x] = s;
}

// Sums of segments: heads of segments are marked, a warp adds what belongs together.
__global__ void segmented_sum_warp_heads(const float *v, const int *segment, float *sum, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x & 31;
    int s = i < n ? segment[i] >> 3 : -1;
    float x = i < n ? v[i] : 0.0f;
    for (int d = 1; d < 32; d *= 2) {
        float y = __shfl_up_sync(0xffffffffu, x, d);
        int t = __shfl_up_sync(0xffffffffu, s, d);
        if (lane >= d && t == s) x += y;
    }
    int after = __shfl_down_sync(0xffffffffu, s, 1);
    if (s >= 0 && (lane == 31 || after != s)) atomicAdd(&sum[s], x);
}

// Sobol points in two dimensions, direction numbers in constant memory.
__constant__ unsigned sobol_direction[2][24];
__global__ void sobol_points_pi(float *inside, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned gray = i ^ (i >> 1), x = 0, y = 0;
    for (int k = 0; gray >> k; k++)
        if (gray >> k & 1) {
            x ^= sobol_direction[0][k];
            y ^= sobol_direction[1][k];
        }
    float fx = x * (1.0f / 4294967296.0f), fy = y * (1.0f / 4294967296.0f);
    inside[i] = fx * fx + fy * fy < 1.0f ? 1.0f : 0.0f;
}

// Special functions in a row.
__global__ void special_functions_row(const float *in, float *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float x = in[i];
    out[i] = tanhf(x) + erff(x) + atan2f(x, 1.5f) + powf(fabsf(x) + 0.1f, 1.7f) + cbrtf(x) + __sinf(x);
}

// Dropout with a hash as random numbers; half in, half out.
__global__ void dropout_hash_half(const half *in, half *out, unsigned *mask, int n, unsigned seed, float keep) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    bool stay = (mix(i ^ seed) >> 8) * (1.0f / 16777216.0f) < keep;
    unsigned bits = __ballot_sync(0xffffffffu, stay && i < n);
    if (i >= n) return;
    out[i] = stay ? __hmul(in[i], __float2half(1.0f / keep)) : __float2half(0.0f);
    if ((threadIdx.x & 31) == 0) mask[i / 32] = bits;
}

// 7-point Laplace operator, blocks in three dimensions.
__global__ void laplace_blocks_16_4_4(const float *in, float *out, int nx, int ny, int nz) {
    int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 4 + threadIdx.y, z = blockIdx.z * 4 + threadIdx.z;
    if (x >= nx || y >= ny || z >= nz) return;
    int i = (z * ny + y) * nx + x;
    float c = in[i];
    float l = x > 0 ? in[i - 1] : c, r = x < nx - 1 ? in[i + 1] : c;
    float u = y > 0 ? in[i - nx] : c, d = y < ny - 1 ? in[i + nx] : c;
    float f = z > 0 ? in[i - nx * ny] : c, b = z < nz - 1 ? in[i + nx * ny] : c;
    out[i] = l + r + u + d + f + b - 6.0f * c;
}

// Integral image, first pass: a block scans a row of 512 pixels with two buffers.
__global__ void integral_rows_two_buffers(const unsigned char *in, unsigned *out, int w) {
    __shared__ unsigned buf[2][512];
    int t = threadIdx.x, from = 0;
    buf[0][t] = t < w ? in[blockIdx.x * w + t] : 0;
    __syncthreads();
    for (int d = 1; d < 512; d *= 2) {
        buf[1 - from][t] = buf[from][t] + (t >= d ? buf[from][t - d] : 0);
        from = 1 - from;
        __syncthreads();
    }
    if (t < w) out[blockIdx.x * w + t] = buf[from][t];
}

// Brownian paths, written after every step, step after step apart.
__global__ void brownian_paths_stored(float *path, int paths, int steps, float sigma) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= paths) return;
    float x = 0;
    unsigned state = i * 747796405u + 2891336453u;
    for (int t = 0; t < steps; t++) {
        float s = -6.0f;
        for (int k = 0; k < 4; k++) {
            state = state * 1664525u + 1013904223u;
            s += (state >> 9) * (3.0f / 8388608.0f);
        }
        x += sigma * s;
        path[(size_t)t * paths + i] = x;
    }
}

// Words start where a letter follows a space.
__global__ void word_starts_count(const unsigned char *text, int n, unsigned *words) {
    __shared__ unsigned local;
    if (threadIdx.x == 0) local = 0;
    __syncthreads();
    unsigned c = 0;
    int base = (blockIdx.x * blockDim.x + threadIdx.x) * 8;
    for (int k = 0; k < 8; k++) {
        int i = base + k;
        if (i < n && text[i] > 1 && (i == 0 || text[i - 1] <= 1)) c++;
    }
    atomicAdd(&local, c);
    __syncthreads();
    if (threadIdx.x == 0) atomicAdd(words, local);
}

// A wmma product of 16 x 16 for each warp, matrices apart by a stride.
__global__ void wmma_strided_batch_half(const half *a, const half *b, half *c, int batch) {
    using namespace nvcuda;
    int m = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    if (m >= batch) return;
    wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> fa;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::col_major> fb;
    wmma::fragment<wmma::accumulator, 16, 16, 16, half> acc;
    wmma::fill_fragment(acc, __float2half(0.0f));
    for (int k = 0; k < 4; k++) {
        wmma::load_matrix_sync(fa, a + (size_t)m * 1024 + 16 * k, 64);
        wmma::load_matrix_sync(fb, b + (size_t)m * 1024 + 16 * k, 64);
        wmma::mma_sync(acc, fa, fb, acc);
    }
    wmma::store_matrix_sync(c + (size_t)m * 256, acc, 16, wmma::mem_row_major);
}

// Grey levels through a table of the equalised histogram.
__global__ void equalise_with_table(const unsigned char *in, unsigned char *out, const unsigned char *table, int n) {
    __shared__ unsigned char lut[256];
    if (threadIdx.x < 256) lut[threadIdx.x] = table[threadIdx.x];
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) out[i] = lut[in[i]];
}

// Sums and sizes of 16 clusters, shared atomics.
__global__ void kmeans_sum_by_cluster(const float2 *point, const int *cluster, float *sum, int *size, int n) {
    __shared__ float sx[16], sy[16];
    __shared__ int count[16];
    if (threadIdx.x < 16) {
        sx[threadIdx.x] = sy[threadIdx.x] = 0;
        count[threadIdx.x] = 0;
    }
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        float2 p = point[i];
        int c = cluster[i];
        atomicAdd(&sx[c], p.x);
        atomicAdd(&sy[c], p.y);
        atomicAdd(&count[c], 1);
    }
    __syncthreads();
    if (threadIdx.x < 16) {
        atomicAdd(&sum[2 * threadIdx.x], sx[threadIdx.x]);
        atomicAdd(&sum[2 * threadIdx.x + 1], sy[threadIdx.x]);
        atomicAdd(&size[threadIdx.x], count[threadIdx.x]);
    }
}

// ---------------------------------------------------------------- main

int main() {
    {
        const int w = 1990, h = 1100;
        float *src, *dst;
        size_t sp, dp;
        CHECK(cudaMallocPitch(&src, &sp, w * sizeof(float), h));
        pool.push_back(src);
        CHECK(cudaMallocPitch(&dst, &dp, (w + 70) * sizeof(float), h));
        pool.push_back(dst);
        int words = (int)(sp / sizeof(float)) * h;
        init_floats<<<(words + 255) / 256, 256>>>(src, words, 1, -1.0f, 1.0f);
        dim3 block(32, 8), grid((w + 31) / 32, (h + 7) / 8);
        copy_pitched_rows<<<grid, block>>>(src, sp, dst, dp, w, h);
        done();
    }
    {
        const int batch = 14001;
        float *a = floats(batch * 64, 2), *b = floats(batch * 64, 3), *c = room<float>(batch * 64);
        matmul_batched_8x8<<<(batch + 3) / 4, dim3(8, 8, 4)>>>(a, b, c, batch);
        done();
    }
    {
        float *out = room<float>(132 * 128);
        fma_one_chain<<<132, 128>>>(out, 0.999f, 0.01f, 9000);
        done();
    }
    {
        const int n = 110000;
        int *start = row_starts(n, 8, 4), *from = ints(n * 8, 5, n), *degree = ints(n, 6, 20);
        float *rank = floats(n, 7, 0, 1), *next = room<float>(n);
        pagerank_pull<<<(n + 191) / 192, 192>>>(start, from, rank, degree, next, n, 0.85f);
        done();
    }
    {
        const int w = 1300, h = 550;
        float weights[16];
        for (int i = 0; i < 16; i++) weights[i] = 0.2f / (1 + i * i);
        CHECK(cudaMemcpyToSymbol(gauss_weights, weights, sizeof weights));
        float *in = floats(w * h, 8), *out = room<float>(w * h);
        gaussian_rows_constant<<<dim3((w + 159) / 160, h), 160>>>(in, out, w, h, 7);
        done();
    }
    {
        const int paths = 90000;
        float *payoff = room<float>(paths);
        option_paths_xorshift<<<(paths + 127) / 128, 128>>>(payoff, paths, 20, 100.0f, 105.0f, 0.03f, 0.2f);
        done();
    }
    {
        const int n = 1900000, blocks = (n + 1023) / 1024;
        int *in = ints(n, 9, 10), *out = room<int>(n), *totals = room<int>(blocks);
        scan_block_two_shuffles<<<blocks, 1024>>>(in, out, totals, n);
        done();
    }
    {
        const int n = 600000;
        unsigned *in = (unsigned *)ints(n, 10, 0x7fffffff), *bins = zeros<unsigned>(256);
        byte_histogram_uchar4<<<264, 320>>>((const uchar4 *)in, bins, n);
        done();
    }
    {
        const int nx = 500, ny = 450;
        float *f = floats(9 * nx * ny, 11, 0.5f, 1.0f), *g = room<float>(9 * nx * ny);
        lattice_boltzmann_d2q9<<<dim3((nx + 63) / 64, (ny + 3) / 4), dim3(64, 4)>>>(f, g, nx, ny, 1.2f);
        done();
    }
    {
        const int n = 2100;
        float *l = floats(n * n, 12), *x = floats(n, 13), *y = room<float>(n);
        trmv_lower_warp_per_row<<<(n * 32 + 255) / 256, 256>>>(l, x, y, n);
        done();
    }
    {
        const int c = 24, h = 61, w = 83;
        float *in = floats(c * h * w, 14), *cols = room<float>(c * 9 * h * w);
        im2col_3x3<<<(c * 9 * h * w + 511) / 512, 512>>>(in, cols, c, h, w);
        done();
    }
    {
        float *in = floats(2048, 15), *out = room<float>(300 * 256);
        shared_stride_four<<<300, 256>>>(in, out, 160);
        done();
    }
    {
        const int n = 1 << 21;
        int *v = ints(n, 16, 1000000);
        bitonic_step_global<<<n / 512, 512>>>(v, n, 1 << 9, 1 << 12);
        done();
    }
    {
        const int cap = 2500000;
        int *before = ints(cap + 1, 17, 5000), *after = room<int>(cap + 1);
        knapsack_row<<<cap / 224 + 1, 224>>>(before, after, cap, 777, 131);
        done();
    }
    {
        const int m = 416, n = 512, k = 288;
        half *a = halves(m * k, 18), *b = halves(k * n, 19);
        float *c = room<float>(m * n);
        wmma_four_warps_staged<<<dim3(n / 32, m / 32), 128>>>(a, b, c, m, n, k);
        done();
    }
    {
        const int n = 700000;
        double *x = doubles(n, 20), *y = room<double>(n);
        double_horner_polynomial<<<(n + 255) / 256, 256>>>(x, y, n);
        done();
    }
    {
        const int n = 300000;
        int *keys = ints(n, 21, 1 << 28), *table = zeros<int>(1 << 19), *fresh = zeros<int>(1);
        hash_set_quadratic_probe<<<(n + 127) / 128, 128>>>(keys, n, table, (1u << 19) - 1, fresh);
        done();
    }
    {
        const int rows = 3001, cols = 300;
        float *in = floats(rows * cols, 22, -4, 4), *out = room<float>(rows * cols);
        softmax_warp_running_max<<<(rows + 4) / 5, dim3(32, 5)>>>(in, out, rows, cols);
        done();
    }
    {
        const int n = 1100;
        int *d = ints(n * n, 23, 10000);
        floyd_warshall_through_k<<<dim3((n + 15) / 16, (n + 15) / 16), dim3(16, 16)>>>(d, n, 417);
        done();
    }
    {
        const int w = 1400, h = 1000;
        unsigned char *in = bytes(w * h, 24), *out = room<unsigned char>(w * h);
        median_3x3_exchanges<<<dim3((w + 31) / 32, (h + 15) / 16), dim3(32, 16)>>>(in, out, w, h);
        done();
    }
    {
        const int n = 1700003;
        float *in = floats(n, 25), *out = room<float>(16);
        sum_sixteen_big_blocks<<<16, 1024>>>(in, out, n);
        done();
    }
    {
        const int n = 1440000;
        float *v = floats(n, 26);
        scale_tiny_blocks<<<n / 32, 32>>>(v, 1.5f, n);
        done();
    }
    {
        const int n = 90000, nnz = 600000;
        int *row = ints(nnz, 27, n), *col = ints(nnz, 28, n);
        float *val = floats(nnz, 29), *x = floats(n, 30), *y = zeros<float>(n);
        spmv_coo_atomics<<<(nnz + 255) / 256, 256>>>(row, col, val, x, y, nnz);
        done();
    }
    {
        const int ci = 12, co = 16, h = 66, w = 98;
        float *in = floats(ci * h * w, 31), *weight = floats(co * ci * 9, 32), *bias = floats(co, 33);
        float *out = room<float>(co * (h - 2) * (w - 2));
        conv2d_layer_direct<<<dim3(3, 8, co), dim3(32, 8)>>>(in, weight, bias, out, ci, h, w);
        done();
    }
    {
        const int options = 120;
        float *spot = floats(options, 34, 80, 120), *price = room<float>(options);
        binomial_option_block<<<options, 128>>>(spot, price, 180, 100.0f, 1.01f, 0.51f, 0.9999f);
        done();
    }
    {
        const int n = 180000;
        unsigned *message = (unsigned *)ints(4 * n, 35, 0x7fffffff), *digest = room<unsigned>(n);
        sha_like_rounds<<<(n + 249) / 250, 250>>>(message, digest, n);
        done();
    }
    {
        const int n = 2400001;
        float *v = floats(n, 36);
        reverse_in_place<<<(n / 2 + 255) / 256, 256>>>(v, n);
        done();
    }
    {
        const int n = 2816;
        float *body = floats(4 * n, 37, 0, 1);
        float3 *force = room<float3>(n);
        nbody_warp_shuffles<<<n / 64, 64>>>((const float4 *)body, force, n);
        done();
    }
    {
        const int n = 1200, k = 99;
        float *a = floats(n * n, 38, 0.5f, 2.0f);
        int tiles = (n - k - 1 + 15) / 16;
        lu_trailing_update<<<dim3(tiles, tiles), dim3(16, 16)>>>(a, n, k);
        done();
    }
    {
        const int n = 30000;
        int *start = row_starts(n + 64, 8, 39), *adj = room<int>((n + 64) * 8);
        init_near_neighbours<<<(n + 64 + 127) / 128, 128>>>(start, adj, n + 64);
        unsigned *count = zeros<unsigned>(1);
        triangle_count_merge<<<(n + 95) / 96, 96>>>(start, adj, count, n);
        done();
    }
    {
        const int h = 220, w = 240, c = 64;
        float *in = floats(h * w * c, 40), *out = room<float>(h * w * c / 4);
        maxpool_2x2_channels_last<<<(h * w * c / 4 + 383) / 384, 384>>>(in, out, h, w, c);
        done();
    }
    {
        const int w = 4200, h = 240;
        float *in = floats(w * h, 41), *out = room<float>(w * h);
        box_columns_running_sum<<<(w + 63) / 64, 64>>>(in, out, w, h, 6);
        done();
    }
    {
        const int d = 900000;
        unsigned char *a = bytes(d, 42, 4), *b = bytes(d, 43, 4);
        int *two = ints(d + 1, 44, 1000), *one = ints(d + 1, 45, 1000), *now = room<int>(d + 1);
        lcs_diagonal<<<(d + 255) / 256, 256>>>(a, b, two, one, now, d);
        done();
    }
    {
        const int n = 210;
        float *a = floats(2 * n * n, 46), *b = floats(2 * n * n, 47);
        float2 *c = room<float2>(n * n);
        matmul_complex_tile16<<<dim3(14, 14), dim3(16, 16)>>>((const float2 *)a, (const float2 *)b, c, n);
        done();
    }
    {
        const int n = 1600000;
        unsigned *in = (unsigned *)ints(n, 50, 1 << 30), *out = room<unsigned>(n);
        copy_volatile_words<<<(n / 2 + 255) / 256, 256>>>(in, out, n);
        done();
    }
    {
        const int rows = 1200, cols = 1300;
        float *a = floats(rows * cols, 51), *x = floats(rows, 52), *y = floats(cols, 53);
        outer_product_update<<<dim3((cols + 95) / 96, (rows + 3) / 4), dim3(96, 4)>>>(a, x, y, rows, cols, 0.5f);
        done();
    }
    {
        float *out = room<float>(264 * 160);
        fma_four_chains<<<264, 160>>>(out, 0.999f, 0.01f, 2400);
        done();
    }
    {
        const int n = 160000;
        int *start = row_starts(n, 5, 54), *adj = ints(n * 5, 55, n), *label = ints(n, 56, n);
        int *next = room<int>(n), *changed = zeros<int>(1);
        component_labels_pull<<<(n + 255) / 256, 256>>>(start, adj, label, next, changed, n);
        done();
    }
    {
        const int w = 900, h = 640;
        unsigned char *in = bytes(w * h, 57), *out = room<unsigned char>(w * h);
        dilate_5x5_shared<<<dim3((w + 31) / 32, (h + 15) / 16), dim3(32, 16)>>>(in, out, w, h);
        done();
    }
    {
        const int m = 330, n = 300, k = 110;
        float *a = floats(m * k, 58), *bt = floats(n * k, 59), *c = room<float>(m * n);
        matmul_b_transposed_1024<<<dim3((n + 31) / 32, (m + 31) / 32), dim3(32, 32)>>>(a, bt, c, m, n, k);
        done();
    }
    {
        const int batch = 16, c = 160, pixels = 1764;
        float *in = floats(batch * c * pixels, 60), *mean = room<float>(c), *inv_std = room<float>(c);
        batchnorm_channel_statistics<<<c, 256>>>(in, mean, inv_std, batch, c, pixels);
        done();
    }
    {
        const int n = 540000, blocks = (n + 4095) / 4096;
        int *in = ints(n, 61, 9), *out = room<int>(n);
        int *ticket = zeros<int>(1), *flag = zeros<int>(blocks), *prefix = room<int>(blocks);
        scan_chained_tickets<<<blocks, 512>>>(in, out, ticket, flag, prefix, n);
        done();
    }
    {
        const int nx = 1300, ny = 801;
        float *before = floats(nx * ny, 62), *now = floats(nx * ny, 63), *after = room<float>(nx * ny);
        wave_equation_step<<<dim3((nx + 39) / 40, (ny + 3) / 4), dim3(40, 4)>>>(before, now, after, nx, ny, 0.2f);
        done();
    }
    {
        const int n = 1500000, blocks = (n + 1023) / 1024;
        unsigned *keys = (unsigned *)ints(n, 64, 0x7fffffff), *counts = room<unsigned>(16 * blocks);
        radix_count_four_bits<<<blocks, 256>>>(keys, counts, n, 8);
        done();
    }
    {
        const int rows = 6000, words = 700;
        int *a = ints(rows * words, 65, 0x7fffffff), *x = ints(words, 66, 0x7fffffff), *y = room<int>(rows);
        dp4a_matvec_warp_row<<<(rows + 2) / 3, 96>>>(a, x, y, rows, words);
        done();
    }
    {
        const int n = 600000;
        int *kind = ints(n, 67, 8);
        float *in = floats(n, 68, 0, 1), *out = room<float>(n);
        divergent_switch_eight<<<(n + 255) / 256, 256>>>(kind, in, out, n);
        done();
    }
    {
        const int n = 700000;
        float *w = floats(n, 69), *g = floats(n, 70), *m = floats(n, 71), *v = floats(n, 72, 0, 1);
        adam_step<<<(n + 255) / 256, 256>>>(w, g, m, v, n, 0.001f, 0.9f, 0.999f, 0.19f, 0.002f);
        done();
    }
    {
        const int pairs = 9000;
        unsigned char *a = bytes(pairs * 24, 73, 26), *b = bytes(pairs * 24, 74, 26);
        int *length = ints(2 * pairs, 75, 17), *dist = room<int>(pairs);
        edit_distance_local_row<<<(pairs + 63) / 64, 64>>>(a, b, length, dist, pairs);
        done();
    }
    {
        const int n = 400000;
        float *diag = floats(11 * n, 76), *x = floats(n, 77), *y = room<float>(n);
        banded_matvec_diagonals<<<(n + 499) / 500, 500>>>(diag, x, y, n, 5);
        done();
    }
    {
        const int per_block = 12288, blocks = 96;
        float *in = floats(per_block * blocks, 78), *out = room<float>(per_block * blocks);
        CHECK(cudaFuncSetAttribute(smooth_in_96_kilobytes, cudaFuncAttributeMaxDynamicSharedMemorySize, 2 * per_block * 4));
        smooth_in_96_kilobytes<<<blocks, 256, 2 * per_block * sizeof(float)>>>(in, out, per_block, 3);
        done();
    }
    {
        const int triples = 1000000;
        unsigned char *in = bytes(3 * triples, 79);
        char4 *out = room<char4>(triples);
        base64_encode_triples<<<(triples + 255) / 256, 256>>>(in, out, triples);
        done();
    }
    {
        const int n = 3300000;
        float *in = floats(n, 80), *out = zeros<float>(1);
        reduce_tiles_cooperative_groups<<<396, 512>>>(in, out, n);
        done();
    }
    {
        const int side = 17, cells = side * side * side;
        float *pos = floats(cells * 8 * 4, 81, 0, 1);
        int *count = ints(cells, 82, 9);
        float4 *force = room<float4>(cells * 8);
        md_forces_cell_lists<<<(cells + 15) / 16, dim3(8, 16)>>>((const float4 *)pos, count, force, side, 0.8f);
        done();
    }
    {
        const int n = 2500000;
        ulonglong2 *out = room<ulonglong2>(n);
        fill_pattern_128_bits<<<(n + 511) / 512, 512>>>(out, n, 0x123456789abcULL);
        done();
    }
    {
        const int n = 1600000;
        int *in = ints(n, 83, 1 << 20), *out = room<int>(n);
        integer_division_remainder<<<(n + 127) / 128, 128>>>(in, out, n, 97, 13);
        done();
    }
    {
        const int n = 1900;
        float *a = floats(n * n, 84, 1, 2), *b = floats(n, 85), *x = floats(n, 86), *next = room<float>(n);
        jacobi_dense_block_row<<<n, 128>>>(a, b, x, next, n);
        done();
    }
    {
        const int w = 1200, h = 900;
        float *in = floats(w * h, 87), *out = room<float>(w * h);
        warp_affine_bilinear<<<dim3((w + 15) / 16, (h + 15) / 16), dim3(16, 16)>>>(in, out, w, h, 0.87f, -0.5f, 200.0f, 0.5f, 0.87f, -180.0f);
        done();
    }
    {
        const int n = 200000, size = 50000;
        int *start = row_starts(n, 6, 88), *adj = ints(n * 6, 89, n), *frontier = ints(size, 90, n);
        int *dist = zeros<int>(n), *next = room<int>(n), *next_size = zeros<int>(1);
        bfs_frontier_queue<<<(size + 127) / 128, 128>>>(start, adj, frontier, size, dist, next, next_size, 3);
        done();
    }
    {
        const int heads = 4, length = 368;
        float *q = floats(heads * length * 64, 91), *k = floats(heads * length * 64, 92);
        float *score = room<float>(heads * length * length);
        attention_scores_causal<<<dim3(length / 16, length / 16, heads), dim3(16, 16)>>>(q, k, score, length, 0.125f);
        done();
    }
    {
        const int n = 250000;
        float *in = floats(n, 93), *out = room<float>(1);
        norm_one_block_992<<<1, 992>>>(in, out, n);
        done();
    }
    {
        const int w = 1600, h = 800;
        unsigned char *spin = bytes(w * h, 94, 2);
        ising_checkerboard_black<<<dim3((w / 2 + 127) / 128, h), 128>>>(spin, w, h, 0.44f, 7);
        done();
    }
    {
        const int n = 600000;
        half *in = halves(2 * n, 95);
        half2 *out = room<half2>(n);
        half2_rational_function<<<(n + 255) / 256, 256>>>((const half2 *)in, out, n);
        done();
    }
    {
        const int batch = 130000;
        float *in = floats(36 * batch, 96, 0, 1), *out = room<float>(36 * batch);
        cholesky_6x6_per_thread<<<(batch + 127) / 128, 128>>>(in, out, batch);
        done();
    }
    {
        const int n = 1200000;
        int *to = room<int>(n);
        init_permutation<<<(n + 255) / 256, 256>>>(to, n, 700001u);
        float *in = floats(n, 97), *out = room<float>(n);
        scatter_by_permutation<<<(n + 639) / 640, 640>>>(in, to, out, n);
        done();
    }
    {
        const int n = 600000;
        float *in = floats(n, 98, 0.1f, 100.0f), *out = room<float>(n);
        newton_cube_root_until<<<(n + 191) / 192, 192>>>(in, out, n);
        done();
    }
    {
        const int w = 330, h = 250;
        float *in = floats(w * h, 99), *out = zeros<float>(w * h);
        nonlocal_means_5x5<<<dim3((w + 31) / 32, (h + 3) / 4), dim3(32, 4)>>>(in, out, w, h, 0.5f);
        done();
    }
    {
        const int n = 30000;
        int *start = row_starts(n, 24, 110), *col = ints(24 * n, 111, n);
        double *val = doubles(24 * n, 112), *x = doubles(n, 113), *y = room<double>(n);
        spmv_csr_sixteen_lanes_double<<<(n * 16 + 159) / 160, 160>>>(start, col, val, x, y, n);
        done();
    }
    {
        const int rows = 1800, cols = 700;
        float *x = floats(rows * cols, 114), *dy = floats(rows * cols, 115), *gamma = floats(cols, 116);
        float *dx = room<float>(rows * cols);
        layernorm_backward_rows<<<rows, 96>>>(x, dy, gamma, dx, cols);
        done();
    }
    {
        const int n = 811008;
        float *in = floats(n, 117), *out = room<float>(n);
        spill_many_sums<<<n / 1024, 1024>>>(in, out, n);
        done();
    }
    {
        const int words = 12000, tokens = 30000, quads = 24;
        float *table = floats(words * quads * 4, 118);
        int *token = ints(tokens, 119, words);
        float4 *out = room<float4>(tokens * quads);
        embedding_lookup_float4<<<(tokens + 31) / 32, dim3(8, 32)>>>((const float4 *)table, token, out, tokens, quads);
        done();
    }
    {
        const int nx = 1202, ny = 800;
        double *u = doubles(nx * ny, 120), *f = doubles(nx * ny, 121);
        gauss_seidel_red_double<<<dim3((nx - 2 + 63) / 64, (ny - 2 + 2) / 3), dim3(64, 3)>>>(u, f, nx, ny, 1e-4);
        done();
    }
    {
        const int per_block = 4096, blocks = 300;
        float *a = floats(per_block * blocks, 122), *b = floats(per_block * blocks, 123), *out = zeros<float>(blocks);
        cp_async_two_stage_dot<<<blocks, 128>>>(a, b, out, per_block);
        done();
    }
    {
        const int n = 900;
        float *packed = floats(n * (n + 1) / 2, 124), *x = floats(n, 125), *y = room<float>(n);
        symv_packed_thread_per_row<<<(n + 31) / 32, 32>>>(packed, x, y, n);
        done();
    }
    {
        const int n = 1000 * 700;
        unsigned *in = (unsigned *)ints(n, 126, 0x7fffffff);
        uchar4 *out = room<uchar4>(n);
        rgba_to_hsv_bytes<<<(n + 255) / 256, 256>>>((const uchar4 *)in, out, n);
        done();
    }
    {
        const int rows = 9000, cols = 230;
        float *in = floats(rows * cols, 127), *out = room<float>(rows * 4);
        top_four_warp_per_row<<<(rows + 6) / 7, 224>>>(in, out, rows, cols);
        done();
    }
    {
        const int n = 2000000;
        int *in = ints(n, 128, 1 << 30), *low = room<int>(1), *high = zeros<int>(1);
        CHECK(cudaMemset(low, 0x7f, sizeof(int)));
        minmax_two_atomics<<<528, 256>>>(in, low, high, n);
        done();
    }
    {
        const int w = 860, h = 600;
        float *gx = floats(w * h, 129), *gy = floats(w * h, 130);
        unsigned char *out = room<unsigned char>(w * h);
        canny_thin_edges<<<dim3((w + 31) / 32, (h + 4) / 5), dim3(32, 5)>>>(gx, gy, out, w, h, 0.3f, 0.8f);
        done();
    }
    {
        const int blocks = 1000;
        float *in = floats(blocks * 1024, 131), *out = room<float>(blocks * 256);
        shared_column_one_bank<<<blocks, dim3(32, 8)>>>(in, out);
        done();
    }
    {
        const int n = 500000;
        float *x = floats(n, 132), *r = floats(n, 133), *p = floats(n, 134), *ap = floats(n, 135), *rr = zeros<float>(1);
        conjugate_gradient_update<<<(n + 255) / 256, 256>>>(x, r, p, ap, 0.1f, rr, n);
        done();
    }
    {
        const int n = 2000000;
        unsigned char pattern[16] = {1, 0, 2, 1, 3, 0, 0, 2};
        CHECK(cudaMemcpyToSymbol(wanted, pattern, sizeof pattern));
        unsigned char *text = bytes(n, 136, 4);
        int *hits = zeros<int>(1);
        pattern_search_last_first<<<(n + 255) / 256, 256>>>(text, n, 8, hits);
        done();
    }
    {
        const int pairs = 700, cols = 1000;
        float *a = floats(2 * pairs * cols, 137);
        givens_rotate_row_pairs<<<pairs, 250>>>(a, cols, 3);
        done();
    }
    {
        const int m = 264, n = 512, k = 256;
        float *a = floats(m * k, 138), *b = floats(k * n, 139);
        float4 *c = room<float4>(m * n / 4);
        matmul_float4_columns<<<dim3(n / 128, m / 8), dim3(32, 8)>>>(a, (const float4 *)b, c, k, n / 4);
        done();
    }
    {
        const int batch = 60000, classes = 50;
        float *logit = floats(batch * classes, 140, -3, 3), *loss = room<float>(batch);
        int *target = ints(batch, 141, classes);
        cross_entropy_thread_per_sample<<<(batch + 127) / 128, 128>>>(logit, target, loss, batch, classes);
        done();
    }
    {
        const int n = 1100000;
        float *a = floats(n, 142), *b = floats(n, 143), *c = room<float>(n);
        add_with_odd_offsets<<<(n + 255) / 256, 256>>>(a, b, c, n);
        done();
    }
    {
        float *out = room<float>(200 * 512);
        fma_eight_chains<<<200, 512>>>(out, 0.999f, 0.01f, 600);
        done();
    }
    {
        const int n = 1000000;
        float *v = floats(n, 144), *sum = zeros<float>(n / 8 + 1);
        int *segment = room<int>(n);
        init_permutation<<<(n + 255) / 256, 256>>>(segment, n, 1u);
        segmented_sum_warp_heads<<<(n + 191) / 192, 192>>>(v, segment, sum, n);
        done();
    }
    {
        const int n = 400000;
        unsigned table[2][24];
        for (int k = 0; k < 24; k++) table[0][k] = 1u << (31 - k);
        table[1][0] = 1u << 31;
        for (int k = 1; k < 24; k++) table[1][k] = table[1][k - 1] ^ (table[1][k - 1] >> 1);
        CHECK(cudaMemcpyToSymbol(sobol_direction, table, sizeof table));
        float *inside = room<float>(n);
        sobol_points_pi<<<(n + 255) / 256, 256>>>(inside, n);
        done();
    }
    {
        const int n = 900000;
        float *in = floats(n, 145, -2, 2), *out = room<float>(n);
        special_functions_row<<<(n + 255) / 256, 256>>>(in, out, n);
        done();
    }
    {
        const int n = 1300000;
        half *in = halves(n, 146), *out = room<half>(n);
        unsigned *mask = room<unsigned>(n / 32 + 1);
        dropout_hash_half<<<(n + 1023) / 1024, 1024>>>(in, out, mask, n, 77u, 0.8f);
        done();
    }
    {
        const int nx = 150, ny = 110, nz = 70;
        float *in = floats(nx * ny * nz, 147), *out = room<float>(nx * ny * nz);
        laplace_blocks_16_4_4<<<dim3((nx + 15) / 16, (ny + 3) / 4, (nz + 3) / 4), dim3(16, 4, 4)>>>(in, out, nx, ny, nz);
        done();
    }
    {
        const int w = 500, h = 1400;
        unsigned char *in = bytes(w * h, 148);
        unsigned *out = room<unsigned>(w * h);
        integral_rows_two_buffers<<<h, 512>>>(in, out, w);
        done();
    }
    {
        const int paths = 67584, steps = 60;
        float *path = room<float>((size_t)paths * steps);
        brownian_paths_stored<<<paths / 512, 512>>>(path, paths, steps, 0.1f);
        done();
    }
    {
        const int n = 6000000;
        unsigned char *text = bytes(n, 149, 9);
        unsigned *words = zeros<unsigned>(1);
        word_starts_count<<<(n / 8 + 255) / 256, 256>>>(text, n, words);
        done();
    }
    {
        const int batch = 4000;
        half *a = halves(batch * 1024, 150), *b = halves(batch * 1024, 151), *c = room<half>(batch * 256);
        wmma_strided_batch_half<<<batch / 5, 160>>>(a, b, c, batch);
        done();
    }
    {
        const int n = 3500000;
        unsigned char *in = bytes(n, 152), *table = bytes(256, 153), *out = room<unsigned char>(n);
        equalise_with_table<<<500, 416>>>(in, out, table, n);
        done();
    }
    {
        const int n = 900000;
        float *point = floats(2 * n, 154), *sum = zeros<float>(32);
        int *cluster = ints(n, 155, 16), *size = zeros<int>(16);
        kmeans_sum_by_cluster<<<140, 256>>>((const float2 *)point, cluster, sum, size, n);
        done();
    }
    return 0;
}
