// Exercises of a CUDA course: many small kernels, each launched once with its own data.
#include <cuda_fp16.h>
#include <cuda_pipeline.h>
#include <cuda_runtime.h>
#include <mma.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "course.h"

// ---------------------------------------------------------------- data

__global__ void init_uniform(float *p, int n, unsigned seed, float lo, float hi) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) p[i] = lo + (hi - lo) * (mix(i + seed * 7919u) >> 8) * (1.0f / 16777216.0f);
}

__global__ void init_integers(int *p, int n, unsigned seed, int below) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) p[i] = (int)(mix(i + seed * 104729u) % (unsigned)below);
}

// ---------------------------------------------------------------- matrix products

// A is stored K x M and B is stored N x K: both inputs are transposed.
__global__ void matmul_transposed_inputs(const float *At, const float *Bt, float *C, int M, int N, int K) {
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row >= M || col >= N) return;
    float sum = 0;
    for (int k = 0; k < K; k++) sum += At[k * M + row] * Bt[col * K + k];
    C[row * N + col] = sum;
}

// threadIdx.x walks along the rows, a frequent mistake.
__global__ void matmul_wrong_index_order(float *A, float *B, float *C, int n, int depth) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int j = blockIdx.y * blockDim.y + threadIdx.y;
    if (i < n && j < n) {
        C[i * n + j] = 0;
        for (int k = 0; k < depth; k++) C[i * n + j] += A[i * depth + k] * B[k * n + j];
    }
}

__global__ void matmul_one_thread_per_row(const float *A, const float *B, float *C, int M, int N, int K) {
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row < M) {
        for (int col = 0; col < N; col++) {
            float acc = 0.0f;
            for (int k = 0; k < K; k++) acc = acc + A[row * K + k] * B[k * N + col];
            C[row * N + col] = acc;
        }
    }
}

// Each thread makes a patch of 4 x 4, the sums in an array, no shared memory.
__global__ void matmul_patch_in_registers(const float *__restrict__ A, const float *__restrict__ B, float *__restrict__ C,
                                          int N, int K) {
    float patch[4][4] = {};
    int r0 = (blockIdx.y * blockDim.y + threadIdx.y) * 4, c0 = (blockIdx.x * blockDim.x + threadIdx.x) * 4;
    for (int k = 0; k < K; ++k) {
        float a[4], b[4];
        for (int i = 0; i < 4; ++i) a[i] = A[(r0 + i) * K + k];
        for (int j = 0; j < 4; ++j) b[j] = B[k * N + c0 + j];
        for (int i = 0; i < 4; ++i)
            for (int j = 0; j < 4; ++j) patch[i][j] += a[i] * b[j];
    }
    for (int i = 0; i < 4; ++i)
        for (int j = 0; j < 4; ++j) C[(r0 + i) * N + c0 + j] = patch[i][j];
}

__global__ void matmul_split_k_atomics(const float *A, const float *B, float *C, int N, int K, int slice) {
    int col = blockIdx.x * 32 + threadIdx.x;
    int row = blockIdx.y * 8 + threadIdx.y;
    float part = 0;
    int first = blockIdx.z * slice;
    for (int k = first; k < first + slice; k++) part += A[row * K + k] * B[k * N + col];
    atomicAdd(&C[row * N + col], part);
}

// Four products of bytes at once. A is M x K, Bt is N x K.
__global__ void matmul_int8_dp4a(const int *A4, const int *Bt4, int *C, int N, int K4) {
    __shared__ int a[16][17], b[16][17];
    int tx = threadIdx.x, ty = threadIdx.y;
    int row = blockIdx.y * 16 + ty, col = blockIdx.x * 16 + tx;
    int sum = 0;
    for (int t = 0; t < K4; t += 16) {
        a[ty][tx] = A4[row * K4 + t + tx];
        b[ty][tx] = Bt4[(blockIdx.x * 16 + ty) * K4 + t + tx];
        __syncthreads();
#pragma unroll
        for (int k = 0; k < 16; k++) sum = __dp4a(a[ty][k], b[tx][k], sum);
        __syncthreads();
    }
    C[row * N + col] = sum;
}

// One warp makes one tile of 16 x 16 with tensor cores.
__global__ void matmul_wmma_half_one_warp(const half *A, const half *B, float *C, int N, int K) {
    using namespace nvcuda::wmma;
    fragment<matrix_a, 16, 16, 16, half, row_major> fa;
    fragment<matrix_b, 16, 16, 16, half, row_major> fb;
    fragment<accumulator, 16, 16, 16, float> fc;
    fill_fragment(fc, 0.0f);
    int row = blockIdx.y * 16, col = blockIdx.x * 16;
    for (int k = 0; k < K; k += 16) {
        load_matrix_sync(fa, A + row * K + k, K);
        load_matrix_sync(fb, B + k * N + col, N);
        mma_sync(fc, fa, fb, fc);
    }
    store_matrix_sync(C + row * N + col, fc, N, mem_row_major);
}

__global__ void matmul_double_tiled(const double *A, const double *B, double *C, int n, int depth) {
    const int T = 16;
    __shared__ double sA[T][T];
    __shared__ double sB[T][T];
    int row = blockIdx.y * T + threadIdx.y, col = blockIdx.x * T + threadIdx.x;
    double v = 0;
    for (int m = 0; m < depth / T; ++m) {
        sA[threadIdx.y][threadIdx.x] = A[row * depth + m * T + threadIdx.x];
        sB[threadIdx.y][threadIdx.x] = B[(m * T + threadIdx.y) * n + col];
        __syncthreads();
        for (int k = 0; k < T; ++k) v += sA[threadIdx.y][k] * sB[k][threadIdx.x];
        __syncthreads();
    }
    C[row * n + col] = v;
}

// half2 arithmetic without tensor cores: a thread makes two neighbouring columns.
__global__ void matmul_half2_columns(const half *A, const half2 *B, half2 *C, int N2, int K) {
    int c = blockIdx.x * blockDim.x + threadIdx.x;
    int r = blockIdx.y;
    half2 s = __float2half2_rn(0.f);
    for (int k = 0; k < K; k++) s = __hfma2(__half2half2(A[r * K + k]), B[k * N2 + c], s);
    C[r * N2 + c] = s;
}

// ---------------------------------------------------------------- transposes

__global__ void transpose_naive(const float *in, float *out, int width, int height) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    out[x * height + y] = in[y * width + x];
}

__global__ void transpose_tiled_conflicts(const float *in, float *out, int width, int height) {
    __shared__ float tile[32][32];
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
    tile[threadIdx.y][threadIdx.x] = in[y * width + x];
    __syncthreads();
    int tx = blockIdx.y * 32 + threadIdx.x, ty = blockIdx.x * 32 + threadIdx.y;
    out[ty * height + tx] = tile[threadIdx.x][threadIdx.y];
}

__global__ void transpose_padded_4_rows(const float *in, float *out, int width, int height) {
    __shared__ float tile[32][33];
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
    for (int j = 0; j < 32; j += 8) tile[threadIdx.y + j][threadIdx.x] = in[(y + j) * width + x];
    __syncthreads();
    x = blockIdx.y * 32 + threadIdx.x;
    y = blockIdx.x * 32 + threadIdx.y;
    for (int j = 0; j < 32; j += 8) out[(y + j) * height + x] = tile[threadIdx.x][threadIdx.y + j];
}

// ---------------------------------------------------------------- sums

__global__ void reduce_interleaved_modulo(const float *in, float *out) {
    extern __shared__ float sh[];
    unsigned tid = threadIdx.x;
    sh[tid] = in[blockIdx.x * blockDim.x + tid];
    __syncthreads();
    for (unsigned s = 1; s < blockDim.x; s *= 2) {
        if (tid % (2 * s) == 0) sh[tid] += sh[tid + s];
        __syncthreads();
    }
    if (tid == 0) out[blockIdx.x] = sh[0];
}

__global__ void reduce_sequential_two_loads(const float *in, float *out) {
    __shared__ float sh[256];
    unsigned tid = threadIdx.x, i = blockIdx.x * 512 + tid;
    sh[tid] = in[i] + in[i + 256];
    __syncthreads();
    for (unsigned s = 128; s > 0; s >>= 1) {
        if (tid < s) sh[tid] += sh[tid + s];
        __syncthreads();
    }
    if (tid == 0) out[blockIdx.x] = sh[0];
}

__global__ void reduce_shuffle_grid_stride(const float *in, float *total, int n) {
    float v = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) v += in[i];
    for (int d = 16; d > 0; d /= 2) v += __shfl_down_sync(0xffffffffu, v, d);
    __shared__ float warps[32];
    int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
    if (lane == 0) warps[warp] = v;
    __syncthreads();
    if (warp == 0) {
        v = lane < (int)blockDim.x / 32 ? warps[lane] : 0.f;
        for (int d = 16; d > 0; d /= 2) v += __shfl_down_sync(0xffffffffu, v, d);
        if (lane == 0) atomicAdd(total, v);
    }
}

__global__ void reduce_atomic_each_thread(const int *in, unsigned long long *total, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) atomicAdd(total, (unsigned long long)in[i]);
}

__global__ void argmax_block_1024(const float *in, int n, int *where) {
    __shared__ float best[1024];
    __shared__ int index[1024];
    int t = threadIdx.x;
    float b = -1e30f;
    int w = -1;
    for (int i = blockIdx.x * 1024 + t; i < n; i += gridDim.x * 1024)
        if (in[i] > b) {
            b = in[i];
            w = i;
        }
    best[t] = b;
    index[t] = w;
    for (int s = 512; s; s >>= 1) {
        __syncthreads();
        if (t < s && best[t + s] > best[t]) {
            best[t] = best[t + s];
            index[t] = index[t + s];
        }
    }
    if (t == 0) where[blockIdx.x] = index[0];
}

__global__ void dot_product_shared(const float *a, const float *b, float *partial, int n) {
    __shared__ float cache[256];
    int tid = threadIdx.x + blockIdx.x * blockDim.x;
    int cacheIndex = threadIdx.x;
    float temp = 0;
    while (tid < n) {
        temp += a[tid] * b[tid];
        tid += blockDim.x * gridDim.x;
    }
    cache[cacheIndex] = temp;
    __syncthreads();
    int i = blockDim.x / 2;
    while (i != 0) {
        if (cacheIndex < i) cache[cacheIndex] += cache[cacheIndex + i];
        __syncthreads();
        i /= 2;
    }
    if (cacheIndex == 0) partial[blockIdx.x] = cache[0];
}

// ---------------------------------------------------------------- scans and compaction

__global__ void scan_hillis_steele(const int *in, int *out, int n) {
    extern __shared__ int temp[];
    int t = threadIdx.x, pout = 0, pin = 1;
    int base = blockIdx.x * n;
    temp[pout * n + t] = in[base + t];
    __syncthreads();
    for (int offset = 1; offset < n; offset *= 2) {
        pout = 1 - pout;
        pin = 1 - pout;
        if (t >= offset)
            temp[pout * n + t] = temp[pin * n + t] + temp[pin * n + t - offset];
        else
            temp[pout * n + t] = temp[pin * n + t];
        __syncthreads();
    }
    out[base + t] = temp[pout * n + t];
}

__global__ void scan_blelloch(const float *in, float *out) {
    __shared__ float temp[512];
    int t = threadIdx.x, base = blockIdx.x * 512, offset = 1;
    temp[2 * t] = in[base + 2 * t];
    temp[2 * t + 1] = in[base + 2 * t + 1];
    for (int d = 256; d > 0; d >>= 1) {
        __syncthreads();
        if (t < d) {
            int ai = offset * (2 * t + 1) - 1, bi = offset * (2 * t + 2) - 1;
            temp[bi] += temp[ai];
        }
        offset *= 2;
    }
    if (t == 0) temp[511] = 0;
    for (int d = 1; d < 512; d *= 2) {
        offset >>= 1;
        __syncthreads();
        if (t < d) {
            int ai = offset * (2 * t + 1) - 1, bi = offset * (2 * t + 2) - 1;
            float x = temp[ai];
            temp[ai] = temp[bi];
            temp[bi] += x;
        }
    }
    __syncthreads();
    out[base + 2 * t] = temp[2 * t];
    out[base + 2 * t + 1] = temp[2 * t + 1];
}

// Keeps the values above a threshold; a warp takes its places with one atomic.
__global__ void compact_ballot(const float *in, float *out, int *count, int n, float threshold) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float v = i < n ? in[i] : threshold;
    bool keep = v > threshold;
    unsigned mask = __ballot_sync(0xffffffffu, keep);
    int lane = threadIdx.x % 32, base = 0;
    if (lane == 0) base = atomicAdd(count, __popc(mask));
    base = __shfl_sync(0xffffffffu, base, 0);
    if (keep) out[base + __popc(mask & ((1u << lane) - 1))] = v;
}

// ---------------------------------------------------------------- histograms

__global__ void histogram_global_atomics(const unsigned char *text, int n, unsigned *bins) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) atomicAdd(&bins[text[i]], 1u);
}

__global__ void histogram_shared_stride(const unsigned char *text, int n, unsigned *bins) {
    __shared__ unsigned local[256];
    local[threadIdx.x] = 0;
    __syncthreads();
    int stride = blockDim.x * gridDim.x;
    for (int i = threadIdx.x + blockIdx.x * blockDim.x; i < n; i += stride) atomicAdd(&local[text[i]], 1u);
    __syncthreads();
    atomicAdd(&bins[threadIdx.x], local[threadIdx.x]);
}

// One histogram of 64 bins a warp, four bytes a load.
__global__ void histogram_per_warp_words(const unsigned *words, int n, unsigned *bins) {
    __shared__ unsigned mine[8][64];
    int w = threadIdx.x / 32;
    for (int b = threadIdx.x; b < 8 * 64; b += blockDim.x) (&mine[0][0])[b] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        unsigned x = words[i];
        atomicAdd(&mine[w][(x >> 2) & 63], 1u);
        atomicAdd(&mine[w][(x >> 10) & 63], 1u);
        atomicAdd(&mine[w][(x >> 18) & 63], 1u);
        atomicAdd(&mine[w][x >> 26], 1u);
    }
    __syncthreads();
    if (threadIdx.x < 64) {
        unsigned sum = 0;
        for (int k = 0; k < 8; k++) sum += mine[k][threadIdx.x];
        atomicAdd(&bins[threadIdx.x], sum);
    }
}

// ---------------------------------------------------------------- stencils

#define RADIUS 3
__global__ void stencil_1d_halo(const int *in, int *out) {
    __shared__ int temp[192 + 2 * RADIUS];
    int g = threadIdx.x + blockIdx.x * blockDim.x + RADIUS;
    int l = threadIdx.x + RADIUS;
    temp[l] = in[g];
    if (threadIdx.x < RADIUS) {
        temp[l - RADIUS] = in[g - RADIUS];
        temp[l + 192] = in[g + 192];
    }
    __syncthreads();
    int result = 0;
    for (int o = -RADIUS; o <= RADIUS; o++) result += temp[l + o];
    out[g] = result;
}

__global__ void stencil_2d_naive_jacobi(const float *u, float *v, int nx, int ny) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x > 0 && x < nx - 1 && y > 0 && y < ny - 1)
        v[y * nx + x] = 0.25f * (u[y * nx + x - 1] + u[y * nx + x + 1] + u[(y - 1) * nx + x] + u[(y + 1) * nx + x]);
}

__global__ void stencil_2d_shared_9_point(const float *u, float *v, int nx, int ny) {
    __shared__ float s[18][34];
    int x0 = blockIdx.x * 32, y0 = blockIdx.y * 16;
    for (int j = threadIdx.y; j < 18; j += 8)
        for (int i = threadIdx.x; i < 34; i += 32) {
            int x = min(max(x0 + i - 1, 0), nx - 1), y = min(max(y0 + j - 1, 0), ny - 1);
            s[j][i] = u[y * nx + x];
        }
    __syncthreads();
    for (int j = threadIdx.y; j < 16; j += 8) {
        float sum = 0;
        for (int dy = 0; dy < 3; dy++)
            for (int dx = 0; dx < 3; dx++) sum += s[j + dy][threadIdx.x + dx];
        v[(y0 + j) * nx + x0 + threadIdx.x] = sum / 9.0f;
    }
}

__global__ void stencil_3d_naive(const float *a, float *b, int nx, int ny, int nz) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    int z = blockIdx.z * blockDim.z + threadIdx.z;
    if (x == 0 || y == 0 || z == 0 || x >= nx - 1 || y >= ny - 1 || z >= nz - 1) return;
    int c = (z * ny + y) * nx + x;
    b[c] = a[c] + 0.1f * (a[c - 1] + a[c + 1] + a[c - nx] + a[c + nx] + a[c - nx * ny] + a[c + nx * ny] - 6 * a[c]);
}

// Marches along z; the column's values above and below stay in registers.
__global__ void stencil_3d_register_column(const float *__restrict__ a, float *__restrict__ b, int nx, int ny, int nz) {
    int x = blockIdx.x * blockDim.x + threadIdx.x + 1, y = blockIdx.y * blockDim.y + threadIdx.y + 1;
    if (x >= nx - 1 || y >= ny - 1) return;
    int plane = nx * ny, c = y * nx + x;
    float below = a[c], centre = a[c + plane], above;
    for (int z = 1; z < nz - 1; z++) {
        c += plane;
        above = a[c + plane];
        b[c] = 0.5f * centre + 0.0833f * (above + below + a[c - 1] + a[c + 1] + a[c - nx] + a[c + nx]);
        below = centre;
        centre = above;
    }
}

__global__ void heat_equation_double(const double *t, double *next, int n, double k) {
    int i = blockIdx.y * blockDim.y + threadIdx.y, j = blockIdx.x * blockDim.x + threadIdx.x;
    int im = i == 0 ? 0 : i - 1, ip = i == n - 1 ? n - 1 : i + 1;
    int jm = j == 0 ? 0 : j - 1, jp = j == n - 1 ? n - 1 : j + 1;
    double lap = t[im * n + j] + t[ip * n + j] + t[i * n + jm] + t[i * n + jp] - 4.0 * t[i * n + j];
    next[i * n + j] = t[i * n + j] + k * lap / (1.0 + 0.01 * fabs(lap));
}

// ---------------------------------------------------------------- convolutions and pictures

__constant__ float filter1d[17];
__constant__ float filter2d[25];

__global__ void convolution_1d_constant(const float *signal, float *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float acc = 0;
    for (int k = 0; k < 17; k++) {
        int p = i + k - 8;
        if (p >= 0 && p < n) acc += signal[p] * filter1d[k];
    }
    if (i < n) out[i] = acc;
}

__global__ void convolution_2d_constant_tile(const float *image, float *out, int w, int h) {
    __shared__ float tile[20][20];
    int ox = blockIdx.x * 16 + threadIdx.x, oy = blockIdx.y * 16 + threadIdx.y;
    int ix = ox - 2, iy = oy - 2;
    tile[threadIdx.y][threadIdx.x] = (ix >= 0 && ix < w && iy >= 0 && iy < h) ? image[iy * w + ix] : 0.0f;
    __syncthreads();
    if (threadIdx.x < 16 && threadIdx.y < 16 && ox < w && oy < h) {
        float sum = 0;
        for (int i = 0; i < 5; i++)
            for (int j = 0; j < 5; j++) sum += filter2d[i * 5 + j] * tile[threadIdx.y + i][threadIdx.x + j];
        out[oy * w + ox] = sum;
    }
}

__global__ void image_bilateral(const float *in, float *out, int w, int h, float sigma) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w || y >= h) return;
    float centre = in[y * w + x], sum = 0, weights = 0;
    for (int dy = -2; dy <= 2; dy++)
        for (int dx = -2; dx <= 2; dx++) {
            int xx = min(max(x + dx, 0), w - 1), yy = min(max(y + dy, 0), h - 1);
            float v = in[yy * w + xx], d = v - centre;
            float wgt = __expf(-(dx * dx + dy * dy) * 0.125f - d * d * sigma);
            sum += wgt * v;
            weights += wgt;
        }
    out[y * w + x] = sum / weights;
}

__global__ void image_sobel_bytes(const unsigned char *in, unsigned char *out, int w, int h) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < 1 || y < 1 || x >= w - 1 || y >= h - 1) return;
    const unsigned char *p = in + y * w + x;
    int gx = p[1 - w] + 2 * p[1] + p[1 + w] - p[-1 - w] - 2 * p[-1] - p[-1 + w];
    int gy = p[w - 1] + 2 * p[w] + p[w + 1] - p[-w - 1] - 2 * p[-w] - p[-w + 1];
    out[y * w + x] = (unsigned char)min(255, (int)sqrtf((float)(gx * gx + gy * gy)));
}

__global__ void image_grey_from_rgb(const uchar3 *rgb, unsigned char *grey, int n) {
    int i = threadIdx.x + blockIdx.x * blockDim.x;
    if (i < n) {
        uchar3 c = rgb[i];
        grey[i] = (unsigned char)(0.299f * c.x + 0.587f * c.y + 0.114f * c.z);
    }
}

__global__ void game_of_life_torus(const unsigned char *cells, unsigned char *next, int w, int h) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    int alive = 0;
    for (int dy = -1; dy <= 1; dy++)
        for (int dx = -1; dx <= 1; dx++)
            if (dx != 0 || dy != 0) alive += cells[((y + dy + h) % h) * w + (x + dx + w) % w];
    next[y * w + x] = alive == 3 || (alive == 2 && cells[y * w + x]);
}

__global__ void dct_8x8_blocks(const float *in, float *out, int w) {
    __shared__ float block[8][8], half_done[8][8], basis[8][8];
    int u = threadIdx.x, v = threadIdx.y;
    int base = (blockIdx.y * 8 + v) * w + blockIdx.x * 8 + u;
    basis[v][u] = (v == 0 ? 0.35355339f : 0.5f) * cosf((2 * u + 1) * v * 0.19634954f);
    block[v][u] = in[base] - 0.5f;
    __syncthreads();
    float s = 0;
    for (int k = 0; k < 8; k++) s += basis[u][k] * block[v][k];
    half_done[v][u] = s;
    __syncthreads();
    s = 0;
    for (int k = 0; k < 8; k++) s += basis[v][k] * half_done[k][u];
    out[base] = s;
}

// ---------------------------------------------------------------- neural networks

__global__ void softmax_block_per_row(const float *x, float *y, int n) {
    __shared__ float red[128];
    const float *row = x + blockIdx.x * n;
    int t = threadIdx.x;
    float m = -INFINITY;
    for (int i = t; i < n; i += 128) m = fmaxf(m, row[i]);
    red[t] = m;
    __syncthreads();
    for (int s = 64; s > 0; s >>= 1) {
        if (t < s) red[t] = fmaxf(red[t], red[t + s]);
        __syncthreads();
    }
    m = red[0];
    __syncthreads();
    float sum = 0;
    for (int i = t; i < n; i += 128) sum += expf(row[i] - m);
    red[t] = sum;
    __syncthreads();
    for (int s = 64; s > 0; s >>= 1) {
        if (t < s) red[t] += red[t + s];
        __syncthreads();
    }
    for (int i = t; i < n; i += 128) y[blockIdx.x * n + i] = expf(row[i] - m) / red[0];
}

__global__ void layernorm_warp_per_row(const float4 *x, const float4 *gain, float4 *y, int n4, int rows) {
    int row = blockIdx.x * 4 + threadIdx.y;
    if (row >= rows) return;
    float s = 0, q = 0;
    for (int i = threadIdx.x; i < n4; i += 32) {
        float4 v = x[row * n4 + i];
        s += v.x + v.y + v.z + v.w;
        q += v.x * v.x + v.y * v.y + v.z * v.z + v.w * v.w;
    }
    for (int d = 16; d; d >>= 1) {
        s += __shfl_xor_sync(~0u, s, d);
        q += __shfl_xor_sync(~0u, q, d);
    }
    float mean = s / (4 * n4), inv = rsqrtf(q / (4 * n4) - mean * mean + 1e-5f);
    for (int i = threadIdx.x; i < n4; i += 32) {
        float4 v = x[row * n4 + i], g = gain[i];
        y[row * n4 + i] = make_float4((v.x - mean) * inv * g.x, (v.y - mean) * inv * g.y, (v.z - mean) * inv * g.z,
                                      (v.w - mean) * inv * g.w);
    }
}

// A thread is one query; keys and values pass through shared memory, the maximum is corrected as it goes.
__global__ void attention_online_rows(const float *Q, const float *K, const float *V, float *O, int len) {
    const int D = 16;
    __shared__ float k[32][D], v[32][D];
    int head = blockIdx.y, row = blockIdx.x * 64 + threadIdx.x;
    const float *q = Q + (head * len + row) * D;
    float qr[D], acc[D], m = -1e30f, l = 0;
    for (int d = 0; d < D; d++) {
        qr[d] = q[d] * 0.25f;
        acc[d] = 0;
    }
    for (int t = 0; t < len; t += 32) {
        __syncthreads();
        for (int e = threadIdx.x; e < 32 * D; e += 64) {
            k[e / D][e % D] = K[(head * len + t) * D + e];
            v[e / D][e % D] = V[(head * len + t) * D + e];
        }
        __syncthreads();
        for (int j = 0; j < 32; j++) {
            float s = 0;
            for (int d = 0; d < D; d++) s += qr[d] * k[j][d];
            float mNew = fmaxf(m, s), scale = __expf(m - mNew), p = __expf(s - mNew);
            l = l * scale + p;
            for (int d = 0; d < D; d++) acc[d] = acc[d] * scale + p * v[j][d];
            m = mNew;
        }
    }
    for (int d = 0; d < D; d++) O[(head * len + row) * D + d] = acc[d] / l;
}

__global__ void gelu_bias_half2(const half2 *x, const half2 *bias, half2 *y, int n, int columns) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float2 v = __half22float2(__hadd2(x[i], bias[i % columns]));
    v.x = 0.5f * v.x * (1.0f + tanhf(0.79788456f * (v.x + 0.044715f * v.x * v.x * v.x)));
    v.y = 0.5f * v.y * (1.0f + tanhf(0.79788456f * (v.y + 0.044715f * v.y * v.y * v.y)));
    y[i] = __float22half2_rn(v);
}

// ---------------------------------------------------------------- vectors and layouts

__global__ void saxpy_stride_17(int n, float a, const float *x, float *y) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        int p = (int)((i * 17ll) % n);
        y[p] = a * x[p] + y[p];
    }
}

__global__ void saxpy_float4_tail(int n, float a, const float *__restrict__ x, float *__restrict__ y) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (4 * i + 3 < n) {
        float4 u = reinterpret_cast<const float4 *>(x)[i], v = reinterpret_cast<float4 *>(y)[i];
        v.x += a * u.x;
        v.y += a * u.y;
        v.z += a * u.z;
        v.w += a * u.w;
        reinterpret_cast<float4 *>(y)[i] = v;
    } else {
        for (int k = 4 * i; k < n; k++) y[k] += a * x[k];
    }
}

__global__ void triad_blocked_per_thread(const float *b, const float *c, float *a, int per) {
    int first = (blockIdx.x * blockDim.x + threadIdx.x) * per;
    for (int i = first; i < first + per; i++) a[i] = b[i] + 3.0f * c[i];
}

struct Particle {
    float x, y, z, vx, vy, vz, mass;
};

__global__ void particles_array_of_structures(Particle *p, int n, float dt) {
    int i = blockIdx.x * 96 + threadIdx.x;
    if (i < n) {
        p[i].vy -= 9.81f * dt;
        p[i].x += p[i].vx * dt;
        p[i].y += p[i].vy * dt;
        p[i].z += p[i].vz * dt;
        if (p[i].y < 0) {
            p[i].y = -p[i].y;
            p[i].vy *= -0.9f;
        }
    }
}

__global__ void particles_structure_of_arrays(float *x, float *y, float *z, const float *vx, float *vy, const float *vz, int n,
                                              float dt) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float v = vy[i] - 9.81f * dt, h = y[i] + v * dt;
    if (h < 0) {
        h = -h;
        v *= -0.9f;
    }
    x[i] += vx[i] * dt;
    y[i] = h;
    z[i] += vz[i] * dt;
    vy[i] = v;
}

__global__ void gather_random_index(const float *table, const int *index, float *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = table[index[i]] * 2.0f;
}

__global__ void scatter_random_adds(const float *values, const int *index, float *table, int n) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) atomicAdd(table + index[i], values[i]);
}

__global__ void pointer_chase_one_lane(const int *next, int *end, int hops) {
    if (threadIdx.x != 0) return;
    int at = blockIdx.x * 61;
    for (int h = 0; h < hops; h++) at = next[at];
    end[blockIdx.x] = at;
}

// Copies tiles with cp.async, four in flight, and scales them on the way.
__global__ void copy_cp_async_pipeline(const float4 *in, float4 *out, int tiles) {
    __shared__ float4 stage[4][128];
    int t = threadIdx.x, base = blockIdx.x * tiles * 128;
    for (int s = 0; s < 3; s++) {
        if (s < tiles) __pipeline_memcpy_async(&stage[s][t], &in[base + s * 128 + t], 16);
        __pipeline_commit();
    }
    for (int s = 0; s < tiles; s++) {
        if (s + 3 < tiles) __pipeline_memcpy_async(&stage[(s + 3) % 4][t], &in[base + (s + 3) * 128 + t], 16);
        __pipeline_commit();
        __pipeline_wait_prior(3);
        __syncthreads();
        float4 a = stage[s % 4][t], b = stage[s % 4][127 - t];
        out[base + s * 128 + t] = make_float4(a.x + b.x, a.y + b.y, a.z - b.z, a.w - b.w);
        __syncthreads();
    }
}

// ---------------------------------------------------------------- simulation

__global__ void nbody_naive(const float4 *body, float3 *force, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float4 me = body[i];
    float3 f = make_float3(0, 0, 0);
    for (int j = 0; j < n; j++) {
        float dx = body[j].x - me.x, dy = body[j].y - me.y, dz = body[j].z - me.z;
        float d2 = dx * dx + dy * dy + dz * dz + 1e-3f;
        float s = body[j].w / (d2 * sqrtf(d2));
        f.x += dx * s;
        f.y += dy * s;
        f.z += dz * s;
    }
    force[i] = f;
}

__global__ void nbody_tiled_rsqrt(const float4 *__restrict__ body, float4 *acc, int n) {
    __shared__ float4 sh[64];
    int i = blockIdx.x * 64 + threadIdx.x;
    float4 me = body[i];
    float ax = 0, ay = 0, az = 0;
    for (int tile = blockIdx.y; tile < n / 64; tile += gridDim.y) {
        sh[threadIdx.x] = body[tile * 64 + threadIdx.x];
        __syncthreads();
#pragma unroll 8
        for (int j = 0; j < 64; j++) {
            float dx = sh[j].x - me.x, dy = sh[j].y - me.y, dz = sh[j].z - me.z;
            float inv = rsqrtf(dx * dx + dy * dy + dz * dz + 1e-3f);
            float s = sh[j].w * inv * inv * inv;
            ax += dx * s;
            ay += dy * s;
            az += dz * s;
        }
        __syncthreads();
    }
    acc[blockIdx.y * n + i] = make_float4(ax, ay, az, 0);
}

__global__ void mandelbrot(unsigned short *pixels, int w, int h, int limit) {
    int px = blockIdx.x * blockDim.x + threadIdx.x, py = blockIdx.y * blockDim.y + threadIdx.y;
    float cx = -2.2f + 3.2f * px / w, cy = -1.2f + 2.4f * py / h, x = 0, y = 0;
    int it = 0;
    while (x * x + y * y < 4.0f && it < limit) {
        float t = x * x - y * y + cx;
        y = 2 * x * y + cy;
        x = t;
        it++;
    }
    pixels[py * w + px] = (unsigned short)it;
}

__global__ void monte_carlo_pi(unsigned *hits, int rounds) {
    unsigned id = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned s = mix(id + 1) | 1u, in = 0;
    for (int r = 0; r < rounds; r++) {
        s ^= s << 13;
        s ^= s >> 17;
        s ^= s << 5;
        float x = (s & 0xffff) / 65536.0f, y = (s >> 16) / 65536.0f;
        if (x * x + y * y <= 1.0f) in++;
    }
    hits[id] = in;
}

__device__ float cumulative_normal(float d) {
    float k = 1.0f / (1.0f + 0.2316419f * fabsf(d));
    float c = 0.39894228f * expf(-0.5f * d * d) *
              (k * (0.31938153f + k * (-0.356563782f + k * (1.781477937f + k * (-1.821255978f + k * 1.330274429f)))));
    return d > 0 ? 1.0f - c : c;
}

__global__ void black_scholes(float *call, float *put, const float *S, const float *X, const float *T, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const float r = 0.02f, v = 0.3f;
    float root = sqrtf(T[i]);
    float d1 = (logf(S[i] / X[i]) + (r + 0.5f * v * v) * T[i]) / (v * root), d2 = d1 - v * root;
    float n1 = cumulative_normal(d1), n2 = cumulative_normal(d2), e = expf(-r * T[i]);
    call[i] = S[i] * n1 - X[i] * e * n2;
    put[i] = X[i] * e * (1.0f - n2) - S[i] * (1.0f - n1);
}

__global__ void collatz_divergent(const int *start, int *steps, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned x = start[i] + 1;
    int count = 0;
    while (x != 1 && count < 200) {
        if (x % 2 == 0)
            x = x / 2;
        else
            x = 3 * x + 1;
        ++count;
    }
    steps[i] = count;
}

// A local array that is indexed by data: it lives in local memory.
__global__ void median_local_array(const float *in, float *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float w[15];
    for (int k = 0; k < 15; k++) {
        float v = in[min(i + k, n - 1)];
        int p = k;
        while (p > 0 && w[p - 1] > v) {
            w[p] = w[p - 1];
            p--;
        }
        w[p] = v;
    }
    out[i] = w[7];
}

// More values than 32 registers hold: ptxas spills.
__global__ void __launch_bounds__(1024, 2) spills_polynomials(const float *c, float *out) {
    float p[48];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
#pragma unroll
    for (int k = 0; k < 48; k++) p[k] = c[(i + k * 64) & 4095];
    for (int r = 0; r < 2; r++) {
#pragma unroll
        for (int k = 0; k < 48; k++) p[k] = p[k] * p[(k + 7) % 48] + p[(k + 23) % 48];
    }
    float s = 0;
#pragma unroll
    for (int k = 0; k < 48; k++) s += p[k];
    out[i] = s;
}

// 96 KiB of shared memory a block: two blocks an SM.
__global__ void lookup_large_shared_table(const float *table, const int *keys, float *out, int n, int size) {
    extern __shared__ float big[];
    for (int i = threadIdx.x; i < size; i += blockDim.x) big[i] = table[i];
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) out[i] = big[keys[i]];
}

// ---------------------------------------------------------------- sparse and graphs

__global__ void spmv_csr_thread_per_row(const int *ptr, const int *col, const float *val, const float *x, float *y, int rows) {
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r < rows) {
        float d = 0;
        for (int j = ptr[r]; j < ptr[r + 1]; j++) d += val[j] * x[col[j]];
        y[r] = d;
    }
}

__global__ void spmv_csr_warp_per_row(const int *ptr, const int *col, const float *val, const float *x, float *y, int rows) {
    int r = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x & 31;
    if (r >= rows) return;
    float d = 0;
    for (int j = ptr[r] + lane; j < ptr[r + 1]; j += 32) d += val[j] * x[col[j]];
    for (int o = 16; o; o >>= 1) d += __shfl_down_sync(~0u, d, o);
    if (lane == 0) y[r] = d;
}

__global__ void spmv_ellpack(const int *col, const float *val, const float *x, float *y, int rows, int width) {
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r >= rows) return;
    float d = 0;
    for (int k = 0; k < width; k++) {
        int c = col[k * rows + r];
        if (c >= 0) d += val[k * rows + r] * x[c];
    }
    y[r] = d;
}

__global__ void bfs_level_step(const int *ptr, const int *neighbour, int *level, int *changed, int now, int nodes) {
    int v = blockIdx.x * blockDim.x + threadIdx.x;
    if (v >= nodes || atomicAdd(&level[v], 0) != now) return;
    for (int e = ptr[v]; e < ptr[v + 1]; e++)
        if (atomicCAS(&level[neighbour[e]], -1, now + 1) == -1) atomicAdd(changed, 1);
}

__global__ void hash_insert_linear_probing(const int *keys, int *table, int n, int slots) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int key = keys[i];
    unsigned at = mix(key) % slots;
    while (true) {
        int old = atomicCAS(&table[at], -1, key);
        if (old == -1 || old == key) return;
        at = at + 1 == (unsigned)slots ? 0 : at + 1;
    }
}

// ---------------------------------------------------------------- sorting, strings

__global__ void sort_bitonic_shared(const int *in, int *out) {
    __shared__ int s[256];
    int t = threadIdx.x, base = blockIdx.x * 256;
    s[t] = in[base + t];
    s[t + 128] = in[base + t + 128];
    for (int size = 2; size <= 256; size <<= 1) {
        for (int stride = size >> 1; stride > 0; stride >>= 1) {
            __syncthreads();
            int pos = 2 * t - (t & (stride - 1));
            bool up = (pos & size) == 0;
            int a = s[pos], b = s[pos + stride];
            if ((a > b) == up) {
                s[pos] = b;
                s[pos + stride] = a;
            }
        }
    }
    __syncthreads();
    out[base + t] = s[t];
    out[base + t + 128] = s[t + 128];
}

__global__ void sort_odd_even_shared(float *data, int n) {
    __shared__ float s[100];
    int t = threadIdx.x;
    float *mine = data + blockIdx.x * n;
    s[t] = mine[t];
    __syncthreads();
    for (int phase = 0; phase < n; phase++) {
        if (t % 2 == phase % 2 && t + 1 < n && s[t] > s[t + 1]) {
            float x = s[t];
            s[t] = s[t + 1];
            s[t + 1] = x;
        }
        __syncthreads();
    }
    mine[t] = s[t];
}

__global__ void rank_sort_count(const int *in, int *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int mine = in[i], rank = 0;
    for (int j = 0; j < n; j++)
        if (in[j] < mine || (in[j] == mine && j < i)) rank++;
    out[rank] = mine;
}

__constant__ char pattern[8];
__global__ void string_search_naive(const char *text, int n, int length, int *found) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i > n - length) return;
    int k = 0;
    while (k < length && text[i + k] == pattern[k]) k++;
    if (k == length) atomicAdd(found, 1);
}

// One block a pair of words; the threads walk along the antidiagonals.
__global__ void levenshtein_wavefront(const char *first, const char *second, int *distance, int n) {
    __shared__ int diag[3][65];
    int i = threadIdx.x + 1;
    char mine = first[blockIdx.x * n + threadIdx.x];
    if (threadIdx.x == 0) {
        diag[0][0] = 0;
        diag[1][0] = 1;
    }
    if (i == 1) diag[1][1] = 1;
    __syncthreads();
    for (int d = 2; d <= 2 * n; d++) {
        int *now = diag[d % 3], *last = diag[(d + 2) % 3], *before = diag[(d + 1) % 3];
        int j = d - i;
        if (threadIdx.x == 0 && d <= n) now[0] = d;
        if (j == 0) now[i] = d;
        if (j >= 1 && j <= n) {
            int cost = mine == second[blockIdx.x * n + j - 1] ? 0 : 1;
            now[i] = min(min(last[i - 1], last[i]) + 1, before[i - 1] + cost);
        }
        __syncthreads();
    }
    if (i == n) distance[blockIdx.x] = diag[(2 * n) % 3][n];
}

// ---------------------------------------------------------------- linear algebra

__global__ void matvec_thread_per_row(const float *A, const float *x, float *y, int rows, int columns) {
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r < rows) {
        float s = 0;
        for (int c = 0; c < columns; c++) s += A[r * columns + c] * x[c];
        y[r] = s;
    }
}

// A is stored by columns, so that neighbours read neighbours; x waits in shared memory.
__global__ void matvec_columns_shared_x(const float *A, const float *x, float *y, int rows, int columns) {
    __shared__ float xs[128];
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    float s = 0;
    for (int c0 = 0; c0 < columns; c0 += 128) {
        __syncthreads();
        xs[threadIdx.x] = x[c0 + threadIdx.x];
        __syncthreads();
        for (int c = 0; c < 128; c++) s += A[(c0 + c) * rows + r] * xs[c];
    }
    y[r] = s;
}

__global__ void matvec_one_warp_block(const float2 *A, const float2 *x, float *y, int columns2) {
    int r = blockIdx.x;
    float s = 0;
    for (int c = threadIdx.x; c < columns2; c += 32) {
        float2 a = A[r * columns2 + c], b = x[c];
        s += a.x * b.x + a.y * b.y;
    }
    s += __shfl_xor_sync(~0u, s, 16);
    s += __shfl_xor_sync(~0u, s, 8);
    s += __shfl_xor_sync(~0u, s, 4);
    s += __shfl_xor_sync(~0u, s, 2);
    s += __shfl_xor_sync(~0u, s, 1);
    if (threadIdx.x == 0) y[r] = s;
}

__global__ void gauss_eliminate_step(float *a, const float *pivotRow, const float *factor, int n, int k) {
    int j = blockIdx.x * blockDim.x + threadIdx.x + k, i = blockIdx.y + k + 1;
    if (j < n && i < n) a[i * n + j] -= factor[i] / pivotRow[k] * pivotRow[j];
}

// Each block factors one symmetric matrix of 32 x 32.
__global__ void cholesky_batched_32(float *matrices) {
    __shared__ float a[32][33];
    float *m = matrices + blockIdx.x * 1024;
    int t = threadIdx.x;
    for (int r = 0; r < 32; r++) a[r][t] = m[r * 32 + t];
    __syncthreads();
    for (int k = 0; k < 32; k++) {
        if (t == k) a[k][k] = sqrtf(a[k][k]);
        __syncthreads();
        if (t > k) a[t][k] /= a[k][k];
        __syncthreads();
        if (t > k)
            for (int j = k + 1; j <= t; j++) a[t][j] -= a[t][k] * a[j][k];
        __syncthreads();
    }
    for (int r = 0; r < 32; r++) m[r * 32 + t] = t <= r ? a[r][t] : 0.0f;
}

__global__ void fft_radix2_stage(const float2 *in, float2 *out, int n, int half_size) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n / 2) return;
    int k = i % half_size, j = (i / half_size) * half_size * 2 + k;
    float s, c;
    sincosf(-3.14159265f * k / half_size, &s, &c);
    float2 u = in[j], v = in[j + half_size];
    float2 w = make_float2(v.x * c - v.y * s, v.x * s + v.y * c);
    out[j] = make_float2(u.x + w.x, u.y + w.y);
    out[j + half_size] = make_float2(u.x - w.x, u.y - w.y);
}

__global__ void kmeans_assign_nearest(const float *points, const float *centres, int *cluster, int n, int clusters) {
    extern __shared__ float c[];
    for (int i = threadIdx.x; i < clusters * 4; i += blockDim.x) c[i] = centres[i];
    __syncthreads();
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float best = 1e30f;
    int which = 0;
    for (int k = 0; k < clusters; k++) {
        float d = 0;
        for (int f = 0; f < 4; f++) {
            float diff = points[f * n + i] - c[k * 4 + f];
            d += diff * diff;
        }
        if (d < best) {
            best = d;
            which = k;
        }
    }
    cluster[i] = which;
}

__global__ void knn_distance_matrix(const float *query, const float *base, float *dist, int dims, int nBase) {
    int b = blockIdx.x * blockDim.x + threadIdx.x, q = blockIdx.y * blockDim.y + threadIdx.y;
    float d = 0;
    for (int k = 0; k < dims; k++) {
        float x = query[q * dims + k] - base[b * dims + k];
        d += x * x;
    }
    dist[q * nBase + b] = sqrtf(d);
}

// ---------------------------------------------------------------- main

template <class T>
T *upload(const std::vector<T> &h) {
    T *p = room<T>(h.size());
    CHECK(cudaMemcpy(p, h.data(), h.size() * sizeof(T), cudaMemcpyHostToDevice));
    return p;
}

static unsigned seed = 1;

static float *uniform(int n, float lo = 0, float hi = 1) {
    float *p = room<float>(n);
    init_uniform<<<(n + 255) / 256, 256>>>(p, n, seed++, lo, hi);
    return p;
}

static int *integers(int n, int below) {
    int *p = room<int>(n);
    init_integers<<<(n + 255) / 256, 256>>>(p, n, seed++, below);
    return p;
}

template <class T, class F>
std::vector<T> fill(int n, F f) {
    std::vector<T> h(n);
    for (int i = 0; i < n; i++) h[i] = f(i);
    return h;
}

static double number(float v) { return v; }
static double number(double v) { return v; }
static double number(int v) { return v; }
static double number(unsigned v) { return v; }
static double number(unsigned long long v) { return (double)v; }
static double number(unsigned char v) { return v; }
static double number(unsigned short v) { return v; }
static double number(half2 v) { return __low2float(v) + __high2float(v); }

// Prints the sum of n results and frees everything that the kernel used.
template <class T>
void report(const char *name, const T *d, size_t n) {
    CHECK(cudaGetLastError());
    std::vector<T> h(n);
    CHECK(cudaMemcpy(h.data(), d, n * sizeof(T), cudaMemcpyDeviceToHost));
    double sum = 0;
    for (const T &v : h) sum += number(v);
    std::printf("%-34s %.9g\n", name, sum);
    done();
}

struct Csr {
    std::vector<int> ptr, col;
    std::vector<float> val;
};

// Rows of between least and least + spread entries at random columns.
static Csr sparse(int rows, int columns, int least, int spread, unsigned s) {
    Csr m;
    m.ptr.push_back(0);
    for (int r = 0; r < rows; r++) {
        int len = least + (int)(mix(r + s) % (spread + 1));
        for (int j = 0; j < len; j++) {
            unsigned h = mix(r * 131 + j * 7 + s * 13);
            m.col.push_back((int)(h % columns));
            m.val.push_back((h >> 20) / 4096.0f);
        }
        m.ptr.push_back((int)m.col.size());
    }
    return m;
}

int main() {
    {
        const int M = 264, N = 256, K = 64;
        float *a = uniform(K * M), *b = uniform(N * K), *c = room<float>(M * N);
        matmul_transposed_inputs<<<dim3(N / 16, (M + 7) / 8), dim3(16, 8)>>>(a, b, c, M, N, K);
        report("matmul_transposed_inputs", c, M * N);
    }
    {
        const int n = 264, depth = 32;
        float *a = uniform(n * depth), *b = uniform(depth * n), *c = room<float>(n * n);
        matmul_wrong_index_order<<<dim3((n + 15) / 16, (n + 15) / 16), dim3(16, 16)>>>(a, b, c, n, depth);
        report("matmul_wrong_index_order", c, n * n);
    }
    {
        const int M = 4224, N = 16, K = 64;
        float *a = uniform(M * K), *b = uniform(K * N), *c = room<float>(M * N);
        matmul_one_thread_per_row<<<M / 32, 32>>>(a, b, c, M, N, K);
        report("matmul_one_thread_per_row", c, M * N);
    }
    {
        const int M = 512, N = 512, K = 64;
        float *a = uniform(M * K), *b = uniform(K * N), *c = room<float>(M * N);
        matmul_patch_in_registers<<<dim3(N / 64, M / 16), dim3(16, 4)>>>(a, b, c, N, K);
        report("matmul_patch_in_registers", c, M * N);
    }
    {
        const int M = 128, N = 128, K = 1056;
        float *a = uniform(M * K), *b = uniform(K * N), *c = zeros<float>(M * N);
        matmul_split_k_atomics<<<dim3(N / 32, M / 8, 33), dim3(32, 8)>>>(a, b, c, N, K, 32);
        report("matmul_split_k_atomics", c, M * N);
    }
    {
        const int M = 384, N = 384, K4 = 96;
        int *a = integers(M * K4, 1 << 30), *b = integers(N * K4, 1 << 30), *c = room<int>(M * N);
        matmul_int8_dp4a<<<dim3(N / 16, M / 16), dim3(16, 16)>>>(a, b, c, N, K4);
        report("matmul_int8_dp4a", c, M * N);
    }
    {
        const int M = 512, N = 512, K = 256;
        half *a = upload(fill<half>(M * K, [](int i) { return __float2half((mix(i) & 255) / 256.0f); }));
        half *b = upload(fill<half>(K * N, [](int i) { return __float2half((mix(i + 99) & 255) / 256.0f); }));
        float *c = room<float>(M * N);
        matmul_wmma_half_one_warp<<<dim3(N / 16, M / 16), 32>>>(a, b, c, N, K);
        report("matmul_wmma_half_one_warp", c, M * N);
    }
    {
        const int n = 384, depth = 96;
        double *a = upload(fill<double>(n * depth, [](int i) { return (mix(i) >> 8) / 16777216.0; }));
        double *b = upload(fill<double>(depth * n, [](int i) { return (mix(i + 5) >> 8) / 16777216.0; }));
        double *c = room<double>(n * n);
        matmul_double_tiled<<<dim3(n / 16, n / 16), dim3(16, 16)>>>(a, b, c, n, depth);
        report("matmul_double_tiled", c, n * n);
    }
    {
        const int M = 132, N2 = 256, K = 192;
        half *a = upload(fill<half>(M * K, [](int i) { return __float2half((mix(i + 3) & 63) / 256.0f); }));
        half2 *b = upload(fill<half2>(K * N2, [](int i) { return __float2half2_rn((mix(i + 7) & 63) / 256.0f); }));
        half2 *c = room<half2>(M * N2);
        matmul_half2_columns<<<dim3(N2 / 64, M), 64>>>(a, b, c, N2, K);
        report("matmul_half2_columns", c, M * N2);
    }
    {
        const int w = 1024, h = 768;
        float *a = uniform(w * h), *b = room<float>(w * h);
        transpose_naive<<<dim3(w / 32, h / 8), dim3(32, 8)>>>(a, b, w, h);
        report("transpose_naive", b, w * h);
    }
    {
        const int w = 1024, h = 1536;
        float *a = uniform(w * h), *b = room<float>(w * h);
        transpose_tiled_conflicts<<<dim3(w / 32, h / 32), dim3(32, 32)>>>(a, b, w, h);
        report("transpose_tiled_conflicts", b, w * h);
    }
    {
        const int w = 1024, h = 2560;
        float *a = uniform(w * h), *b = room<float>(w * h);
        transpose_padded_4_rows<<<dim3(w / 32, h / 32), dim3(32, 8)>>>(a, b, w, h);
        report("transpose_padded_4_rows", b, w * h);
    }
    {
        const int blocks = 2640;
        float *a = uniform(blocks * 256), *b = room<float>(blocks);
        reduce_interleaved_modulo<<<blocks, 256, 256 * sizeof(float)>>>(a, b);
        report("reduce_interleaved_modulo", b, blocks);
    }
    {
        const int blocks = 4224;
        float *a = uniform(blocks * 512), *b = room<float>(blocks);
        reduce_sequential_two_loads<<<blocks, 256>>>(a, b);
        report("reduce_sequential_two_loads", b, blocks);
    }
    {
        const int n = 2100000;
        float *a = uniform(n), *b = zeros<float>(1);
        reduce_shuffle_grid_stride<<<264, 256>>>(a, b, n);
        report("reduce_shuffle_grid_stride", b, 1);
    }
    {
        const int n = 200000;
        int *a = integers(n, 100);
        unsigned long long *b = zeros<unsigned long long>(1);
        reduce_atomic_each_thread<<<(n + 127) / 128, 128>>>(a, b, n);
        report("reduce_atomic_each_thread", b, 1);
    }
    {
        const int n = 2000000;
        float *a = uniform(n);
        int *b = room<int>(132);
        argmax_block_1024<<<132, 1024>>>(a, n, b);
        report("argmax_block_1024", b, 132);
    }
    {
        const int n = 1500000;
        float *a = uniform(n), *b = uniform(n), *c = room<float>(528);
        dot_product_shared<<<528, 256>>>(a, b, c, n);
        report("dot_product_shared", c, 528);
    }
    {
        const int blocks = 1584, n = 256;
        int *a = integers(blocks * n, 10), *b = room<int>(blocks * n);
        scan_hillis_steele<<<blocks, n, 2 * n * sizeof(int)>>>(a, b, n);
        report("scan_hillis_steele", b, blocks * n);
    }
    {
        const int blocks = 1584;
        float *a = uniform(blocks * 512), *b = room<float>(blocks * 512);
        scan_blelloch<<<blocks, 256>>>(a, b);
        report("scan_blelloch", b, blocks * 512);
    }
    {
        const int n = 1200000;
        float *a = uniform(n), *b = zeros<float>(n);
        int *c = zeros<int>(1);
        compact_ballot<<<(n + 255) / 256, 256>>>(a, b, c, n, 0.7f);
        report("compact_ballot", b, n);
    }
    std::vector<unsigned char> text =
        fill<unsigned char>(2000000, [](int i) { return (unsigned char)((mix(i) % 26 + mix(i + 1) % 26) / 2 + 'a'); });
    {
        unsigned char *t = upload(text);
        unsigned *b = zeros<unsigned>(256);
        histogram_global_atomics<<<((int)text.size() / 5 + 255) / 256, 256>>>(t, (int)text.size() / 5, b);
        report("histogram_global_atomics", b, 256);
    }
    {
        unsigned char *t = upload(text);
        unsigned *b = zeros<unsigned>(256);
        histogram_shared_stride<<<528, 256>>>(t, (int)text.size(), b);
        report("histogram_shared_stride", b, 256);
    }
    {
        int *t = integers(1000000, 1 << 30);
        unsigned *b = zeros<unsigned>(64);
        histogram_per_warp_words<<<264, 256>>>((const unsigned *)t, 1000000, b);
        report("histogram_per_warp_words", b, 64);
    }
    {
        const int blocks = 9504, n = blocks * 192 + 2 * RADIUS;
        int *a = integers(n, 50), *b = zeros<int>(n);
        stencil_1d_halo<<<blocks, 192>>>(a, b);
        report("stencil_1d_halo", b, n);
    }
    {
        const int nx = 1600, ny = 900;
        float *a = uniform(nx * ny), *b = zeros<float>(nx * ny);
        stencil_2d_naive_jacobi<<<dim3((nx + 15) / 16, (ny + 15) / 16), dim3(16, 16)>>>(a, b, nx, ny);
        report("stencil_2d_naive_jacobi", b, nx * ny);
    }
    {
        const int nx = 1280, ny = 768;
        float *a = uniform(nx * ny), *b = room<float>(nx * ny);
        stencil_2d_shared_9_point<<<dim3(nx / 32, ny / 16), dim3(32, 8)>>>(a, b, nx, ny);
        report("stencil_2d_shared_9_point", b, nx * ny);
    }
    {
        const int nx = 160, ny = 112, nz = 66;
        float *a = uniform(nx * ny * nz), *b = zeros<float>(nx * ny * nz);
        stencil_3d_naive<<<dim3((nx + 7) / 8, ny / 8, (nz + 3) / 4), dim3(8, 8, 4)>>>(a, b, nx, ny, nz);
        report("stencil_3d_naive", b, nx * ny * nz);
    }
    {
        const int nx = 258, ny = 130, nz = 24;
        float *a = uniform(nx * ny * nz), *b = zeros<float>(nx * ny * nz);
        stencil_3d_register_column<<<dim3((nx + 31) / 32, (ny + 3) / 4), dim3(32, 4)>>>(a, b, nx, ny, nz);
        report("stencil_3d_register_column", b, nx * ny * nz);
    }
    {
        const int n = 1024;
        double *a = upload(fill<double>(n * n, [](int i) { return (mix(i) & 1023) / 10.0; }));
        double *b = room<double>(n * n);
        heat_equation_double<<<dim3(n / 32, n / 8), dim3(32, 8)>>>(a, b, n, 0.1);
        report("heat_equation_double", b, n * n);
    }
    {
        float f[17];
        for (int i = 0; i < 17; i++) f[i] = 1.0f / (1 + abs(i - 8));
        CHECK(cudaMemcpyToSymbol(filter1d, f, sizeof f));
        const int n = 500000;
        float *a = uniform(n), *b = room<float>(n);
        convolution_1d_constant<<<(n + 255) / 256, 256>>>(a, b, n);
        report("convolution_1d_constant", b, n);
    }
    {
        float f[25];
        for (int i = 0; i < 25; i++) f[i] = (i % 5 + 1) / 75.0f;
        CHECK(cudaMemcpyToSymbol(filter2d, f, sizeof f));
        const int w = 800, h = 700;
        float *a = uniform(w * h), *b = room<float>(w * h);
        convolution_2d_constant_tile<<<dim3((w + 15) / 16, (h + 15) / 16), dim3(20, 20)>>>(a, b, w, h);
        report("convolution_2d_constant_tile", b, w * h);
    }
    {
        const int w = 700, h = 500;
        float *a = uniform(w * h), *b = room<float>(w * h);
        image_bilateral<<<dim3((w + 15) / 16, (h + 3) / 4), dim3(16, 4)>>>(a, b, w, h, 8.0f);
        report("image_bilateral", b, w * h);
    }
    {
        const int w = 1000, h = 1000;
        std::vector<unsigned char> picture = fill<unsigned char>(w * h, [](int i) { return (unsigned char)((i % w) / 4 + mix(i) % 32 / 8); });
        unsigned char *a = upload(picture), *b = zeros<unsigned char>(w * h);
        image_sobel_bytes<<<dim3((w + 31) / 32, (h + 7) / 8), dim3(32, 8)>>>(a, b, w, h);
        report("image_sobel_bytes", b, w * h);
    }
    {
        const int n = 1500001;
        uchar3 *a = upload(fill<uchar3>(n, [](int i) {
            unsigned h = mix(i);
            return make_uchar3(h & 255, (h >> 8) & 255, (h >> 16) & 255);
        }));
        unsigned char *b = room<unsigned char>(n);
        image_grey_from_rgb<<<(n + 99) / 100, 100>>>(a, b, n);
        report("image_grey_from_rgb", b, n);
    }
    {
        const int w = 1024, h = 768;
        unsigned char *a = upload(fill<unsigned char>(w * h, [](int i) { return (unsigned char)(mix(i) % 3 == 0); }));
        unsigned char *b = room<unsigned char>(w * h);
        game_of_life_torus<<<dim3(w / 32, h / 8), dim3(32, 8)>>>(a, b, w, h);
        report("game_of_life_torus", b, w * h);
    }
    {
        const int w = 1280, h = 800;
        float *a = uniform(w * h), *b = room<float>(w * h);
        dct_8x8_blocks<<<dim3(w / 8, h / 8), dim3(8, 8)>>>(a, b, w);
        report("dct_8x8_blocks", b, w * h);
    }
    {
        const int rows = 528, n = 1000;
        float *a = uniform(rows * n, -4, 4), *b = room<float>(rows * n);
        softmax_block_per_row<<<rows, 128>>>(a, b, n);
        report("softmax_block_per_row", b, rows * n);
    }
    {
        const int rows = 6336, n = 512;
        float *a = uniform(rows * n), *g = uniform(n), *b = room<float>(rows * n);
        layernorm_warp_per_row<<<rows / 4, dim3(32, 4)>>>((const float4 *)a, (const float4 *)g, (float4 *)b, n / 4, rows);
        report("layernorm_warp_per_row", b, rows * n);
    }
    {
        const int heads = 33, len = 128, D = 16;
        float *q = uniform(heads * len * D, -1, 1), *k = uniform(heads * len * D, -1, 1), *v = uniform(heads * len * D);
        float *o = room<float>(heads * len * D);
        attention_online_rows<<<dim3(len / 64, heads), 64>>>(q, k, v, o, len);
        report("attention_online_rows", o, heads * len * D);
    }
    {
        const int n = 1584 * 1024, columns = 384;
        half2 *a = upload(fill<half2>(n, [](int i) { return __float2half2_rn((mix(i) & 511) / 128.0f - 2.0f); }));
        half2 *bias = upload(fill<half2>(columns, [](int i) { return __float2half2_rn((i & 7) / 8.0f); }));
        half2 *b = room<half2>(n);
        gelu_bias_half2<<<n / 256, 256>>>(a, bias, b, n, columns);
        report("gelu_bias_half2", b, n);
    }
    {
        const int n = 500000;
        float *x = uniform(n), *y = uniform(n);
        saxpy_stride_17<<<(n + 255) / 256, 256>>>(n, 2.0f, x, y);
        report("saxpy_stride_17", y, n);
    }
    {
        const int n = 4000003;
        float *x = uniform(n), *y = uniform(n);
        saxpy_float4_tail<<<(n / 4 + 256) / 256, 256>>>(n, 2.0f, x, y);
        report("saxpy_float4_tail", y, n);
    }
    {
        const int per = 16, n = 2112 * 64 * per;
        float *b = uniform(n), *c = uniform(n), *a = room<float>(n);
        triad_blocked_per_thread<<<2112, 64>>>(b, c, a, per);
        report("triad_blocked_per_thread", a, n);
    }
    {
        const int n = 600000;
        float *raw = uniform(n * 7);
        particles_array_of_structures<<<(n + 95) / 96, 96>>>((Particle *)raw, n, 0.01f);
        report("particles_array_of_structures", raw, n * 7);
    }
    {
        const int n = 1000000;
        float *x = uniform(n), *y = uniform(n), *z = uniform(n), *vx = uniform(n), *vy = uniform(n), *vz = uniform(n);
        particles_structure_of_arrays<<<(n + 511) / 512, 512>>>(x, y, z, vx, vy, vz, n, 0.01f);
        report("particles_structure_of_arrays", y, n);
    }
    {
        const int n = 1200000, size = 1 << 20;
        float *t = uniform(size), *o = room<float>(n);
        int *i = integers(n, size);
        gather_random_index<<<(n + 255) / 256, 256>>>(t, i, o, n);
        report("gather_random_index", o, n);
    }
    {
        const int n = 400000, size = 10000;
        float *v = uniform(n), *t = zeros<float>(size);
        int *i = integers(n, size);
        scatter_random_adds<<<396, 256>>>(v, i, t, n);
        report("scatter_random_adds", t, size);
    }
    {
        const int n = 1 << 18;
        std::vector<int> next = fill<int>(n, [](int i) { return (i * 5 + 74531) & (n - 1); });
        int *d = upload(next), *e = room<int>(132);
        pointer_chase_one_lane<<<132, 32>>>(d, e, 300);
        report("pointer_chase_one_lane", e, 132);
    }
    {
        const int blocks = 528, tiles = 24, n = blocks * tiles * 128 * 4;
        float *a = uniform(n), *b = room<float>(n);
        copy_cp_async_pipeline<<<blocks, 128>>>((const float4 *)a, (float4 *)b, tiles);
        report("copy_cp_async_pipeline", b, n);
    }
    {
        const int n = 800;
        float *b = uniform(n * 4), *f = room<float>(n * 3);
        nbody_naive<<<(n + 31) / 32, 32>>>((const float4 *)b, (float3 *)f, n);
        report("nbody_naive", f, n * 3);
    }
    {
        const int n = 2048;
        float *b = uniform(n * 4), *f = room<float>(n * 4 * 8);
        nbody_tiled_rsqrt<<<dim3(n / 64, 8), 64>>>((const float4 *)b, (float4 *)f, n);
        report("nbody_tiled_rsqrt", f, n * 4 * 8);
    }
    {
        const int w = 640, h = 400;
        unsigned short *p = room<unsigned short>(w * h);
        mandelbrot<<<dim3(w / 16, h / 8), dim3(16, 8)>>>(p, w, h, 300);
        report("mandelbrot", p, w * h);
    }
    {
        const int n = 528 * 128;
        unsigned *h = room<unsigned>(n);
        monte_carlo_pi<<<528, 128>>>(h, 100);
        report("monte_carlo_pi", h, n);
    }
    {
        const int n = 800000;
        float *s = uniform(n, 5, 30), *x = uniform(n, 1, 100), *t = uniform(n, 0.25f, 10), *c = room<float>(n), *p = room<float>(n);
        black_scholes<<<(n + 127) / 128, 128>>>(c, p, s, x, t, n);
        report("black_scholes", c, n);
    }
    {
        const int n = 120000;
        int *s = integers(n, 100000), *c = room<int>(n);
        collatz_divergent<<<(n + 63) / 64, 64>>>(s, c, n);
        report("collatz_divergent", c, n);
    }
    {
        const int n = 200000;
        float *a = uniform(n), *b = room<float>(n);
        median_local_array<<<(n + 127) / 128, 128>>>(a, b, n);
        report("median_local_array", b, n);
    }
    {
        const int blocks = 198;
        float *c = uniform(4096, -0.5f, 0.5f), *o = room<float>(blocks * 1024);
        spills_polynomials<<<blocks, 1024>>>(c, o);
        report("spills_polynomials", o, blocks * 1024);
    }
    {
        const int size = 24576, n = 400000;
        float *t = uniform(size), *o = room<float>(n);
        int *k = integers(n, size);
        CHECK(cudaFuncSetAttribute(lookup_large_shared_table, cudaFuncAttributeMaxDynamicSharedMemorySize, size * 4));
        lookup_large_shared_table<<<132, 256, size * 4>>>(t, k, o, n, size);
        report("lookup_large_shared_table", o, n);
    }
    {
        const int rows = 80000;
        Csr m = sparse(rows, rows, 2, 24, 11);
        int *p = upload(m.ptr), *c = upload(m.col);
        float *v = upload(m.val), *x = uniform(rows), *y = room<float>(rows);
        spmv_csr_thread_per_row<<<(rows + 127) / 128, 128>>>(p, c, v, x, y, rows);
        report("spmv_csr_thread_per_row", y, rows);
    }
    {
        const int rows = 15000;
        Csr m = sparse(rows, 20000, 10, 100, 17);
        int *p = upload(m.ptr), *c = upload(m.col);
        float *v = upload(m.val), *x = uniform(20000), *y = room<float>(rows);
        spmv_csr_warp_per_row<<<(rows + 7) / 8, 256>>>(p, c, v, x, y, rows);
        report("spmv_csr_warp_per_row", y, rows);
    }
    {
        const int rows = 200000, width = 12;
        std::vector<int> col = fill<int>(rows * width, [](int i) {
            int near = i % rows + (int)(mix(i) % 201) - 100;
            return near >= 0 && near < rows && mix(i + 3) % 8 != 0 ? near : -1;
        });
        int *c = upload(col);
        float *v = uniform(rows * width), *x = uniform(rows), *y = room<float>(rows);
        spmv_ellpack<<<(rows + 255) / 256, 256>>>(c, v, x, y, rows, width);
        report("spmv_ellpack", y, rows);
    }
    {
        const int nodes = 100000;
        Csr g = sparse(nodes, nodes, 1, 7, 23);
        int *p = upload(g.ptr), *c = upload(g.col);
        int *level = upload(fill<int>(nodes, [](int i) { return mix(i + 77) % 6 == 0 ? 3 : mix(i + 78) % 4 == 0 ? 2 : -1; }));
        int *changed = zeros<int>(1);
        bfs_level_step<<<(nodes + 255) / 256, 256>>>(p, c, level, changed, 3, nodes);
        report("bfs_level_step", level, nodes);
    }
    {
        const int n = 600000, slots = 1048576;
        int *k = integers(n, 1 << 28), *t = zeros<int>(slots, 0xff);
        hash_insert_linear_probing<<<(n + 255) / 256, 256>>>(k, t, n, slots);
        report("hash_insert_linear_probing", t, slots);
    }
    {
        const int blocks = 1056;
        int *a = integers(blocks * 256, 1000000), *b = room<int>(blocks * 256);
        sort_bitonic_shared<<<blocks, 128>>>(a, b);
        report("sort_bitonic_shared", b, blocks * 256);
    }
    {
        const int blocks = 528, n = 100;
        float *a = uniform(blocks * n);
        sort_odd_even_shared<<<blocks, n>>>(a, n);
        report("sort_odd_even_shared", a, blocks * n);
    }
    {
        const int n = 1500;
        int *a = integers(n, 1000), *b = room<int>(n);
        rank_sort_count<<<(n + 63) / 64, 64>>>(a, b, n);
        report("rank_sort_count", b, n);
    }
    {
        const char word[8] = "nomk";
        CHECK(cudaMemcpyToSymbol(pattern, word, sizeof word));
        char *t = (char *)upload(text);
        int *f = zeros<int>(1);
        string_search_naive<<<((int)text.size() + 255) / 256, 256>>>(t, (int)text.size(), 4, f);
        report("string_search_naive", f, 1);
    }
    {
        const int pairs = 132, n = 64;
        std::vector<char> a = fill<char>(pairs * n, [](int i) { return (char)('a' + mix(i) % 4); });
        std::vector<char> b = a;
        for (int i = 0; i < pairs * n; i += 5) b[i] = (char)('a' + mix(i + 1) % 4);
        char *da = upload(a), *db = upload(b);
        int *d = room<int>(pairs);
        levenshtein_wavefront<<<pairs, n>>>(da, db, d, n);
        report("levenshtein_wavefront", d, pairs);
    }
    {
        const int rows = 16896, columns = 128;
        float *a = uniform(rows * columns), *x = uniform(columns), *y = room<float>(rows);
        matvec_thread_per_row<<<rows / 128, 128>>>(a, x, y, rows, columns);
        report("matvec_thread_per_row", y, rows);
    }
    {
        const int rows = 8448, columns = 256;
        float *a = uniform(rows * columns), *x = uniform(columns), *y = room<float>(rows);
        matvec_columns_shared_x<<<rows / 128, 128>>>(a, x, y, rows, columns);
        report("matvec_columns_shared_x", y, rows);
    }
    {
        const int rows = 8000, columns = 600;
        float *a = uniform(rows * columns), *x = uniform(columns), *y = room<float>(rows);
        matvec_one_warp_block<<<rows, 32>>>((const float2 *)a, (const float2 *)x, y, columns / 2);
        report("matvec_one_warp_block", y, rows);
    }
    {
        const int n = 1200, k = 20;
        float *a = uniform(n * n, 1, 2), *p = uniform(n, 1, 2), *f = uniform(n, 1, 2);
        gauss_eliminate_step<<<dim3((n - k + 127) / 128, n - k - 1), 128>>>(a, p, f, n, k);
        report("gauss_eliminate_step", a, n * n);
    }
    {
        const int batch = 264;
        float *a = upload(fill<float>(batch * 1024, [](int i) {
            int r = i / 32 % 32, c = i % 32;
            return r == c ? 40.0f : 1.0f / (1 + abs(r - c)) + (mix(i / 1024) & 7) / 16.0f;
        }));
        cholesky_batched_32<<<batch, 32>>>(a);
        report("cholesky_batched_32", a, batch * 1024);
    }
    {
        const int n = 1 << 21;
        float *a = uniform(n * 2, -1, 1), *b = room<float>(n * 2);
        fft_radix2_stage<<<n / 2 / 256, 256>>>((const float2 *)a, (float2 *)b, n, 512);
        report("fft_radix2_stage", b, n * 2);
    }
    {
        const int n = 200000, clusters = 40;
        float *p = uniform(n * 4), *c = uniform(clusters * 4);
        int *which = room<int>(n);
        kmeans_assign_nearest<<<(n + 127) / 128, 128, clusters * 4 * sizeof(float)>>>(p, c, which, n, clusters);
        report("kmeans_assign_nearest", which, n);
    }
    {
        const int queries = 264, base = 1024, dims = 24;
        float *q = uniform(queries * dims), *b = uniform(base * dims), *d = room<float>(queries * base);
        knn_distance_matrix<<<dim3(base / 32, queries / 4), dim3(32, 4)>>>(q, b, d, dims, base);
        report("knn_distance_matrix", d, queries * base);
    }
    CHECK(cudaDeviceSynchronize());
    return 0;
}
