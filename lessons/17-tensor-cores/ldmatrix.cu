// C = A * B: a warp computes 16 x 16 of C. ldmatrix brings its fragments of A and B out of shared memory.

#ifndef BK
#define BK 64
#endif
#ifndef PAD
#define PAD 0
#endif

typedef unsigned short bf16;  // bfloat16: the upper half of a float

// Four matrices of 8 x 8: lane l gives the address of row l % 8 of matrix l / 8, and gets a pair of each matrix.
#define LOAD_MATRICES(to, how, from)                                                     \
  asm volatile("ldmatrix.sync.aligned.m8n8.x4" how ".shared.b16 {%0, %1, %2, %3}, [%4];" \
               : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])                      \
               : "r"(static_cast<unsigned>(__cvta_generic_to_shared(from))) : "memory")

// d += a * b: 16 x 16 of A times 16 x 8 of B.
#define MULTIPLY(d, a, b0, b1)                                                                                 \
  asm("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};" \
      : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])                                                         \
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1))

__global__ void bf16_ldmatrix(const bf16 *A, const bf16 *B, float *C, int M, int N, int K) {
  __shared__ __align__(16) bf16 As[16][BK + PAD];
  __shared__ __align__(16) bf16 Bs[BK][16 + PAD];

  const int blockRow = blockIdx.y * 16;
  const int blockCol = blockIdx.x * 16;
  const int lane = threadIdx.x;

  float c[2][4] = {{0.0f}};  // of the left and the right 8 columns
  for (int tile = 0; tile < K; tile += BK) {
    for (int i = lane * 8; i < 16 * BK; i += 32 * 8)  // 8 elements, 16 bytes, at a time
      *reinterpret_cast<uint4 *>(&As[i / BK][i % BK]) =
          *reinterpret_cast<const uint4 *>(&A[(blockRow + i / BK) * K + tile + i % BK]);  // [load A]
    for (int i = lane * 8; i < BK * 16; i += 32 * 8)
      *reinterpret_cast<uint4 *>(&Bs[i / 16][i % 16]) =
          *reinterpret_cast<const uint4 *>(&B[(tile + i / 16) * N + blockCol + i % 16]);  // [load B]
    __syncthreads();  // [tiles ready]

    for (int k = 0; k < BK; k += 16) {
      unsigned a[4], b[4];
      LOAD_MATRICES(a, "", &As[lane % 16][k + lane / 16 * 8]);        // [read As]
      LOAD_MATRICES(b, ".trans", &Bs[k + lane % 16][lane / 16 * 8]);  // [read Bs]
      MULTIPLY(c[0], a, b[0], b[1]);                                  // [multiply]
      MULTIPLY(c[1], a, b[2], b[3]);
    }
    __syncthreads();  // [tiles used]
  }

  for (int half = 0; half < 2; ++half) {
    float *const to = &C[(blockRow + lane / 4) * N + blockCol + half * 8 + lane % 4 * 2];
    *reinterpret_cast<float2 *>(to) = make_float2(c[half][0], c[half][1]);          // [store upper]
    *reinterpret_cast<float2 *>(to + 8 * N) = make_float2(c[half][2], c[half][3]);  // [store lower]
  }
}
