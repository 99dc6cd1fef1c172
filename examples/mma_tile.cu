// C = A * B on the tensor cores, one warp a block: bfloat16 in, float out. Each block computes 16 x 8 of C. A round copies
// 16 columns of A and 16 rows of B to shared memory, ldmatrix brings them into the lanes that mma.sync wants them in, and
// one mma.sync multiplies them.

typedef unsigned short bf16;

__device__ unsigned sharedAddress(const void *pointer) { return static_cast<unsigned>(__cvta_generic_to_shared(pointer)); }

__global__ void __launch_bounds__(32) mma_tile(const bf16 *A, const bf16 *B, float *C, int M, int N, int K) {
  __shared__ __align__(16) bf16 As[16][16 + 8];  // 8 more: the eight rows that ldmatrix reads lie in different banks
  __shared__ __align__(16) bf16 Bs[16][8];
  const int lane = threadIdx.x;
  const int row = blockIdx.y * 16, col = blockIdx.x * 8;
  float d[4] = {0, 0, 0, 0};
  for (int k = 0; k < K; k += 16) {
    // 16 bytes a lane: half a row of A, and a row of B by the lower lanes.
    *reinterpret_cast<uint4 *>(&As[lane / 2][lane % 2 * 8]) =
        *reinterpret_cast<const uint4 *>(&A[(row + lane / 2) * K + k + lane % 2 * 8]);
    if (lane < 16) *reinterpret_cast<uint4 *>(&Bs[lane][0]) = *reinterpret_cast<const uint4 *>(&B[(k + lane) * N + col]);
    __syncthreads();
    unsigned a[4], b[2];
    // Lane l gives the address of row l % 8 of matrix l / 8.
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(a[0]), "=r"(a[1]), "=r"(a[2]), "=r"(a[3])
                 : "r"(sharedAddress(&As[lane % 16][lane / 16 * 8])) : "memory");
    asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0, %1}, [%2];"
                 : "=r"(b[0]), "=r"(b[1]) : "r"(sharedAddress(&Bs[lane % 16][0])) : "memory");
    asm volatile(
        "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
        : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
    __syncthreads();
  }
  // Lane l holds columns 2 (l % 4) and the next of rows l / 4 and l / 4 + 8.
  *reinterpret_cast<float2 *>(&C[(row + lane / 4) * N + col + lane % 4 * 2]) = make_float2(d[0], d[1]);
  *reinterpret_cast<float2 *>(&C[(row + lane / 4 + 8) * N + col + lane % 4 * 2]) = make_float2(d[2], d[3]);
}
