// C = A * B in float by way of TF32, all row-major: A is M x K, B is K x N, C is M x N.
// The tensor cores: one mma.sync of a warp multiplies 16 x 8 of A by 8 x 8 of B. It takes of every element the upper 19 bits;
// half of the last of them, added before, makes that a rounding to the nearest. ldmatrix brings A into the lanes that mma
// wants it in; B, which it would have to transpose, comes element by element.

#ifndef BM
#define BM 128
#endif
#ifndef BN
#define BN 128
#endif
#ifndef BK
#define BK 32
#endif
#ifndef WM
#define WM 64
#endif
#ifndef WN
#define WN 64
#endif
#ifndef STAGES
#define STAGES 2
#endif
#ifndef GROUP
#define GROUP 8
#endif
#define NUM_THREADS ((BM / WM) * (BN / WN) * 32)

struct Stage {
  float As[BM][BK + 4];  // 4 more: the eight rows that ldmatrix reads lie in different banks
  float Bs[BK][BN + 8];
};

__device__ unsigned sharedAddress(const void *pointer) { return static_cast<unsigned>(__cvta_generic_to_shared(pointer)); }

__device__ void copyAsync(void *to, const void *from) {
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(sharedAddress(to)), "l"(from) : "memory");
}

// Four 8 x 8 matrices of 16-bit elements, or 8 x 4 of 32: lane l gives the address of row l % 8 of matrix l / 8.
__device__ void loadMatrices(unsigned (&to)[4], const void *row) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
               : "r"(sharedAddress(row)) : "memory");
}

// d += a * b: 16 x 8 of A times 8 x 8 of B. Lane l has of b the rows l % 4 and + 4 in column l / 4.
__device__ void multiply(float (&d)[4], const unsigned (&a)[4], unsigned b0, unsigned b1) {
  asm volatile(
      "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
      : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}

__device__ unsigned rounded(unsigned bits) { return bits + 0x1000; }

__global__ void __launch_bounds__(NUM_THREADS)
tf32_mma(const float *A, const float *B, float *C, int M, int N, int K) {
  extern __shared__ __align__(16) Stage stages[];

  const int group = blockIdx.x / (GROUP * (N / BN));
  const int inGroup = blockIdx.x % (GROUP * (N / BN));
  const int groupRows = min(GROUP, M / BM - group * GROUP);
  const int blockRow = (group * GROUP + inGroup % groupRows) * BM;
  const int blockCol = inGroup / groupRows * BN;
  const int warp = threadIdx.x / 32;
  const int lane = threadIdx.x % 32;
  const int warpRow = warp / (BN / WN) * WM;
  const int warpCol = warp % (BN / WN) * WN;

  float sums[WM / 16][WN / 8][4] = {{{0.0f}}};
  for (int tile = (1 - STAGES) * BK; tile < K; tile += BK) {  // the first STAGES - 1 rounds only copy
    if (tile >= 0) {
      asm volatile("cp.async.wait_group %0;" ::"n"(STAGES - 2) : "memory");  // [tile arrived]
      __syncthreads();  // [tile ready]
    }
    const int next = tile + (STAGES - 1) * BK;
    if (next < K) {
      Stage &stage = stages[next / BK % STAGES];
#pragma unroll
      for (int i = 0; i < BM * BK; i += NUM_THREADS * 4) {
        const int row = (i + threadIdx.x * 4) / BK;
        const int col = (i + threadIdx.x * 4) % BK;
        copyAsync(&stage.As[row][col], &A[(blockRow + row) * K + next + col]);  // [load A]
      }
#pragma unroll
      for (int i = 0; i < BK * BN; i += NUM_THREADS * 4) {
        const int row = (i + threadIdx.x * 4) / BN;
        const int col = (i + threadIdx.x * 4) % BN;
        copyAsync(&stage.Bs[row][col], &B[(next + row) * N + blockCol + col]);  // [load B]
      }
    }
    asm volatile("cp.async.commit_group;" ::: "memory");
    if (tile < 0) continue;

    const Stage &stage = stages[tile / BK % STAGES];
#pragma unroll
    for (int k = 0; k < BK; k += 8) {
      unsigned regM[WM / 16][4];
      unsigned regN[WN / 8][2];
#pragma unroll
      for (int i = 0; i < WM / 16; ++i) {
        loadMatrices(regM[i], &stage.As[warpRow + i * 16 + lane % 16][k + lane / 16 * 4]);  // [read As]
#pragma unroll
        for (int r = 0; r < 4; ++r) regM[i][r] = rounded(regM[i][r]);
      }
#pragma unroll
      for (int j = 0; j < WN / 8; ++j)
#pragma unroll
        for (int r = 0; r < 2; ++r)
          regN[j][r] = rounded(__float_as_uint(stage.Bs[k + r * 4 + lane % 4][warpCol + j * 8 + lane / 4]));  // [read Bs]
#pragma unroll
      for (int i = 0; i < WM / 16; ++i)
#pragma unroll
        for (int j = 0; j < WN / 8; ++j) multiply(sums[i][j], regM[i], regN[j][0], regN[j][1]);  // [multiply]
    }
  }

#pragma unroll
  for (int i = 0; i < WM / 16; ++i)
#pragma unroll
    for (int j = 0; j < WN / 8; ++j)
#pragma unroll
      for (int lower = 0; lower < 2; ++lower) {
        const int row = blockRow + warpRow + i * 16 + lower * 8 + lane / 4;
        const int col = blockCol + warpCol + j * 8 + lane % 4 * 2;
        *reinterpret_cast<float2 *>(&C[row * N + col]) =
            make_float2(sums[i][j][lower * 2], sums[i][j][lower * 2 + 1]);  // [store C]
      }
}
