// C = A * B as fragments.cu, with two mistakes.

typedef unsigned short bf16;  // bfloat16: the upper half of a float

// d += a * b, by all lanes of the warp together.
#define MULTIPLY(d, a, b)                                                                                      \
  asm("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};" \
      : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])                                                         \
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]))

__global__ void bf16_fragments(const bf16 *A, const bf16 *B, float *C, int M, int N, int K) {
  const int lane = threadIdx.x;
  const int row = blockIdx.y * 16 + lane / 4;  // in A and C; and 8 rows below
  const int col = blockIdx.x * 8 + lane / 4;   // in B
  const int first = lane % 4 * 2;              // of a pair of neighbours

  float c[4] = {0.0f, 0.0f, 0.0f, 0.0f};
  for (int k = 0; k < K; k += 16) {
    unsigned a[4], b[2];
    a[0] = *reinterpret_cast<const unsigned *>(&A[row * K + k + first]);            // [load a0]
    a[1] = *reinterpret_cast<const unsigned *>(&A[row * K + k + first + 8]);        // [load a1]
    a[2] = *reinterpret_cast<const unsigned *>(&A[(row + 8) * K + k + first]);      // [load a2]
    a[3] = *reinterpret_cast<const unsigned *>(&A[(row + 8) * K + k + first + 8]);  // [load a3]
    for (int i = 0; i < 2; ++i) {
      const unsigned lower = B[(k + first + i * 8) * N + col];      // [load b]
      const unsigned upper = B[(k + first + i * 8 + 1) * N + col];  // [load b, next k]
      b[i] = upper | lower << 16;
    }
    MULTIPLY(c, a, b);  // [multiply]
  }
  float *const to = &C[row * N + blockIdx.x * 8 + first];
  *reinterpret_cast<float2 *>(to) = make_float2(c[0], c[1]);          // [store upper]
  *reinterpret_cast<float2 *>(to + 8 * N) = make_float2(c[2], c[3]);  // [store lower]
}
